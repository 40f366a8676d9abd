import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { all, first, inTransaction, run, sql } from '#platform/db/client.ts';
import { addSeconds } from '#wire/instant.ts';
import { manyPeople } from '#test/races/people.ts';
import { isolatedWorld, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let club: ClubHandle;

beforeAll(async () => {
  w = await isolatedWorld();
  ada = await w.person('Ada');
  club = await w.club([ada]);
});
afterAll(() => w[Symbol.asyncDispose]());

/** Milliseconds of CPU time that this process, which runs the app, and the connections of its database have used. */
async function cpuTime(): Promise<number> {
  const { user, system } = process.cpuUsage();
  const connections = await all(
    w.db,
    sql<{ pid: number }>`select pid from pg_stat_activity where datname = current_database()`,
  );
  const used = await Promise.all(connections.map(({ pid }) => cpuTimeOf(pid)));
  return (user + system) / 1000 + used.reduce((sum, each) => sum + each, 0);
}

/** The kernel counts in hundredths of a second. */
async function cpuTimeOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
  return 10 * ((user as number) + (system as number));
}

/**
 * Milliseconds that the work takes on an idle machine: the elapsed time, or the CPU time if that is less because other
 * load delays the work. Only Linux tells the CPU time of other processes.
 */
async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const cpuTimeBefore = process.platform === 'linux' ? await cpuTime() : NaN;
  const started = performance.now();
  await work();
  const elapsed = performance.now() - started;
  return process.platform === 'linux' ? Math.min(elapsed, (await cpuTime()) - cpuTimeBefore) : elapsed;
}

/**
 * The shortest time of 20 tries, because other load also slows processors down. Stops at the first within the limit.
 */
async function fastest(limit: number, work: () => Promise<unknown>): Promise<number> {
  let least = Infinity;
  for (let nth = 0; nth < 20 && least > limit; nth++) {
    // The emails about the try before would compete with this one.
    await run(w.db, sql`delete from jobs where locked_until is null`);
    least = Math.min(least, await milliseconds(work));
  }
  return least;
}

/** Adds members to a club. */
const addMembers = (count: number, to: string) =>
  run(
    w.db,
    sql`with people as (
          insert into users (id, email, first_name, calendar_secret, created_at)
          select gen_random_uuid(), gen_random_uuid() || '@example.org', 'Person ' || n, gen_random_uuid(), now()
          from generate_series(1, ${count}::int) as n returning id)
        insert into members (club_id, user_id, calendar_secret, joined_at)
        select ${to}, id, gen_random_uuid(), now() from people`,
  );

/** Runs `work` without triggers, which would change the versions of pages for each row. */
const withoutTriggers = async (work: () => Promise<unknown>) => {
  await run(w.db, sql`alter table answers disable trigger user`);
  await work();
  await run(w.db, sql`alter table answers enable trigger user`);
};

test('large events: 60 dates of a series with 200 standing answers are created within 2 s [COST-02]', async () => {
  const [host] = (await manyPeople(w, 1)) as [Person];
  const small = await w.club([ada, host], 'Small');
  await addMembers(198, small.id);
  const starts_on = addSeconds(w.now(), 86_400).slice(0, 10);
  const plan = () =>
    ada.api.series.plan({
      club: small.id,
      name: 'Daily run',
      location_name: 'Pier 3',
      freq: 'weekly',
      weekdays: [1, 2, 3, 4, 5],
      local_time: '19:00',
      minutes: 60,
      starts_on,
      everybody: true,
    });
  let id = '';
  expect(await fastest(2000, async () => ({ id } = await plan()))).toBeLessThan(2000);
  const made = await first(
    w.db,
    sql<{ dates: number; answers: number }>`
      select count(distinct e.id)::int as dates, count(*)::int as answers
      from events e join answers a on a.event_id = e.id where e.series_id = ${id}`,
  );
  expect(made).toEqual({ dates: 60, answers: 60 * 200 });
});

test('large events: an event with 5,000 answers moves within 500 ms [COST-02]', async () => {
  const { id } = await w.event(club, ada);
  // The members are added after the event is created, so that they get no email about it.
  await addMembers(4999, club.id);
  const { start_time } = await ada.api.events.get({ event: id });
  await withoutTriggers(() =>
    run(
      w.db,
      sql`insert into answers (event_id, user_id, attendee_role, answered_at, event_start, event_end)
          select e.id, m.user_id, 'attendee', now(), e.start_time, e.end_time
          from events e join members m on m.club_id = e.owner_club_id
          where e.id = ${id} and m.user_id <> ${ada.id}`,
    ),
  );
  await run(w.db, sql`analyze answers`);
  let hours = 0;
  const move = () =>
    ada.api.events.edit({ event: id, club: club.id, start_time: addSeconds(start_time, ++hours * 3600) });
  expect(await fastest(500, move)).toBeLessThan(500);
  expect((await ada.api.events.get({ event: id })).user_count).toBe(5000);
});

interface Explained {
  Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number };
}

/**
 * The number of blocks that the statements of a club page read. Unlike their time, it does not depend on other load.
 * Statements of jobs are left out: they have no parameter with this club.
 */
async function blocksOfPage(id: string): Promise<number> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  await ada.api.clubs.get({ club: id });
  const sent = query.mock.calls as unknown as [{ text?: string }, unknown[] | undefined][];
  query.mockRestore();
  const client = new pg.Client({ connectionString: w.databaseUrl });
  await client.connect();
  let blocks = 0;
  for (const [{ text = '' }, values] of sent.filter(([, values]) => values?.flat().includes(id))) {
    const { rows } = await client.query<{ 'QUERY PLAN': [Explained] }>(
      `explain (analyze, buffers, format json) ${text}`,
      values,
    );
    for (const {
      'QUERY PLAN': [{ Plan: plan }],
    } of rows)
      blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  }
  await client.end();
  return blocks;
}

/** A club with 5,000 members and 100 events. */
async function largeClub(): Promise<string> {
  const { id } = await w.club([ada]);
  await addMembers(4999, id);
  await run(
    w.db,
    sql`insert into events (id, slug, owner_club_id, name, start_time, end_time, entry_until_time, time_zone, created_at,
          updated_at)
        select gen_random_uuid(), gen_random_uuid(), ${id}, 'Run', t, t, t, 'UTC', now(), now()
        from generate_series(1, 100) as n, lateral (select now() + n * interval '1 day') as times (t)`,
  );
  return id;
}

/** Adds an answer to every event of the club: 'going' from one half of the members, or 'no' from the other half. */
const addAnswers = (id: string, answer: 'going' | 'no') =>
  withoutTriggers(() =>
    run(
      w.db,
      sql`insert into answers (event_id, user_id, attendee_role, answered_at, event_start, event_end, answer)
          select e.id, user_id, 'attendee', now(), start_time, end_time, ${answer}
          from events e join (
            select user_id, row_number() over (order by user_id) as n from members where club_id = ${id}) as m
            on (n % 2 = 0) = (${answer} = 'going')
          where e.owner_club_id = ${id}`,
    ),
  );

/**
 * Vacuums and analyzes every table, and returns the share of the answers' pages that index-only scans need not read.
 * The share is 0 while a job of an earlier test holds a snapshot. Without statistics of every table, the plan of a page
 * depends on when autovacuum last ran.
 */
async function visiblePages(): Promise<number | undefined> {
  await sql`vacuum analyze`.execute(w.db);
  const visible = sql<{ share: number }>`
    select relallvisible / relpages::float8 as share from pg_class where oid = 'answers'::regclass`;
  return (await first(w.db, visible))?.share;
}

/** The blocks of the page when every card has to be read, and when all are cached. */
async function blocksOfCards(id: string) {
  await run(w.db, sql`update events set description = description || '.' where owner_club_id = ${id}`);
  await expect.poll(visiblePages, { timeout: 60_000 }).toBeGreaterThan(0.95);
  return { made: await blocksOfPage(id), repeated: await blocksOfPage(id) };
}

test("large events: answers 'can't go' make the club page read at most a fifth more blocks [COST-03]", async () => {
  // Without foreign keys, filling the table takes half as long.
  const keys = sql<{ conname: string }>`
    select conname from pg_constraint where conrelid = 'answers'::regclass and contype = 'f'`;
  // Otherwise jobs of earlier tests would wait for the locks of this test, and this test for theirs.
  const due = sql`select from jobs where run_at <= now() and attempts < max_attempts`;
  await expect.poll(() => all(w.db, due), { timeout: 60_000 }).toEqual([]);
  for (const { conname } of await all(w.db, keys))
    await inTransaction(w.db, (db) => run(db, sql`alter table answers drop constraint ${sql.ref(conname)}`));
  const id = await largeClub();
  await addAnswers(id, 'going');
  const before = await blocksOfCards(id);
  await addAnswers(id, 'no');
  const after = await blocksOfCards(id);
  expect(after.made, 'all cards made anew').toBeLessThanOrEqual(1.2 * before.made);
  expect(after.repeated, 'the page again').toBeLessThanOrEqual(1.2 * before.repeated);
  expect(before.repeated).toBeLessThan(before.made);
});
