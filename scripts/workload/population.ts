import { below, hashOf, normal, seededRandom, shuffle } from './random.ts';

/** What a database is filled with. It names no table: `fill.ts` of each checkout knows where everything goes. */
export interface Population {
  /** Everything is dated from this time, in milliseconds. */
  base: number;
  people: number;
  /** The most visited club comes first. */
  clubs: readonly Club[];
  memberships: readonly { club: number; person: number }[];
}

export interface Club {
  id: number;
  name: string;
  /** Numbers of people. The first two are its admins. */
  members: readonly number[];
  events: readonly Event[];
  updates: number;
}

export interface Event {
  club: number;
  number: number;
  name: string;
  start: number;
  end: number;
  /** A number of a person, one of the admins. */
  host: number;
}

export interface PopulationOptions {
  clubs: number;
  seed: number;
  base: number;
}

const hour = 60 * 60 * 1000;
const day = 24 * hour;

const places = [
  'Harbour',
  'Riverside',
  'Northgate',
  'Oakfield',
  'Lakeside',
  'Old Town',
  'Hillcrest',
  'Weston',
];
const activities = [
  'Rowing Club',
  'Chess Circle',
  'Choir',
  'Runners',
  'Book Club',
  'Climbing Group',
  'Board Games',
];
const occasions = ['Training', 'Committee meeting', 'Social evening', 'Away match', 'Class', 'Rehearsal'];
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const at = (items: readonly string[], index: number) => items[index % items.length] as string;

/** The same options make the same population. For each 1,000 clubs there are 20,000 people. */
export function createPopulation({ clubs: count, seed, base }: PopulationOptions): Population {
  const random = seededRandom(seed);
  const people = 20 * count;
  const sizes = shuffle(random, clubSizes(random, count));
  const membersOf = assignMembers(random, people, sizes);
  // A large club is usually visited more than a small one, but not always.
  const popularity = sizes.map((size) => size * Math.exp(normal(random)));
  const byPopularity = [...sizes.keys()].sort(
    (a, b) => (popularity[b] as number) - (popularity[a] as number),
  );
  const clubs = byPopularity.map((original, id): Club => {
    const members = membersOf[original] as number[];
    const isActive = random() < 0.8;
    return {
      id,
      name: `${at(places, id)} ${at(activities, Math.floor(id / places.length))} ${id}`,
      members,
      events: eventsOf(id, members, { base, isActive }),
      updates: isActive ? 10 : 1,
    };
  });
  return {
    base,
    people,
    clubs,
    memberships: clubs.flatMap(({ id, members }) => members.map((person) => ({ club: id, person }))),
  };
}

/** Log-normal with a median of 30; one club has twice as many members as there are clubs, and five half as many. */
function clubSizes(random: () => number, count: number): number[] {
  const large = [2 * count, ...Array.from({ length: 5 }, () => Math.floor(count / 2))];
  const others = Array.from({ length: count - large.length }, () =>
    Math.round(30 * Math.exp(0.85 * normal(random))),
  );
  return [...large, ...others.map((size) => Math.min(Math.max(size, 3), count))];
}

/** Everybody is in one to four clubs, and in none twice. */
function assignMembers(random: () => number, people: number, sizes: readonly number[]): number[][] {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const counts = Array<number>(people).fill(1);
  for (let extra = total - people; extra > 0;) {
    const person = below(random, people);
    const count = counts[person] as number;
    if (count >= 4) continue;
    counts[person] = count + 1;
    extra--;
  }
  const pool = shuffle(
    random,
    counts.flatMap((times, person) => Array<number>(times).fill(person)),
  );
  let next = 0;
  return sizes.map((size) => {
    const members = new Set<number>();
    const repeated: number[] = [];
    while (members.size < size && next < pool.length) {
      const person = pool[next++] as number;
      if (members.has(person)) repeated.push(person);
      else members.add(person);
    }
    // A person who was drawn twice for this club goes to the next one.
    for (const person of repeated) pool[--next] = person;
    return [...members];
  });
}

/** An active club has 40 past events, one a week, and 10 to come; the others have only five past ones. */
function eventsOf(
  club: number,
  members: readonly number[],
  { base, isActive }: { base: number; isActive: boolean },
): Event[] {
  const [past, coming] = isActive ? [40, 10] : [5, 0];
  return Array.from({ length: past + coming }, (_, number) => {
    const weeks = number - past;
    // None starts or ends while the benchmark runs.
    const start = base + weeks * 7 * day + 3 * day + (club % 96) * (hour / 4);
    return {
      club,
      number,
      name: `${at(weekdays, club)} ${at(occasions, club + number)} ${number + 1}`,
      start,
      end: start + 2 * hour,
      host: members[number % 2] as number,
    };
  });
}

/** About a third of the members attend an event, the keen ones more often. The host always does. */
export const attends = ({ club, number, host }: Event, person: number): boolean =>
  person === host || hashOf(club, number, person) < (2 / 3) * hashOf(person);

export const isComing = ({ start }: Event, { base }: Population): boolean => start > base;

export const notificationsPerPerson = 10;

export const clubSlug = (club: number): string => `club-${club}`;
export const eventSlug = ({ club, number }: Event): string => `event-${club}-${number}`;
export const emailOf = (person: number): string => `person-${person}@example.org`;
export const accessTokenOf = (person: number): string => `access-token-of-person-${person}`;
export const personalFeedSecret = (person: number): string => `personal-feed-of-person-${person}`;
export const clubFeedSecret = (club: number, person: number): string => `feed-of-club-${club}-for-${person}`;
