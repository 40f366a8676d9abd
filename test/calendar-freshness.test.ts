import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Email } from 'postal-mime';
import { all, inTransaction, run, sql } from '#platform/db/client.ts';
import { createLog } from '#platform/log.ts';
import { addSeconds } from '#wire/instant.ts';
import { startServer } from '#app/server.ts';
import { dayWithYear } from '#wire/format.ts';
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
  await run(w.db, sql`delete from jobs where name = 'relay'`);
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

/** The stored fetches, each with the owner of the feed, the kind of feed and the app. */
async function stored() {
  await w.writeFetches();
  return all(
    w.db,
    sql<Record<string, unknown>>`
      select case when user_id = ${ada.id} then 'Ada' else 'Bob' end as who, club_id is null as personal, app, fetched_at
      from feed_fetches order by 1, 2, 3`,
  );
}

test('fetches: one row for each feed and kind of app stores the time of the last fetch, even if the response is a 304 [RELAY-04]', async () => {
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

test('fetches: those by browsers or with HEAD, and those of unknown or replaced addresses, are not recorded [RELAY-04]', async () => {
  const path = await clubFeed(bob);
  await fetchFeed(path, { accept: 'text/html,application/xhtml+xml;q=0.9', 'user-agent': 'Mozilla/5.0' });
  await fetchFeed(path, google, 'HEAD');
  expect((await fetchFeed(`/api/v1/users/unknown/ical/calendar.ics`, google)).status).toBe(404);
  const own = await ownFeed(ada);
  await ada.api.calendar.replaceSecret({});
  expect((await fetchFeed(own, google)).status).toBe(200);
  expect(await stored()).toEqual([]);
});

test('fetches: when the address is replaced or the owner leaves, recorded ones are deleted and unwritten ones are dropped [RELAY-04]', async () => {
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

test('a fetch that is written while the address is replaced: is deleted [RELAY-04]', async () => {
  await fetchFeed(await ownFeed(bob), google);
  const held = sql`select from users where id = ${bob.id} for key share`;
  // The replacement has to wait for this lock, but the write of the fetch does not.
  await whileHeld(
    w,
    held,
    () => bob.api.calendar.replaceSecret({}),
    () => w.writeFetches(),
  );
  expect(await stored()).toEqual([]);
});

const seen = () => all(w.db, sql`select app from feed_fetches order by 1`);

/** Starts another server on the world's database. Its timers run only when the test advances them. */
async function serverWithFakeMinutes() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const server = await startServer({
    config: w.config,
    databaseUrl: w.databaseUrl,
    log: createLog('silent'),
  });
  return {
    ...server,
    async close() {
      vi.useRealTimers();
      await server.close();
    },
  };
}

test('fetches: a hundred in a minute are written by one statement, and a failed write is repeated [RELAY-05]', async () => {
  const server = await serverWithFakeMinutes();
  onTestFinished(server.close);
  const path = await clubFeed(bob);
  for (let n = 0; n < 100; n++) await fetch(server.origin + path, { headers: n % 2 ? google : apple });
  expect(await all(w.db, sql`select from feed_fetches`)).toEqual([]);
  await inTransaction(w.db, async (db) => run(db, sql`alter table feed_fetches rename to lost`));
  await server.writeFetches();
  await inTransaction(w.db, async (db) => run(db, sql`alter table lost rename to feed_fetches`));
  await server.writeFetches();
  expect(await stored()).toMatchObject([{ app: 'apple' }, { app: 'google' }]);
});

test('fetches: are written each minute, and when the server stops [RELAY-05]', async () => {
  const server = await serverWithFakeMinutes();
  const path = await clubFeed(bob);
  try {
    await fetch(server.origin + path, { headers: google });
    vi.advanceTimersByTime(59_000);
    expect(await seen()).toEqual([]);
    vi.advanceTimersByTime(1000);
    await expect.poll(seen).toEqual([{ app: 'google' }]);
    await fetch(server.origin + path, { headers: apple });
  } finally {
    await server.close();
  }
  expect(await seen()).toEqual([{ app: 'apple' }, { app: 'google' }]);
});

/** An event of a club whose members Bob and Cyd have feeds. `fetches` fetches feeds, as a calendar app does. */
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
  const calendarsOf = async (by = ada) => (await by.api.events.get({ event: id })).calendars;
  const edit = (change: object) => ada.api.events.edit({ event: id, club: home.id, ...change });
  const moved = (hours: number) => edit({ start_time: addSeconds(w.now(), hours * 3600) });
  return { id, slug, cyd, home, fetches, calendarsOf, edit, moved };
}

test('calendars that know of a change: `all` counts each app and feed in use that shows the event, `known` only those that were fetched at least ten seconds after the change [RELAY-07]', async () => {
  const { id, cyd, fetches, calendarsOf, moved, edit } = await eventInCalendars();
  await fetches(['club feed of Bob', 'personal feed of Bob', 'club feed of Cyd', 'personal feed of Cyd']);
  await fetches(['club feed of Bob'], apple);
  expect(await calendarsOf()).toBeNull();
  await moved(80);
  // Cyd said no, so the event is not in Cyd's personal feed.
  expect(await calendarsOf()).toEqual({ about: 'time', known: 0, all: 4 });
  w.later('9 seconds');
  await fetches(['club feed of Bob']);
  expect(await calendarsOf()).toMatchObject({ known: 0 });
  w.later('2 seconds');
  await fetches(['club feed of Bob', 'personal feed of Bob']);
  expect(await calendarsOf()).toMatchObject({ known: 2, all: 4 });
  await edit({ description: 'Bring a light' });
  expect(await calendarsOf()).toMatchObject({ known: 2, all: 4 });
  await ada.api.members.changeRole({
    club: (await ada.api.events.get({ event: id })).owner_club_id,
    member: cyd.id,
    role: 200,
  });
  expect(await calendarsOf(cyd)).toMatchObject({ known: 2, all: 4 });
  expect(await calendarsOf(bob)).toBeNull();
});

test('calendars that know of a change: are counted for a new place and a cancellation until the event ends, unless they have not been fetched for 14 days [RELAY-07]', async () => {
  const { id, fetches, calendarsOf, edit } = await eventInCalendars();
  await edit({ start_time: addSeconds(w.now(), 40 * 86_400) });
  expect(await calendarsOf()).toBeNull();
  await fetches(['club feed of Bob']);
  w.later('13 days');
  await fetches(['club feed of Cyd']);
  await edit({ location_name: 'Pier 4' });
  expect(await calendarsOf()).toEqual({ about: 'place', known: 0, all: 2 });
  w.later('2 days');
  expect(await calendarsOf()).toEqual({ about: 'place', known: 0, all: 1 });
  await fetches(['club feed of Cyd']);
  expect(await calendarsOf()).toEqual({ about: 'place', known: 1, all: 1 });
  await ada.api.events.cancel({ event: id });
  expect(await calendarsOf()).toEqual({ about: 'cancelled', known: 0, all: 1 });
  await run(w.db, sql`update events set start_time = now(), end_time = ${w.now()} where id = ${id}`);
  expect(await calendarsOf()).toBeNull();
});

test('calendars that know of a change: after an undo, the counts are about the change before the undone one, and a calendar knows of it once it is fetched again [RELAY-07]', async () => {
  const { id, fetches, calendarsOf, moved } = await eventInCalendars();
  await moved(80);
  w.later('1 minute');
  await fetches(['club feed of Bob']);
  await moved(90);
  w.later('20 seconds');
  await fetches(['club feed of Bob']);
  expect(await calendarsOf()).toMatchObject({ about: 'time', known: 1, all: 1 });
  const { undo } = await ada.api.events.get({ event: id });
  await ada.api.events.undo({ event: id, change: undo?.change ?? '' });
  expect(await calendarsOf()).toMatchObject({ about: 'time', known: 0, all: 1 });
  w.later('20 seconds');
  await fetches(['club feed of Bob']);
  expect(await calendarsOf()).toMatchObject({ about: 'time', known: 1, all: 1 });
});

/** Waits for all due jobs, and returns the emails about events to this person, except those about new events. */
async function mailsAbout(person: Person): Promise<Email[]> {
  const due = sql`
    select from jobs where name <> 'relay' and (run_at <= now() or attempts > 0) and attempts < max_attempts`;
  await expect.poll(() => all(w.db, due)).toEqual([]);
  return (await w.outbox()).filter(
    ({ to, subject }) => to?.[0]?.address === person.email && !/code|New event/.test(subject ?? ''),
  );
}

const subjectsTo = async (person: Person) => (await mailsAbout(person)).map(({ subject }) => subject);

/** Runs the follow-up jobs in the order of their times, and returns the hours that were left until each. */
async function relay(): Promise<number[]> {
  const jobs = sql<{ hours: number }>`
    select round(extract(epoch from run_at - now()) / 3600)::float8 as hours from jobs where name = 'relay' order by 1`;
  const hours = (await all(w.db, jobs)).map((job) => job.hours);
  for (let left = hours.length; left > 0; left--) {
    await run(
      w.db,
      sql`with due as (
            update jobs set run_at = now() where id = (
              select id from jobs where name = 'relay' order by run_at limit 1))
          select pg_notify('jobs', '')`,
    );
    await expect.poll(() => all(w.db, jobs)).toHaveLength(left - 1);
  }
  return hours;
}

/**
 * An event that Dan and Eve have not answered, Bob attends, Fay cannot attend and Gus follows. All have fetched the
 * club feed.
 */
async function silentMembers(startsIn = 72) {
  const [dan, eve, fay, gus] = [
    await w.person('Dan'),
    await w.person('Eve'),
    await w.person('Fay'),
    await w.person('Gus'),
  ];
  const home = await w.club([ada, bob, dan, eve, fay, gus]);
  const { id } = await w.event(home, ada, { startsIn });
  await bob.api.answers.attend({ event: id });
  await fay.api.answers.answer({ event: id, answer: 'no' });
  await gus.api.answers.subscribe({ event: id });
  const feeds = new Map<Person, string>();
  for (const person of [ada, bob, dan, eve, fay, gus]) feeds.set(person, await clubFeed(person, home));
  const fetches = async (...people: Person[]) => {
    for (const person of people) await fetchFeed(feeds.get(person) ?? '', google);
    await w.writeFetches();
  };
  await fetches(ada, bob, dan, eve, fay, gus);
  w.later('20 seconds');
  const edit = (change: object) => ada.api.events.edit({ event: id, club: home.id, ...change });
  const moved = (hours: number) => edit({ start_time: addSeconds(w.now(), hours * 3600) });
  return { id, home, dan, eve, fay, gus, fetches, edit, moved };
}

test('a move: members who have not answered and whose calendars have not fetched it get one email, a day before the old or the new start, whichever is earlier [RELAY-08]', async () => {
  const { dan, eve, fay, gus, fetches, moved } = await silentMembers();
  const lateMember = await w.person('Late');
  await moved(96);
  const { id } = (
    await all(w.db, sql<{ id: string }>`select payload ->> 'change' as id from jobs where name = 'relay'`)
  )[0] ?? { id: '' };
  w.later('47 hours');
  await fetches(eve);
  expect(await relay()).toEqual([48]);
  expect(await subjectsTo(dan)).toEqual([expect.stringMatching(/^Moved: Tuesday run → /)]);
  for (const other of [eve, fay, lateMember]) expect(await subjectsTo(other)).toEqual([]);
  // Members who got a notice at once do not get another one, and a second run sends nothing.
  const notices = await all(w.db, sql`select user_id from notices where dedupe_key = ${id} order by 1`);
  expect(notices).toEqual([bob.id, gus.id, dan.id].toSorted().map((user_id) => ({ user_id })));
  await run(
    w.db,
    sql`select enqueue_job('relay', jsonb_build_object('change', ${id}::text), run_at => now() + interval '1 hour')`,
  );
  await relay();
  await w.hurry();
  expect(await subjectsTo(dan)).toHaveLength(1);
});

test('a cancellation or a change of place less than a day before the start: is mailed as soon as it can no longer be undone [RELAY-08]', async () => {
  const { id, dan, eve, fetches, edit } = await silentMembers(20);
  await edit({ location_name: 'Pier 4' });
  w.later('65 seconds');
  await fetches(eve);
  expect(await relay()).toEqual([0]);
  const day = dayWithYear((await ada.api.events.get({ event: id })).start_time, 'UTC');
  expect(await subjectsTo(dan)).toEqual([`Moved: Tuesday run, ${day} → Pier 4`]);
  expect(await subjectsTo(eve)).toEqual([]);
  await ada.api.events.cancel({ event: id, reason: 'weather' });
  await relay();
  expect(await subjectsTo(dan)).toEqual([
    `Moved: Tuesday run, ${day} → Pier 4`,
    `Cancelled: Tuesday run, ${day}`,
  ]);
  expect(await subjectsTo(eve)).toEqual([`Cancelled: Tuesday run, ${day}`]);
});

test('a change that was undone, or that concerns no calendar in use: nobody is mailed [RELAY-08]', async () => {
  const { id, dan, eve, fetches, moved } = await silentMembers();
  await moved(96);
  const { undo } = await ada.api.events.get({ event: id });
  await ada.api.events.undo({ event: id, change: undo?.change ?? '' });
  await relay();
  expect([await subjectsTo(dan), await subjectsTo(eve)]).toEqual([[], []]);
  await moved(24 * 20);
  await run(
    w.db,
    sql`update events set start_time = start_time + interval '20 days', end_time = end_time + interval '20 days' where id = ${id}`,
  );
  w.later('13 days');
  await fetches(eve);
  await run(
    w.db,
    sql`update feed_fetches set fetched_at = fetched_at - interval '2 days' where user_id = ${dan.id}`,
  );
  await relay();
  expect([await subjectsTo(dan), await subjectsTo(eve)]).toEqual([[], []]);
});

test('several moves: members who have not fetched them get one email, with the time in their calendar and the current time [RELAY-08]', async () => {
  const { id, dan, moved } = await silentMembers();
  const { start_time: planned } = await ada.api.events.get({ event: id });
  await moved(96);
  w.later('5 minutes');
  await moved(120);
  w.later('65 seconds');
  expect(await relay()).toEqual([48, 72]);
  expect(await subjectsTo(dan)).toHaveLength(1);
  const { start_time } = await ada.api.events.get({ event: id });
  const [mail] = await mailsAbout(dan);
  const [from, to] = [planned, start_time].map((time) => dayWithYear(time, 'UTC'));
  expect(mail?.text).toMatch(new RegExp(`Was: ${from}, .*\nNow: ${to}, `));
});

test('a move in a club without calendars in use: adds no job [RELAY-08]', async () => {
  const { id } = await w.event(club, ada, { startsIn: 72 });
  await ada.api.events.edit({ event: id, club: club.id, start_time: addSeconds(w.now(), 96 * 3600) });
  expect(await all(w.db, sql`select from jobs where name = 'relay'`)).toEqual([]);
});

describe('emails about an event: contain it as a file', () => {
  const sentence = 'Your calendar shows it at its next refresh.';

  /**
   * An event and a reader. `next` returns the files of the reader's next email about the event, and whether that
   * email contains `sentence`.
   */
  async function attended() {
    const reader = await w.person('Reader');
    const home = await w.club([ada, reader]);
    const { id } = await w.event(home, ada, { startsIn: 72 });
    const next = async (act: () => Promise<unknown>) => {
      const before = (await mailsAbout(reader)).length;
      await act();
      await w.hurry();
      await expect.poll(async () => (await mailsAbout(reader)).length).toBe(before + 1);
      const mail = (await mailsAbout(reader))[before];
      const files =
        mail?.attachments.map(({ content }) => new TextDecoder().decode(content as ArrayBuffer)) ?? [];
      return { files, says: mail?.text?.includes(sentence) };
    };
    const attend = () => reader.api.answers.attend({ event: id });
    const edit = (change: object) => () => ada.api.events.edit({ event: id, club: home.id, ...change });
    const fetches = async (path: string) => {
      await fetchFeed(path, apple);
      await w.writeFetches();
    };
    return { reader, home, id, next, attend, edit, fetches };
  }

  test('for readers without a calendar in use, with the UID of the feeds and without METHOD, ATTENDEE and ORGANIZER [RELAY-09]', async () => {
    const { reader, home, id, next, attend, edit, fetches } = await attended();
    const { files, says } = await next(attend);
    expect(says).toBe(false);
    expect(files).toHaveLength(1);
    expect(files[0]).toContain(`UID:${id}`);
    expect(files[0]).not.toMatch(/^(METHOD|ATTENDEE|ORGANIZER)/m);
    await fetches(await clubFeed(reader, home));
    w.later('15 days');
    await run(
      w.db,
      sql`update events set start_time = start_time + interval '20 days', end_time = end_time + interval '20 days' where id = ${id}`,
    );
    expect(await next(edit({ location_name: 'Pier 4' }))).toMatchObject({
      files: [expect.any(String)],
      says: false,
    });
  });

  test.each([
    ['the club feed', clubFeed],
    ['the personal feed', (person: Person) => ownFeed(person)],
  ])('not for readers who use %s, which shows the event: the email says so [RELAY-09]', async (_, feed) => {
    const { reader, home, id, next, attend, edit, fetches } = await attended();
    await fetches(await feed(reader, home));
    expect(await next(attend)).toEqual({ files: [], says: true });
    expect(await next(edit({ location_name: 'Pier 4' }))).toEqual({ files: [], says: true });
    // No file was mailed, so there is none to withdraw.
    expect(await all(w.db, sql`select from calendar_files where user_id = ${reader.id}`)).toEqual([]);
    expect(await next(() => ada.api.events.cancel({ event: id }))).toEqual({ files: [], says: true });
  });

  test('for followers whose only feed in use does not show it [RELAY-09]', async () => {
    const { reader, id, next, edit, fetches } = await attended();
    await reader.api.answers.subscribe({ event: id });
    await fetches(await ownFeed(reader));
    expect(await next(edit({ location_name: 'Pier 4' }))).toMatchObject({
      files: [expect.any(String)],
      says: false,
    });
  });
});
