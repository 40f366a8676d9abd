import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dataOf, sendAll, type Next, type Request, type Unit } from './client.ts';
import {
  accessTokenOf,
  attends,
  clubFeedSecret,
  clubSlug,
  emailOf,
  eventSlug,
  isComing,
  personalFeedSecret,
  type Club,
  type Event,
  type Population,
} from './population.ts';
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

/**
 * A kind of request. `open` is called once for each server and returns a function that makes the requests for so many
 * seconds; what that function sends itself is not measured. `perSecond` is how many units it then makes: a fixed number,
 * so that both servers are left with the same data. Without it, requests are made for as long as there is time.
 */
export interface Kind {
  what: string;
  perSecond?: number;
  open(source: Source): (count: number) => Promise<Next> | Next;
}

const get = (path: string, person: number): Request => ({
  path: `/api/v1${path}`,
  token: accessTokenOf(person),
});
const post = (path: string, person: number, body: object = {}): Request => ({
  ...get(path, person),
  method: 'POST',
  body,
});

const clubPage = (club: Club, person: number) => get(`/clubs/${clubSlug(club.id)}`, person);
const home = (person: number): Unit =>
  ['/users', '/users/events', '/users/clubs/events'].map((path) => get(path, person));
const admin = ({ members }: Club) => members[0] as number;

/** Units without end, or the given ones. */
const endless =
  (make: () => Unit): (() => Next) =>
  () =>
    make;
const each = (units: readonly Unit[]): Next => {
  let index = 0;
  return () => units[index++];
};
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

/** Who does what: clubs by a Zipf distribution, their members uniformly. */
function chooser({ population, random }: Source) {
  const { clubs, people } = population;
  const rank = zipf(clubs.length);
  const shuffled = shuffle(random, [...Array(people).keys()]);
  let last = 0;
  const usedPairs = new Set<string>();
  const coming = ({ events }: Club) => events.filter((event) => isComing(event, population));
  const anyClub = () => clubs[rank(random)] as Club;
  const person = () => below(random, people);
  const member = (club: Club) => pick(random, club.members);
  const until = <T>(make: () => T | undefined): T => {
    for (;;) {
      const made = make();
      if (made !== undefined) return made;
    }
  };
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

interface Pair {
  event: Event;
  person: number;
}

type Chooser = ReturnType<typeof chooser>;

const read =
  (make: (choose: Chooser, source: Source) => Unit): Kind['open'] =>
  (source) => {
    const choose = chooser(source);
    return endless(() => make(choose, source));
  };

/** Visits each club once, the most popular ones last, so that caches hold what they hold of pages without a change. */
async function visitClubs({ origin, population }: Source): Promise<void> {
  const visits = population.clubs.map((club) => clubPage(club, club.members.at(-1) as number));
  await sendAll(origin, visits.toReversed());
}

/** The same, after all clubs were visited. */
const afterVisits =
  (open: Kind['open']): Kind['open'] =>
  (source) => {
    const prepare = open(source);
    let visits: Promise<void> | undefined;
    return async (count) => {
      await (visits ??= visitClubs(source));
      return prepare(count);
    };
  };

const write =
  (make: (choose: Chooser, source: Source) => Unit): Kind['open'] =>
  (source) => {
    const choose = chooser(source);
    return (count) => each(times(count, () => make(choose, source)));
  };

const edit = (event: Event, club: Club, { random }: Source): Request => ({
  ...get(`/events/${eventSlug(event)}/edit/${clubSlug(club.id)}`, admin(club)),
  method: 'PUT',
  body: { description: `Edit ${random()}: please bring warm clothes, something to drink and good spirits.` },
});
const attendance = (action: 'attend' | 'unattend', { event, person }: Pair) =>
  post(`/events/${eventSlug(event)}/${action}`, person);
const publish = (club: Club): Request => ({
  ...post(`/updates/${clubSlug(club.id)}`, admin(club), {
    content: 'The dates of the next season are set. '.repeat(4),
  }),
  expect: 201,
});

const firstScreen = (path: string, person: number, { firstScreenPath, population }: Source): Request => {
  const query = new URLSearchParams({
    path,
    zone: 'Europe/Berlin',
    now: new Date(population.base).toISOString(),
    rows: '8',
  });
  return { path: `${firstScreenPath}?${query}`, token: accessTokenOf(person) };
};

const personalFeed = (choose: Chooser): Request => ({
  path: `/api/v1/users/${personalFeedSecret(choose.person())}/ical/calendar.ics`,
});

/** Calendar apps ask for every feed equally often, so they are chosen by memberships and not by how popular a club is. */
function clubFeed({ person }: Chooser, { population, random }: Source): Request {
  const who = person();
  const club = pick(random, clubsByPerson(population).get(who) as Club[]);
  return { path: `/api/v1/clubs/${clubSlug(club.id)}/ical/${clubFeedSecret(club.id, who)}/calendar.ics` };
}

const memberships = new WeakMap<Population, Map<number, Club[]>>();
function clubsByPerson(population: Population): Map<number, Club[]> {
  const known = memberships.get(population);
  if (known) return known;
  const clubs = new Map<number, Club[]>();
  for (const club of population.clubs)
    for (const person of club.members) clubs.set(person, [...(clubs.get(person) ?? []), club]);
  memberships.set(population, clubs);
  return clubs;
}

/** The same feeds again, as calendar apps ask for them when they know the ETag. A feed may be fetched 60 times an hour. */
const unchangedFeed =
  (feed: (choose: Chooser, source: Source) => Request): Kind['open'] =>
  (source) => {
    const choose = chooser(source);
    return async () => {
      const known: Request[] = [];
      const first = times(400, () => feed(choose, source)).map((request): Request => ({
        ...request,
        onResponse: ({ headers: { etag = '' } }) =>
          known.push({ ...request, headers: { 'if-none-match': etag }, expect: 304 }),
      }));
      await sendAll(source.origin, first);
      let index = 0;
      return () => (index < 30 * known.length ? [known[index++ % known.length] as Request] : undefined);
    };
  };

/** Something changes in each of the clubs: somebody attends, an event is edited, or an update is published. */
async function change(source: Source, choose: Chooser, clubs: readonly Club[]): Promise<void> {
  const changes = clubs.map((club, index): Request => {
    const pair = index % 3 === 0 ? choose.pairIn(club, false) : undefined;
    if (pair) return attendance('attend', pair);
    const [event] = index % 3 < 2 ? choose.coming(club) : [];
    return event ? edit(event, club, source) : publish(club);
  });
  await sendAll(source.origin, changes);
  await source.waitForJobs();
  await source.reset();
}

/** Codes are mailed, and found in the files that stand in for emails. */
async function requestCodes({ origin, outbox, waitForJobs }: Source, people: readonly number[]) {
  const known = new Set(await readdir(outbox).catch((): string[] => []));
  await sendAll(origin, people.map(requestCode));
  await waitForJobs();
  const files = (await readdir(outbox)).filter((file) => file.endsWith('.eml') && !known.has(file));
  const emails = await Promise.all(files.map((file) => readFile(join(outbox, file), 'utf8')));
  return emails.flatMap((email) => {
    const to = /^To: .*?(person-\d+@example\.org)/m.exec(email)?.[1];
    const code = /^Subject: ([A-Z2-9]{6}) /m.exec(email)?.[1];
    return to && code ? [{ to, code }] : [];
  });
}

const requestCode = (person: number): Request => ({
  path: `/api/v1/auth/login?email=${encodeURIComponent(emailOf(person))}`,
});

function refresh({ refreshTokens }: Source, person: number): Request {
  return {
    path: `/api/v1/auth/refresh?token=${encodeURIComponent(refreshTokens[person] as string)}`,
    onResponse(response) {
      const { RefreshToken } = dataOf<{ RefreshToken: { Token: string } }>(response);
      refreshTokens[person] = RefreshToken.Token;
    },
  };
}

const search = (choose: Chooser, { random }: Source): Request =>
  get(
    `/events/clubs/filter?q=${pick(random, ['tra', 'row', 'training', 'club', 'meeting', 'monday'])}`,
    choose.person(),
  );

const clubPageOfAnyMember = (choose: Chooser): Request => {
  const club = choose.club();
  return clubPage(club, choose.member(club));
};
const eventPage = (choose: Chooser): Request => {
  const event = choose.visitedEvent();
  return get(`/events/${eventSlug(event)}`, choose.memberOf(event));
};

/** How many of a hundred requests of the mix are of each kind: mostly reads, one in ten a write. */
const mixture: [weight: number, make: (choose: Chooser, source: Source) => Unit][] = [
  [28, (choose) => [clubPageOfAnyMember(choose)]],
  [16, (choose) => home(choose.person())],
  [16, (choose) => [eventPage(choose)]],
  [8, (choose) => [get('/notifications', choose.person())]],
  [6, (choose, source) => [firstScreen('/app', choose.person(), source)]],
  [8, (choose) => [personalFeed(choose)]],
  [4, (choose, source) => [clubFeed(choose, source)]],
  [2, (choose, source) => [search(choose, source)]],
  [2, (choose, source) => [refresh(source, choose.nextPerson())]],
  [6, (choose) => [attendance('attend', choose.pair(false))]],
  [2, (choose) => [attendance('unattend', choose.pair(true))]],
  [1, (choose, source) => [editOfAny(choose, source)]],
  // Any club, since the most visited one would soon reach its limit of five an hour.
  [1, (_choose, { random, population }) => [publish(pick(random, population.clubs))]],
];

function editOfAny(choose: Chooser, source: Source): Request {
  const event = choose.event(true);
  return edit(event, choose.clubOf(event), source);
}

function mixed(choose: Chooser, source: Source): Unit {
  let left = source.random() * 100;
  const chosen = mixture.find(([weight]) => (left -= weight) < 0) ?? mixture[0];
  return (chosen as (typeof mixture)[number])[1](choose, source);
}

export const kinds: Record<string, Kind> = {
  'club-page': {
    what: 'club page, unchanged',
    open: afterVisits(read((choose) => [clubPageOfAnyMember(choose)])),
  },
  'club-page-changed': {
    what: 'club page after a change',
    perSecond: 80,
    open(source) {
      const choose = chooser(source);
      return async (count) => {
        const clubs = choose.clubs(count);
        await change(source, choose, clubs);
        return each(clubs.map((club) => [clubPage(club, choose.member(club))]));
      };
    },
  },
  'club-page-admin': {
    what: 'club page of an admin',
    open: read((choose) => {
      const club = choose.club();
      return [get(`/clubs/admin/${clubSlug(club.id)}`, admin(club))];
    }),
  },
  home: { what: 'home, 3 requests', open: read((choose) => home(choose.person())) },
  'event-page': { what: 'event page', open: read((choose) => [eventPage(choose)]) },
  attend: {
    what: 'attend',
    perSecond: 250,
    open: write((choose) => [attendance('attend', choose.pair(false))]),
  },
  unattend: {
    what: 'unattend',
    perSecond: 250,
    open: write((choose) => [attendance('unattend', choose.pair(true))]),
  },
  'edit-event': {
    what: 'edit event',
    perSecond: 100,
    open: write((choose, source) => [editOfAny(choose, source)]),
  },
  'publish-update': {
    what: 'publish update',
    perSecond: 20,
    open: (source) => {
      const choose = chooser(source);
      return (count) => each(choose.clubs(count).map((club) => [publish(club)]));
    },
  },
  notifications: { what: 'notifications', open: read((choose) => [get('/notifications', choose.person())]) },
  'personal-feed': { what: 'personal feed', open: read((choose) => [personalFeed(choose)]) },
  'personal-feed-304': { what: 'personal feed, 304', open: unchangedFeed(personalFeed) },
  'club-feed': { what: 'club feed', open: read((choose, source) => [clubFeed(choose, source)]) },
  'club-feed-304': { what: 'club feed, 304', open: unchangedFeed(clubFeed) },
  search: { what: 'search', open: read((choose, source) => [search(choose, source)]) },
  'screen-home': {
    what: 'first screen: home',
    open: read((choose, source) => [firstScreen('/app', choose.person(), source)]),
  },
  'screen-club': {
    what: 'first screen: club',
    open: afterVisits(
      read((choose, source) => {
        const club = choose.club();
        return [firstScreen(`/app/clubs/${clubSlug(club.id)}`, choose.member(club), source)];
      }),
    ),
  },
  'screen-event': {
    what: 'first screen: event',
    open: read((choose, source) => {
      const event = choose.visitedEvent();
      return [firstScreen(`/app/events/${eventSlug(event)}`, choose.memberOf(event), source)];
    }),
  },
  refresh: {
    what: 'token refresh',
    perSecond: 250,
    open: write((choose, source) => [refresh(source, choose.nextPerson())]),
  },
  login: {
    what: 'login: request a code',
    perSecond: 100,
    open: write((choose) => [requestCode(choose.nextPerson())]),
  },
  'login-confirm': {
    what: 'login: confirm the code',
    perSecond: 100,
    open(source) {
      const { nextPerson } = chooser(source);
      return async (count) => {
        const codes = await requestCodes(source, times(count, nextPerson));
        return each(
          codes.map(({ to, code }) => [
            { path: `/api/v1/auth/confirm?email=${encodeURIComponent(to)}&code=${code}` },
          ]),
        );
      };
    },
  },
  mix: { what: 'mix of all', perSecond: 300, open: afterVisits(write(mixed)) },
};
