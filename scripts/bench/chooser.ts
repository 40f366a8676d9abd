import { attends, type Club, type Event } from './population.ts';
import { below, pick, seededRandom, shuffle, zipf } from './random.ts';
import type { Server } from './server.ts';

export type Chooser = ReturnType<typeof createChooser>;

/** Chooses who requests what on one server: clubs by a Zipf distribution, their active members uniformly. */
export function createChooser(server: Server, seed: number) {
  const { clubs, active } = server.population;
  const random = seededRandom(seed);
  const rank = zipf(clubs.length);
  const shuffled = shuffle(random, [...Array(active).keys()]);
  let turn = 0;
  const usedPairs = new Set<string>();
  const anyClub = () => clubs[rank(random)] as Club;
  const member = ({ activeMembers, members }: Club) =>
    pick(random, activeMembers.length > 0 ? activeMembers : members);
  const event = (onlyComing: boolean): Event =>
    until(() => {
      const { events } = anyClub();
      const wanted = onlyComing ? events.filter(({ isComing }) => isComing) : events;
      return wanted.length > 0 ? pick(random, wanted) : undefined;
    });
  return {
    server,
    random,
    /** Clubs that have changed since their page was last requested. */
    changedClubs: new Set<Club>(),
    /** Login codes that were sent and not used. */
    codes: [] as { email: string; code: string }[],
    club: anyClub,
    /** Every club equally often. */
    uniformClub: () => pick(random, clubs),
    member,
    person: () => below(random, active),
    /** Each person once, then all of them again. */
    nextPerson: () => shuffled[turn++ % active] as number,
    clubOf: ({ club }: Event) => clubs[club] as Club,
    comingEvent: () => event(true),
    /** Four of five visitors look at an event that is still to come. */
    visitedEvent: () => event(random() < 0.8),
    /** A coming event and a member who attends it or does not, as wanted; never the same pair twice. */
    pair: (attending: boolean) =>
      until(() => {
        const chosen = event(true);
        const person = member(clubs[chosen.club] as Club);
        const key = `${chosen.club}/${chosen.number}/${person}`;
        if (person === chosen.host || attends(chosen, person) !== attending || usedPairs.has(key))
          return undefined;
        usedPairs.add(key);
        return { event: chosen, person };
      }),
  };
}

function until<T>(make: () => T | undefined): T {
  for (let tries = 0; tries < 100_000; tries++) {
    const made = make();
    if (made !== undefined) return made;
  }
  throw new Error('There are too few clubs for so many requests: use more --clubs');
}
