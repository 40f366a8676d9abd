import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { all, run, sql, type Db } from '#platform/db/client.ts';
import type { Versioned } from '#platform/db/versioned.ts';
import { cursorOf } from '#platform/db/pagination.ts';
import { shared } from '#platform/http/shared.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { eventsOfClub, type ClubFeed } from '#features/calendar/queries.ts';
import { sharedClub } from '#features/clubs/store.ts';
import type { EventCard, Phase } from '#features/events/contract.ts';
import { overlaps, phaseOf } from '#features/events/rules.ts';
import { eventOfViewer, sharedEvent } from '#features/events/page-queries.ts';
import { sharedCard } from '#features/events/queries.ts';
import { outcomeOf } from '#test/calls.ts';
import { manyPeople } from '#test/races/people.ts';
import { viewerOf } from '#test/viewer.ts';
import { isolatedWorld, world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let club: ClubHandle;
beforeAll(async () => {
  w = await world();
  [ada] = (await manyPeople(w, 1)) as [Person];
  club = await w.club([ada]);
});
afterAll(() => w[Symbol.asyncDispose]());

const hour = 3600;

interface Times {
  /** Hours from now. */
  startsIn: number;
  lasts: number;
}

async function createEvents(club_id: string, times: readonly Times[]): Promise<void> {
  const now = w.now();
  const starts = times.map(({ startsIn }) => addSeconds(now, startsIn * hour));
  const ends = times.map(({ startsIn, lasts }) => addSeconds(now, (startsIn + lasts) * hour));
  await run(
    w.db,
    sql`insert into events (id, slug, owner_club_id, name, location_name, start_time, end_time, entry_until_time,
          time_zone, created_at, updated_at)
        select gen_random_uuid(), gen_random_uuid()::text, ${club_id}, 'Event', 'Pier', s, e, s, 'UTC', now(), now()
        from unnest(${starts}::timestamptz[], ${ends}::timestamptz[]) as times (s, e)`,
  );
}

const idsOf = async () => (await all(w.db, sql<{ id: string }>`select id from events`)).map(({ id }) => id);

/** Reads all pages of a phase and runs `between` after each page. */
async function readAllPages(phase: Phase, between = async () => {}): Promise<EventCard[]> {
  const seen: EventCard[] = [];
  for (let after: string | undefined; ;) {
    const { events, more } = await ada.api.events.ofClub({ club: club.slug, phase, ...(after && { after }) });
    expect(events.length).toBeLessThanOrEqual(100);
    seen.push(...events);
    if (more === null) return seen;
    after = more;
    await between();
  }
}

const timeOf = (phase: Phase, { start_time, end_time }: EventCard): Instant =>
  phase === 'upcoming' ? start_time : end_time;
const phases = ['upcoming', 'in_progress', 'previous'] as const;

/** On the half hour, so that no event starts or ends during the test; many share the same time. */
const times = fc.record({
  startsIn: fc.integer({ min: -9, max: 9 }).map((hours) => hours + 0.5),
  lasts: fc.integer({ min: 0, max: 6 }),
});

test('pagination: returns each event once and in order while events are added and deleted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(times, { minLength: 150, maxLength: 500, size: 'max' }),
      fc.array(times, { minLength: 1, maxLength: 5 }),
      async (initial, added) => {
        await run(w.db, sql`delete from events`);
        await createEvents(club.id, initial);
        const before = new Set(await idsOf());
        const found: string[] = [];
        for (const phase of phases) {
          const seen = await readAllPages(phase, async () => {
            await createEvents(club.id, added);
            await run(
              w.db,
              sql`delete from events where id = (select id from events order by md5(id::text) limit 1)`,
            );
          });
          expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
          for (const event of seen) expect(phaseOf(event, w.now())).toBe(phase);
          const order = seen.map((event) => timeOf(phase, event));
          expect(order).toEqual(phase === 'previous' ? order.toSorted().toReversed() : order.toSorted());
          found.push(...seen.map(({ id }) => id));
        }
        const stayed = (await idsOf()).filter((id) => before.has(id));
        expect(stayed.filter((id) => !found.includes(id))).toEqual([]);
      },
    ),
    { numRuns: 8, endOnFailure: true },
  );
});

test('club page: contains the first page and the next cursor of each phase', async () => {
  await run(w.db, sql`delete from events`);
  const many = (count: number, startsIn: (n: number) => number, lasts: number) =>
    createEvents(
      club.id,
      Array.from({ length: count }, (_, n) => ({ startsIn: startsIn(n), lasts })),
    );
  await many(130, (n) => n + 1, 1);
  await many(3, (n) => -n - 1, 10);
  await many(120, (n) => -n - 3, 1);
  const page = await ada.api.clubs.get({ club: club.id });
  expect(page.event_count).toBe(253);
  expect(page.events).toHaveLength(203);
  for (const phase of phases) {
    const { events, more } = await ada.api.events.ofClub({ club: club.id, phase });
    expect(page.more_events[phase]).toBe(more);
    const shown = page.events.filter((event) => phaseOf(event, w.now()) === phase);
    expect(shown.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(
      events.toSorted((a, b) => a.id.localeCompare(b.id)),
    );
  }
  expect(page.more_events).toEqual({
    upcoming: expect.any(String),
    in_progress: null,
    previous: expect.any(String),
  });
  const after = page.more_events.upcoming ?? '';
  const rest = await ada.api.events.ofClub({ club: club.slug, phase: 'upcoming', after });
  expect([rest.events.length, rest.more]).toEqual([30, null]);
});

test('home lists and summaries: contain only the nearest events', async () => {
  await run(w.db, sql`delete from events`);
  await createEvents(
    club.id,
    Array.from({ length: 120 }, (_, n) => ({ startsIn: -n - 1, lasts: 500 })),
  );
  await createEvents(
    club.id,
    Array.from({ length: 150 }, (_, n) => ({ startsIn: 150 - n, lasts: 1 })),
  );
  const home = await ada.api.events.ofMyClubs({});
  expect(home).toHaveLength(200);
  expect(home.at(-1)?.start_time.slice(0, 13)).toBe(addSeconds(w.now(), 100 * hour).slice(0, 13));
  expect(await ada.api.events.cards({ club: club.id })).toHaveLength(100);

  expect(await ada.api.events.attending({})).toEqual([]);
  await run(
    w.db,
    sql`insert into answers (event_id, user_id, attendee_role, answered_at)
        select id, ${ada.id}, 'attendee', now() from events`,
  );
  const attending = await ada.api.events.attending({});
  expect(attending).toHaveLength(200);
  expect(attending.at(-1)?.start_time.slice(0, 13)).toBe(addSeconds(w.now(), 80 * hour).slice(0, 13));
});

test('club events: contain role and conflicting events of the viewer', async () => {
  await run(w.db, sql`delete from events`);
  const hosted = await w.event(club, ada, { name: 'Hosted' });
  await createEvents(club.id, [{ startsIn: 24, lasts: 1 }]);
  const { events } = await ada.api.events.ofClub({ club: club.id });
  expect(
    events.map(({ my_role, conflicting_events }) => [my_role, conflicting_events.map(({ name }) => name)]),
  ).toEqual(
    expect.arrayContaining([
      ['organiser', []],
      [null, ['Hosted']],
    ]),
  );
  expect(events.find(({ id }) => id === hosted.id)?.name).toBe('Hosted');
});

const anyEvent = fc.record({
  startsIn: fc.integer({ min: -60, max: 60 }),
  lasts: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom(23, 24, 25, 100)),
  is_cancelled: fc.boolean(),
  is_attended: fc.boolean(),
  /** Owned by a club that the viewer is not in. */
  is_elsewhere: fc.boolean(),
});

test('conflicting events: until an event ends, the overlapping events that the viewer attends and that are not cancelled [DATA-13]', async () => {
  const elsewhere = randomUUID();
  await run(
    w.db,
    sql`insert into clubs (id, slug, club_name, created_at) values (${elsewhere}, 'left', 'Left', now())`,
  );
  const generated = fc.array(anyEvent, { minLength: 2, maxLength: 30 });
  const now = w.now();
  const property = fc.asyncProperty(generated, async (inputs) => {
    const events = inputs.map(({ startsIn, lasts, ...more }) => ({
      ...more,
      id: randomUUID(),
      polling: false,
      sequence: 0,
      start_time: addSeconds(now, startsIn * hour),
      end_time: addSeconds(now, (startsIn + lasts) * hour),
    }));
    await run(w.db, sql`delete from events`);
    await run(
      w.db,
      sql`insert into events (id, slug, owner_club_id, name, start_time, end_time, entry_until_time, time_zone, created_at,
            updated_at, deleted_at)
          select id, id::text, case when is_elsewhere then ${elsewhere}::uuid else ${club.id}::uuid end, 'Event', start_time,
            end_time, start_time, 'UTC', now(), now(), case when is_cancelled then now() end
          from jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
            as e (id uuid, start_time timestamptz, end_time timestamptz, is_elsewhere bool, is_cancelled bool)`,
    );
    const attended = events.filter(({ is_attended }) => is_attended);
    await run(
      w.db,
      sql`insert into answers (event_id, user_id, answered_at)
          select id, ${ada.id}, now() from unnest(${attended.map(({ id }) => id)}::uuid[]) as id`,
    );
    const viewer = await viewerOf(w.db, ada);
    const seen = await Promise.all(events.map(({ id: ref }) => eventOfViewer(w.db, { viewer, ref, now })));
    const conflictCandidates = attended.filter(
      ({ is_cancelled, is_elsewhere }) => !is_cancelled && !is_elsewhere,
    );
    expect(
      seen.map((event) => [event?.my_role, event?.conflicting_events.map(({ slug }) => slug).toSorted()]),
    ).toEqual(
      events.map((event) => [
        event.is_attended ? 'attendee' : null,
        conflictCandidates
          .filter((other) => event.end_time > now && other !== event && overlaps(other, event))
          .map(({ id }) => id)
          .toSorted(),
      ]),
    );
  });
  await fc.assert(property, { numRuns: 50 });
});

test('club events: of a period, whatever their phase, the earliest first and page by page [CLUBUX-03]', async () => {
  await run(w.db, sql`delete from events`);
  await createEvents(
    club.id,
    Array.from({ length: 250 }, (_, n) => ({ startsIn: n - 125, lasts: 2 })),
  );
  const all = (await Promise.all(phases.map((phase) => readAllPages(phase)))).flat();
  const starts = all.map(({ start_time }) => start_time).toSorted();
  // The first start is in the period, the last is the first after it.
  const [from, until] = [starts[40], starts[190]];
  const found: EventCard[] = [];
  let after: string | null | undefined;
  do {
    const page = await ada.api.events.ofClub({ club: club.slug, from, until, ...(after && { after }) });
    found.push(...page.events);
    after = page.more;
  } while (after);
  expect(found.map(({ start_time }) => start_time)).toEqual(starts.slice(40, 190));
  expect((await ada.api.events.ofClub({ club: club.id, from: starts.at(-1) })).events).toHaveLength(1);
  expect((await ada.api.events.ofClub({ club: club.id, from: until, until: from })).events).toEqual([]);
});

test("club events: 'mine' are those that the user goes to, waits for or may go to [CLUBUX-03]", async () => {
  const [host, bob] = [await w.person('Host'), await w.person('Bob')];
  const own = await w.club([host, bob]);
  const names = ['Going', 'Waiting', 'Maybe', 'No', 'Silent'];
  for (const [n, name] of names.entries()) {
    const { id: event } = await w.event(own, host, {
      name,
      startsIn: n + 1,
      ...(n === 1 && { capacity: 1 }),
    });
    if (name === 'Silent') continue;
    const answer = ({ Maybe: 'maybe', No: 'no' } as const)[name] ?? 'going';
    await bob.api.answers.answer({ event, answer });
  }
  const mine = async ({ api }: Person, input = {}) =>
    (await api.events.ofClub({ club: own.id, whose: 'mine', ...input })).events.map(({ name }) => name);
  expect(await mine(bob)).toEqual(['Going', 'Waiting', 'Maybe']);
  expect(await mine(bob, { from: addSeconds(w.now(), 2.5 * hour) })).toEqual(['Maybe']);
  expect(await mine(bob, { phase: 'previous' })).toEqual([]);
  expect(await mine(host)).toEqual(names);
  expect(await outcomeOf(ada.api.events.ofClub({ club: own.id, whose: 'mine' }))).toBe('404 not_found');
});

test.each([
  ['a malformed cursor', 'x'],
  ['a cursor with an invalid time', cursorOf(['yesterday', '00000000-0000-0000-0000-000000000000'])],
  ['a cursor with an invalid id', cursorOf(['2026-01-01T00:00:00Z', 'x'])],
  ['a cursor of a member list', cursorOf([0, 'Ada', 'Lovelace', '00000000-0000-0000-0000-000000000000'])],
])('club events: %s is bad_input', async (_what, after) => {
  expect(await outcomeOf(ada.api.events.ofClub({ club: club.id, after }))).toBe('400 bad_input');
});

const rowsOf = (db: Db, table: string) => all(db, sql<object>`select * from ${sql.ref(table)}`);

const feed = async (db: Db) => {
  const owner = { club_id: club.id, user_id: ada.id } as ClubFeed;
  const { version, events } = await eventsOfClub(db, owner, w.now());
  return { version, value: events };
};

describe('shared data', () => {
  let older: World;
  let id: string;

  beforeAll(async () => {
    older = await isolatedWorld();
    ({ id } = await w.event(club, ada, { name: 'Run' }));
    // The other database has all rows as they are before the changes below.
    for (const table of [
      'users',
      'clubs',
      'members',
      'events',
      'answers',
      'club_versions',
      'event_versions',
    ]) {
      await run(older.db, sql`alter table ${sql.ref(table)} disable trigger user`);
      const rows = JSON.stringify(await rowsOf(w.db, table));
      await run(
        older.db,
        sql`insert into ${sql.ref(table)} select * from jsonb_populate_recordset(null::${sql.ref(table)}, ${rows}::jsonb)`,
      );
    }
    await ada.api.clubs.update({ club: club.id, club_name: 'Renamed' });
    await ada.api.events.edit({ event: id, club: club.id, name: 'Renamed' });
  });
  afterAll(() => older[Symbol.asyncDispose]());

  test.each([
    ['club page', sharedClub, () => club.id],
    ['event page', sharedEvent, () => id],
    ['card', sharedCard, () => id],
    ['feed', feed, () => id],
  ] as [string, (db: Db, wanted: { id: string }) => Promise<Versioned<unknown> | undefined>, () => string][])(
    'if the database that was read lags behind, its data is not cached under a newer version: %s',
    async (_what, load, key) => {
      const wanted = { id: key(), version: '' };
      const [before, after] = [await load(older.db, wanted), await load(w.db, wanted)];
      expect(JSON.stringify(before?.value)).not.toContain('Renamed');
      expect(JSON.stringify(after?.value)).toContain('Renamed');
      const get = shared(load, (value) => JSON.stringify(value));
      const read = (db: Db, of = after) => get(db, { ...wanted, version: of?.version ?? '' }, w.now());
      expect(await read(older.db)).toBe(JSON.stringify(before?.value));
      expect(await read(w.db)).toBe(JSON.stringify(after?.value));
      expect(await read(older.db)).toBe(JSON.stringify(after?.value));
      // A reader whose database lags behind gets older data, which does not replace the newer data for other readers.
      expect(await read(older.db, before)).toBe(JSON.stringify(before?.value));
      expect(await read(w.db)).toBe(JSON.stringify(after?.value));
    },
  );
});
