import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { all, inTransaction, run, sql } from '#platform/db/client.ts';
import { createLog } from '#platform/log.ts';
import { addSeconds } from '#wire/instant.ts';
import { startServer } from '#app/server.ts';
import { whileHeld } from '#test/calls.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let club: ClubHandle;

beforeAll(async () => {
  w = await world();
  [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
});
beforeEach(async () => {
  await run(w.db, sql`delete from feed_fetches`);
  await run(w.db, sql`delete from rate_limits`);
  club = await w.club([ada, bob]);
});
afterAll(() => w[Symbol.asyncDispose]());

const google = { 'user-agent': 'Google-Calendar-Importer' };
const apple = { 'user-agent': 'iOS/18.5 (22F76) dataaccessd/1.0' };

const clubFeed = async ({ api }: Person, at = club) =>
  `/api/v1/clubs/${at.id}/ical/${(await api.clubs.get({ club: at.id })).ical_feed_url_id}/calendar.ics`;
const ownFeed = async ({ api }: Person) =>
  `/api/v1/users/${(await api.users.me({})).ical_feed_url_id}/ical/calendar.ics`;
const fetchFeed = (path: string, headers: Record<string, string>, method = 'GET') =>
  fetch(w.origin + path, { headers, method });

/** What is stored, by the names of the apps and feeds. */
async function stored() {
  await w.writeFetches();
  return all(
    w.db,
    sql<Record<string, unknown>>`
      select case when user_id = ${ada.id} then 'Ada' else 'Bob' end as who, club_id is null as personal, app, fetched_at
      from feed_fetches order by 1, 2, 3`,
  );
}

test('a fetched feed: is remembered once for each feed and kind of app, with the time of the last fetch, by a 304 too [RELAY-04]', async () => {
  const [path, own] = [await clubFeed(bob), await ownFeed(bob)];
  const first = await fetchFeed(path, google);
  await fetchFeed(own, apple);
  await fetchFeed(path, apple);
  await w.writeFetches();
  w.later('3 hours');
  const before = w.now();
  const tag = String(first.headers.get('etag'));
  const again = await fetchFeed(path, { ...google, 'if-none-match': tag });
  expect(again.status).toBe(304);
  const rows = await stored();
  expect(rows).toMatchObject([
    { who: 'Bob', personal: false, app: 'apple' },
    { who: 'Bob', personal: false, app: 'google' },
    { who: 'Bob', personal: true, app: 'apple' },
  ]);
  expect(rows.map(({ fetched_at }) => String(fetched_at) >= before)).toEqual([false, true, false]);
  // The columns hold neither an address nor a user agent.
  const columns = await all(
    w.db,
    sql`select column_name as name from information_schema.columns where table_name = 'feed_fetches' order by 1`,
  );
  expect(columns).toEqual(['app', 'club_id', 'fetched_at', 'user_id'].map((name) => ({ name })));
  const shown = await bob.api.calendar.fetches({});
  expect(shown.map(({ club_id, app }) => [club_id, app])).toEqual([
    [club.id, 'google'],
    [club.id, 'apple'],
    [null, 'apple'],
  ]);
  expect(await ada.api.calendar.fetches({})).toEqual([]);
});

test('a fetch that shows no calendar: browser pages, HEAD, unknown and old addresses are not remembered [RELAY-04]', async () => {
  const path = await clubFeed(bob);
  await fetchFeed(path, { accept: 'text/html,application/xhtml+xml;q=0.9', 'user-agent': 'Mozilla/5.0' });
  await fetchFeed(path, google, 'HEAD');
  expect((await fetchFeed(`/api/v1/users/unknown/ical/calendar.ics`, google)).status).toBe(404);
  const own = await ownFeed(ada);
  await ada.api.calendar.replaceSecret({});
  expect((await fetchFeed(own, google)).status).toBe(200);
  expect(await stored()).toEqual([]);
});

test('the memory of a feed: ends when its address is replaced and when its owner leaves, also if a fetch is written later [RELAY-04]', async () => {
  const other = await w.club([ada, bob], 'Other');
  const paths = [await clubFeed(bob), await ownFeed(bob), await clubFeed(bob, other), await clubFeed(ada)];
  const fetchAll = () => Promise.all(paths.map((path) => fetchFeed(path, google)));
  await fetchAll();
  expect(await stored()).toHaveLength(4);
  await fetchAll();
  await bob.api.calendar.replaceSecret({});
  await bob.api.calendar.replaceSecret({ club_id: club.id, leaked: true });
  await bob.api.members.leave({ club: other.id });
  expect(await stored()).toMatchObject([{ who: 'Ada' }]);
});

test('a fetch that is written while the address is replaced: is gone afterwards [RELAY-04]', async () => {
  await fetchFeed(await ownFeed(bob), google);
  const held = sql`select from users where id = ${bob.id} for key share`;
  // The replacement waits for its lock, and the write passes it.
  await whileHeld(
    w,
    held,
    () => bob.api.calendar.replaceSecret({}),
    () => w.writeFetches(),
  );
  expect(await stored()).toEqual([]);
});

test('fetches: a hundred cost one statement a minute, and a failed write is repeated [RELAY-05]', async () => {
  const path = await clubFeed(bob);
  for (let n = 0; n < 100; n++) await fetchFeed(path, n % 2 ? google : apple);
  expect(await all(w.db, sql`select from feed_fetches`)).toEqual([]);
  await inTransaction(w.db, async (db) => run(db, sql`alter table feed_fetches rename to lost`));
  await w.writeFetches();
  await inTransaction(w.db, async (db) => run(db, sql`alter table lost rename to feed_fetches`));
  expect(await stored()).toMatchObject([{ app: 'apple' }, { app: 'google' }]);
});

test('fetches: are written each minute, and when the server stops [RELAY-05]', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const server = await startServer({
    config: w.config,
    databaseUrl: w.databaseUrl,
    log: createLog('silent'),
  });
  const seen = () => all(w.db, sql`select app from feed_fetches order by 1`);
  const path = await clubFeed(bob);
  try {
    await fetch(server.origin + path, { headers: google });
    vi.advanceTimersByTime(59_000);
    expect(await seen()).toEqual([]);
    vi.advanceTimersByTime(1000);
    await expect.poll(seen).toEqual([{ app: 'google' }]);
    await fetch(server.origin + path, { headers: apple });
  } finally {
    vi.useRealTimers();
    await server.close();
  }
  expect(await seen()).toEqual([{ app: 'apple' }, { app: 'google' }]);
});

/** A club whose members Bob and Cyd have calendars; the feeds of these apps are fetched by `fetches`. */
async function eventInCalendars() {
  const [cyd, host] = [await w.person('Cyd'), await w.person('Host')];
  const home = await w.club([ada, bob, cyd, host]);
  const { id, slug } = await w.event(home, ada, { startsIn: 72 });
  await bob.api.answers.answer({ event: id, answer: 'maybe' });
  await cyd.api.answers.answer({ event: id, answer: 'no' });
  const feeds = {
    'club feed of Bob': await clubFeed(bob, home),
    'personal feed of Bob': await ownFeed(bob),
    'club feed of Cyd': await clubFeed(cyd, home),
    'personal feed of Cyd': await ownFeed(cyd),
  };
  const fetches = async (names: (keyof typeof feeds)[], app = google) => {
    for (const name of names) await fetchFeed(feeds[name], app);
    await w.writeFetches();
  };
  const known = async (by = ada) => (await by.api.events.get({ event: id })).calendars;
  const edit = (change: object) => ada.api.events.edit({ event: id, club: home.id, ...change });
  const moved = (hours: number) => edit({ start_time: addSeconds(w.now(), hours * 3600) });
  return { id, slug, cyd, home, fetches, known, edit, moved };
}

test('calendars that know: those in use that show the event, once for each feed and app, fetched ten seconds after the move [RELAY-07]', async () => {
  const { id, cyd, fetches, known, moved, edit } = await eventInCalendars();
  await fetches(['club feed of Bob', 'personal feed of Bob', 'club feed of Cyd', 'personal feed of Cyd']);
  await fetches(['club feed of Bob'], apple);
  expect(await known()).toBeNull();
  await moved(80);
  // Cyd said no, so the event is not in the personal feed.
  expect(await known()).toEqual({ about: 'time', known: 0, all: 4 });
  w.later('9 seconds');
  await fetches(['club feed of Bob']);
  expect(await known()).toMatchObject({ known: 0 });
  w.later('2 seconds');
  await fetches(['club feed of Bob', 'personal feed of Bob']);
  expect(await known()).toMatchObject({ known: 2, all: 4 });
  await edit({ description: 'Bring a light' });
  expect(await known()).toMatchObject({ known: 2, all: 4 });
  await ada.api.members.changeRole({
    club: (await ada.api.events.get({ event: id })).owner_club_id,
    member: cyd.id,
    role: 200,
  });
  expect(await known(cyd)).toMatchObject({ known: 2, all: 4 });
  expect(await known(bob)).toBeNull();
});

test('calendars that know: of another place or a cancellation, until the event ends, without those not fetched for 14 days [RELAY-07]', async () => {
  const { id, fetches, known, edit } = await eventInCalendars();
  await edit({ start_time: addSeconds(w.now(), 40 * 86_400) });
  expect(await known()).toBeNull();
  await fetches(['club feed of Bob']);
  w.later('13 days');
  await fetches(['club feed of Cyd']);
  await edit({ location_name: 'Pier 4' });
  expect(await known()).toEqual({ about: 'place', known: 0, all: 2 });
  w.later('2 days');
  expect(await known()).toEqual({ about: 'place', known: 0, all: 1 });
  await fetches(['club feed of Cyd']);
  expect(await known()).toEqual({ about: 'place', known: 1, all: 1 });
  await ada.api.events.cancel({ event: id });
  expect(await known()).toEqual({ about: 'cancelled', known: 0, all: 1 });
  await run(w.db, sql`update events set start_time = now(), end_time = ${w.now()} where id = ${id}`);
  expect(await known()).toBeNull();
});

test('calendars that know: an undone change leaves the one before, which calendars know when fetched after the undo [RELAY-07]', async () => {
  const { id, fetches, known, moved } = await eventInCalendars();
  await moved(80);
  w.later('1 minute');
  await fetches(['club feed of Bob']);
  await moved(90);
  w.later('20 seconds');
  await fetches(['club feed of Bob']);
  expect(await known()).toMatchObject({ about: 'time', known: 1, all: 1 });
  const { undo } = await ada.api.events.get({ event: id });
  await ada.api.events.undo({ event: id, change: undo?.change ?? '' });
  expect(await known()).toMatchObject({ about: 'time', known: 0, all: 1 });
  w.later('20 seconds');
  await fetches(['club feed of Bob']);
  expect(await known()).toMatchObject({ about: 'time', known: 1, all: 1 });
});
