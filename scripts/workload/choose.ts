import { attends, eventSlug, isComing, type Club, type Event, type Population } from './population.ts';
import { below, pick, shuffle, zipf } from './random.ts';
import type { Started } from './target.ts';

/** One server under test, with the population in its database. */
export interface Target extends Started {
  population: Population;
  /** Resolves when all jobs that are due are done. */
  waitForJobs(): Promise<void>;
  /** Drops delayed jobs and what was counted for rate limits. */
  reset(): Promise<void>;
}

/** What the requests of one kind are made from. Both servers of a comparison get the same random numbers. */
export interface Source extends Target {
  random(): number;
}

function until<T>(make: () => T | undefined): T {
  for (let tries = 0; tries < 100_000; tries++) {
    const made = make();
    if (made !== undefined) return made;
  }
  throw new Error('There are too few clubs for so many requests: use more --clubs');
}

/** Who does what: clubs by a Zipf distribution, their members uniformly. */
export function chooser({ population, random }: Source) {
  const { clubs, people } = population;
  const rank = zipf(clubs.length);
  const shuffled = shuffle(random, [...Array(people).keys()]);
  let last = 0;
  const usedPairs = new Set<string>();
  const coming = ({ events }: Club) => events.filter((event) => isComing(event, population));
  const anyClub = () => clubs[rank(random)] as Club;
  const person = () => below(random, people);
  const member = (club: Club) => pick(random, club.members);
  const event = (onlyComing: boolean): Event =>
    until(() => {
      const club = anyClub();
      const events = onlyComing ? coming(club) : club.events;
      return events.length > 0 ? pick(random, events) : undefined;
    });
  /** Whether nobody has got this pair before, and the person attends the event or does not, as wanted. */
  function take(event: Event, who: number, attending: boolean): boolean {
    const key = `${eventSlug(event)}/${who}`;
    if (who === event.host || attends(event, who) !== attending || usedPairs.has(key)) return false;
    usedPairs.add(key);
    return true;
  }
  return {
    club: anyClub,
    person,
    member,
    memberOf: (one: Event) => member(clubs[one.club] as Club),
    clubOf: (one: Event) => clubs[one.club] as Club,
    event,
    /** Four of five look at an event that is still to come. */
    visitedEvent: () => event(random() < 0.8),
    /** Different clubs, the most visited ones most likely among them. */
    clubs(count: number): Club[] {
      const chosen = new Set<Club>();
      while (chosen.size < Math.min(count, clubs.length / 2)) chosen.add(anyClub());
      return [...chosen];
    },
    /** Each person once, then all of them again. */
    nextPerson: () => shuffled[last++ % people] as number,
    coming,
    /** A coming event and a member who attends it or does not, as wanted; never the same pair twice. */
    pair: (attending: boolean): Pair =>
      until(() => {
        const chosen = event(true);
        const who = member(clubs[chosen.club] as Club);
        return take(chosen, who, attending) ? { event: chosen, person: who } : undefined;
      }),
    /** The same in a certain club, where there still is one. */
    pairIn(club: Club, attending: boolean): Pair | undefined {
      for (const chosen of coming(club))
        for (const who of club.members)
          if (take(chosen, who, attending)) return { event: chosen, person: who };
      return undefined;
    },
  };
}

export interface Pair {
  event: Event;
  person: number;
}

export type Chooser = ReturnType<typeof chooser>;
