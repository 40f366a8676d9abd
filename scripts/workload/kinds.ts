import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chooser, type Chooser, type Source } from './choose.ts';
import { sendAll, type Next, type Request, type Unit } from './client.ts';
import { clubSlug, eventSlug, type Club } from './population.ts';
import { pick } from './random.ts';
import {
  admin,
  attendance,
  clubFeed,
  clubPage,
  clubPageOfAnyMember,
  edit,
  editOfAny,
  eventPage,
  firstScreen,
  get,
  home,
  personalFeed,
  publish,
  refresh,
  requestCode,
  search,
} from './requests.ts';

/**
 * A kind of request. `open` is called once for each server and returns a function that makes so many units; what that
 * function sends itself is not measured. Both servers get the same units, so that they are left with the same data.
 */
export interface Kind {
  what: string;
  /** About how many units an idle machine with two processors serves: it decides how many make a second. */
  perSecond: number;
  open(source: Source): (count: number) => Promise<Next> | Next;
}

const each = (units: readonly Unit[]): Next => {
  let index = 0;
  return () => units[index++];
};
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

/** Makes each unit when it is sent. */
const read =
  (make: (choose: Chooser, source: Source) => Unit): Kind['open'] =>
  (source) => {
    const choose = chooser(source);
    return (count) => {
      let left = count;
      return () => (left-- > 0 ? make(choose, source) : undefined);
    };
  };

/** Visits each club once, the most popular ones last, so that caches hold what they hold of pages without a change. */
async function visitClubs({ origin, population }: Source): Promise<void> {
  const visits = population.clubs.map((club) => clubPage(club, club.members.at(-1) as number));
  await sendAll(origin, visits.toReversed());
}

/** Begins when all clubs were visited. */
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

/** Makes the units before the first is sent: it takes longer to choose them. */
const write =
  (make: (choose: Chooser, source: Source) => Unit): Kind['open'] =>
  (source) => {
    const choose = chooser(source);
    return (count) => each(times(count, () => make(choose, source)));
  };

/** Feeds as calendar apps ask for them when they know the ETag. A feed may be fetched 60 times an hour: each is ten times. */
const unchangedFeed =
  (feed: (choose: Chooser, source: Source) => Request): Kind['open'] =>
  (source) => {
    const choose = chooser(source);
    return async (count) => {
      const known: Request[] = [];
      const first = times(Math.ceil(count / 10), () => feed(choose, source)).map((request): Request => ({
        ...request,
        onResponse: ({ headers: { etag = '' } }) =>
          known.push({ ...request, headers: { 'if-none-match': etag }, expect: 304 }),
      }));
      await sendAll(source.origin, first);
      return each(times(10, () => known.map((request) => [request])).flat());
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

/** Codes are emailed, and found in the files that stand in for emails. */
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

function mixed(choose: Chooser, source: Source): Unit {
  let left = source.random() * 100;
  const chosen = mixture.find(([weight]) => (left -= weight) < 0) ?? mixture[0];
  return (chosen as (typeof mixture)[number])[1](choose, source);
}

export const kinds: Record<string, Kind> = {
  'club-page': {
    what: 'club page, unchanged',
    perSecond: 400,
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
    perSecond: 120,
    open: read((choose) => {
      const club = choose.club();
      return [get(`/clubs/admin/${clubSlug(club.id)}`, admin(club))];
    }),
  },
  home: { what: 'home, 3 requests', perSecond: 200, open: read((choose) => home(choose.person())) },
  'event-page': { what: 'event page', perSecond: 600, open: read((choose) => [eventPage(choose)]) },
  attend: {
    what: 'attend',
    perSecond: 300,
    open: write((choose) => [attendance('attend', choose.pair(false))]),
  },
  unattend: {
    what: 'unattend',
    perSecond: 400,
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
  notifications: {
    what: 'notifications',
    perSecond: 900,
    open: read((choose) => [get('/notifications', choose.person())]),
  },
  'personal-feed': { what: 'personal feed', perSecond: 400, open: read((choose) => [personalFeed(choose)]) },
  'personal-feed-304': { what: 'personal feed, 304', perSecond: 4000, open: unchangedFeed(personalFeed) },
  'club-feed': {
    what: 'club feed',
    perSecond: 400,
    open: read((choose, source) => [clubFeed(choose, source)]),
  },
  'club-feed-304': { what: 'club feed, 304', perSecond: 4000, open: unchangedFeed(clubFeed) },
  search: { what: 'search', perSecond: 700, open: read((choose, source) => [search(choose, source)]) },
  'screen-home': {
    what: 'first screen: home',
    perSecond: 80,
    open: read((choose, source) => [firstScreen('/app', choose.person(), source)]),
  },
  'screen-club': {
    what: 'first screen: club',
    perSecond: 80,
    open: afterVisits(
      read((choose, source) => {
        const club = choose.club();
        return [firstScreen(`/app/clubs/${clubSlug(club.id)}`, choose.member(club), source)];
      }),
    ),
  },
  'screen-event': {
    what: 'first screen: event',
    perSecond: 160,
    open: read((choose, source) => {
      const event = choose.visitedEvent();
      return [firstScreen(`/app/events/${eventSlug(event)}`, choose.memberOf(event), source)];
    }),
  },
  refresh: {
    what: 'token refresh',
    perSecond: 500,
    open: write((choose, source) => [refresh(source, choose.nextPerson())]),
  },
  login: {
    what: 'login: request a code',
    perSecond: 120,
    open: write((choose) => [requestCode(choose.nextPerson())]),
  },
  'login-confirm': {
    what: 'login: confirm the code',
    perSecond: 150,
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
