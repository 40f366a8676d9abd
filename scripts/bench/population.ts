import { hash } from 'node:crypto';
import { seededRandom } from '#app/demo/random.ts';
import { hashOf, normal, shuffle } from './random.ts';

/** The content of a database, independent of its tables: `fill.ts` writes it, and the requests refer to it. */
export interface Population {
  /** All dates are relative to this time, in milliseconds. */
  base: number;
  mix: MixName;
  people: number;
  /** People with a smaller number than this send nearly all requests. */
  active: number;
  /** The most visited club comes first. */
  clubs: readonly Club[];
}

export interface Club {
  id: number;
  /** Numbers of people. The first two are its admins. */
  members: readonly number[];
  activeMembers: readonly number[];
  events: readonly Event[];
}

export interface Event {
  club: number;
  number: number;
  start: number;
  isComing: boolean;
  /** One of the admins. */
  host: number;
  /**
   * Set for some events of the 'events' mix: full with a waitlist, changed so that answers have to be confirmed, a date
   * of a series, or with a poll about the time.
   */
  state?: 'full' | 'asked' | 'date' | 'poll';
}

export type MixName = 'basic' | 'events';
export type PopulationOptions = Record<'clubs' | 'seed' | 'base', number> & { mix: MixName };

const [hour, day] = [3_600_000, 24 * 3_600_000];

/** The same options make the same population: 20 people per club, a quarter of them active. */
export function createPopulation({ clubs: count, seed, base, mix }: PopulationOptions): Population {
  const random = seededRandom(seed);
  const [people, active] = [20 * count, 5 * count];
  const sizes = Array.from({ length: count }, () => clubSize(random));
  const membersOf = assignMembers(random, people, sizes);
  // Large clubs tend to be visited more.
  const popularity = sizes.map((size) => size * Math.exp(normal(random)));
  const byPopularity = [...sizes.keys()].sort(
    (a, b) => (popularity[b] as number) - (popularity[a] as number),
  );
  const clubs = byPopularity.map((original, id): Club => {
    const members = membersOf[original] as number[];
    const events = eventsOf(id, members, base, scheduleOf(random()));
    if (mix === 'events') addStates(events, base);
    return { id, members, activeMembers: members.filter((person) => person < active), events };
  });
  return { base, mix, people, active, clubs };
}

/** From 20 to 200 members, log-normal with a median of 36. */
function clubSize(random: () => number): number {
  return Math.min(Math.max(Math.round(36 * Math.exp(0.7 * normal(random))), 20), 200);
}

/** Puts each person into one to six different clubs. Active people are in more clubs. */
function assignMembers(random: () => number, people: number, sizes: readonly number[]): number[][] {
  const counts = Array<number>(people).fill(1);
  for (let extra = sizes.reduce((sum, size) => sum + size, 0) - people; extra > 0;) {
    const person = Math.floor(people * random() ** 2);
    const count = counts[person] as number;
    if (count >= 6) continue;
    counts[person] = count + 1;
    extra--;
  }
  const pool = shuffle(
    random,
    counts.flatMap((times, person) => Array<number>(times).fill(person)),
  );
  return sizes.map((size) => {
    const members = new Set<number>();
    const repeated: number[] = [];
    while (members.size < size && pool.length > 0) {
      const person = pool.pop() as number;
      if (members.has(person)) repeated.push(person);
      else members.add(person);
    }
    // A person who was drawn twice for this club joins the next club instead.
    pool.push(...repeated);
    return [...members];
  });
}

/** One club in fifty has an event every day, most have one every week, and one in five has stopped. */
function scheduleOf(draw: number) {
  if (draw < 0.02) return { past: 100, upcoming: 100, gap: day };
  return { past: draw < 0.8 ? 40 : 5, upcoming: draw < 0.8 ? 10 : 0, gap: 7 * day };
}

function eventsOf(
  club: number,
  members: readonly number[],
  base: number,
  { past, upcoming, gap }: ReturnType<typeof scheduleOf>,
): Event[] {
  return Array.from({ length: past + upcoming }, (_, number) => {
    const isComing = number >= past;
    // No event starts or ends while the benchmark runs, or starts so soon that the app reminds its attendees.
    const offset = (isComing ? 2 * day : 0) + (club % 32) * (hour / 4);
    const start = base + (number - past + 0.5) * gap + offset;
    const host = members[number % 2] as number;
    return { club, number, start, isComing, host };
  });
}

/** A fifth of the coming events are full, every tenth club has a series of thirty dates, and every fifth club a poll. */
function addStates(events: Event[], base: number): void {
  const upcoming = events.filter(({ isComing }) => isComing);
  for (const event of upcoming) {
    if (event.number % 5 === 0) event.state = 'full';
    // Answers are dated thirty days before the start, so answers to later events would be newer than the change that
    // they have to confirm.
    else if (event.number % 5 === 1 && event.start < base + 20 * day) event.state = 'asked';
  }
  const [first] = upcoming;
  if (!first) return;
  const { club, host } = first;
  const add = (state: 'date' | 'poll', start: number) =>
    events.push({ club, number: events.length, start, isComing: true, host, state });
  const evening = Math.ceil(base / day + 3) * day + 18 * hour;
  if (club % 10 === 3)
    for (let nth = 0; nth < 30; nth++) add('date', evening + (7 * Math.floor(nth / 3) + 2 * (nth % 3)) * day);
  if (club % 5 === 2) add('poll', evening + 30 * day);
}

/**
 * Whether a member attends an event. About a third of the members do, and keen people do more often. The same people
 * attend all dates of a series. The host always attends.
 */
export const attends = ({ club, number, host, state }: Event, person: number): boolean =>
  person === host ||
  (state !== 'poll' && hashOf(club, state === 'date' ? 0 : number, person) < (2 / 3) * hashOf(person));

/** Undefined: no answer. */
export type Answer = 'going' | 'waiting' | 'maybe' | 'no' | undefined;

/** A member's answer to an upcoming event of the 'events' mix. */
export function answerOf(event: Event, person: number): Answer {
  if (attends(event, person)) return 'going';
  if (event.state === 'poll') return undefined;
  const share = hashOf(event.club, event.number, person, 1);
  if (event.state === 'full' && share > 0.7) return 'waiting';
  return share < 0.25 ? 'maybe' : share < 0.5 ? 'no' : undefined;
}

/** Derives names from numbers. `fill.ts` passes SQL expressions instead of numbers. */
export const nameOf = {
  club: (club: number | string) => `club-${club}`,
  event: (club: number | string, number: number | string) => `event-${club}-${number}`,
  email: (person: number | string) => `person-${person}@example.org`,
  accessToken: (person: number | string) => `access-token-of-person-${person}`,
  personalFeed: (person: number | string) => `personal-feed-of-person-${person}`,
  series: (club: number | string) => `series-${club}`,
  clubFeed: (club: number | string, person: number | string) => `feed-of-club-${club}-for-${person}`,
};

/** The id of the row with this name, as `fill.ts` derives it: marked like a random UUID, version 4, variant 8. */
export const idOf = (name: string): string =>
  hash('md5', name).replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-8$4-');

/** The keys that sign answer links: the secret key of the server, and the answer key of each member. */
export const [secretKey, answerKey] = ['a key that only the benchmark of this project uses', 'answer-key'];
