import { seededRandom } from '#app/demo/random.ts';
import { answerOf, type Answer, type Club, type Event } from './population.ts';
import { below, pick, shuffle, zipf } from './random.ts';
import type { Server } from './server.ts';

const isComing = (event: Event) => event.isComing;

export type Chooser = ReturnType<typeof createChooser>;

/**
 * Chooses the requests and their users on one server: clubs by a Zipf distribution, and their active members uniformly.
 */
export function createChooser(server: Server, seed: number) {
  const { clubs, active } = server.population;
  const random = seededRandom(seed);
  const rank = zipf(clubs.length);
  const shuffled = shuffle(random, [...Array(active).keys()]);
  let turn = 0;
  const usedPairs = new Set<string>();
  const anyClub = () => clubs[rank(random)] as Club;
  const uniformClub = () => pick(random, clubs);
  const member = ({ activeMembers, members }: Club) =>
    pick(random, activeMembers.length > 0 ? activeMembers : members);
  const event = (isWanted: (event: Event) => boolean, club = anyClub): Event =>
    until(() => {
      const wanted = club().events.filter(isWanted);
      return wanted.length > 0 ? pick(random, wanted) : undefined;
    });
  const upcoming = (state: Event['state']) =>
    // The clubs of full events are chosen uniformly, because otherwise `pair` would use up the full events of the most
    // visited clubs.
    event((event) => event.isComing && event.state === state, state === 'full' ? uniformClub : anyClub);
  return {
    server,
    random,
    /** Clubs that have changed since their page was last requested. */
    changedClubs: new Set<Club>(),
    /** Login codes that were sent and not used. */
    codes: [] as { email: string; code: string }[],
    club: anyClub,
    /** A club, each with the same probability. */
    uniformClub,
    member,
    person: () => below(random, active),
    /** The next of all active people, in a random order that is repeated after the last one. */
    nextPerson: () => shuffled[turn++ % active] as number,
    clubOf: ({ club }: Event) => clubs[club] as Club,
    comingEvent: () => event(isComing),
    /** An upcoming event in this state. */
    upcoming,
    /** Four of five visitors look at an event that is still to come. */
    visitedEvent: () => event(random() < 0.8 ? isComing : () => true),
    /**
     * An upcoming event in this state, and a member of its club who is not the host. `isWanted` is true for the
     * member's answer. Never returns the same pair twice.
     */
    pair: (state: Event['state'], isWanted: (answer: Answer) => boolean) =>
      until(() => {
        const event = upcoming(state);
        const person = member(clubs[event.club] as Club);
        const key = `${event.club}/${event.number}/${person}`;
        if (person === event.host || !isWanted(answerOf(event, person)) || usedPairs.has(key))
          return undefined;
        usedPairs.add(key);
        return { event, person };
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
