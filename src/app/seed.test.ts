import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { all, inTransaction, sql, type Db } from '#platform/db/client.ts';
import { enqueue } from '#platform/jobs/queue.ts';
import { liveDemo } from '#app/demo/demo.ts';
import { codeIn, memorySession, world, type World } from '#test/world.ts';

const seed = ({ databaseUrl, config }: World) =>
  promisify(execFile)(process.execPath, ['src/app/seed.ts'], {
    env: { ...process.env, DATABASE_URL: databaseUrl, DATA_DIR: config.dataDir },
  });

/** The number of rows that a query returns. */
const found = async (db: Db, query: ReturnType<typeof sql>) => (await all(db, query)).length;

const rowsOf = (db: Db, table: string) => all(db, sql`select to_jsonb(t) as row from ${sql.ref(table)} t`);

const count = async (db: Db, table: string) => found(db, sql`select from ${sql.ref(table)}`);

test('seed: fills an empty database with consistent clubs, and its users can log in', async () => {
  await using w = await world();
  const { stdout } = await seed(w);

  expect(await count(w.db, 'clubs')).toBe(4);
  expect(await count(w.db, 'users')).toBe(60);
  // On some days of the week, the weekly series has one date more within its horizon.
  expect([100, 101]).toContain(await count(w.db, 'events'));
  expect(await count(w.db, 'time_votes')).toBeGreaterThan(10);
  expect(await count(w.db, 'club_updates')).toBeGreaterThan(10);
  expect(await found(w.db, sql`select from posts where event_id is not null`)).toBe(1);
  expect(await found(w.db, sql`select from questions where shared`)).toBe(1);
  const dropOut = sql`
    select from notices n
    join users u on u.id = n.user_id and u.email = 'ada@example.org'
    join events e on e.id = (n.facts ->> 'event_id')::uuid
    join answers a on a.event_id = e.id and a.user_id = n.actor_id and a.answer = 'no' and a.note <> ''
      and a.answered_at > e.start_time - interval '24 hours'
    where n.kind = 'answers_changed'`;
  expect(await found(w.db, dropOut)).toBe(1);
  expect(await count(w.db, 'answers')).toBeGreaterThan(400);

  expect(await found(w.db, sql`select from clubs where organisers_plan`)).toBe(1);
  expect(await found(w.db, sql`select from members where section_ids <> '{}'`)).toBe(14);
  expect(await found(w.db, sql`select from handovers where until > now()`)).toBe(1);
  expect(
    await found(w.db, sql`select from contacts join users on id = user_id where phone <> ''`),
  ).toBeGreaterThan(10);
  expect(await found(w.db, sql`select from club_mutes`)).toBe(1);
  const important = sql`from club_updates where important and id in (select update_id from update_reads)`;
  expect(await found(w.db, sql`select ${important}`)).toBe(1);
  expect(await found(w.db, sql`select from weekly_emails where next_at > now()`)).toBe(1);
  expect(await found(w.db, sql`select from club_log where kind in ('role', 'settings')`)).toBeGreaterThan(5);

  const live = sql`from events where deleted_at is null`;
  expect(await found(w.db, sql`select ${live} and start_time > now()`)).toBeGreaterThan(25);
  expect(await found(w.db, sql`select ${live} and start_time <= now() and end_time > now()`)).toBeGreaterThan(
    1,
  );
  expect(await found(w.db, sql`select ${live} and end_time <= now()`)).toBeGreaterThan(25);
  expect(await found(w.db, sql`select from events where deleted_at is not null`)).toBe(4);
  expect(await found(w.db, sql`select distinct time_zone from events`)).toBe(4);
  const upcoming = sql`join answers a on a.event_id = e.id where e.start_time > now() and e.deleted_at is null`;
  expect(await found(w.db, sql`select from events e ${upcoming} and a.via = 'standing'`)).toBeGreaterThan(40);
  expect(await found(w.db, sql`select from events e ${upcoming} and a.via = 'away'`)).toBeGreaterThan(0);
  expect(await found(w.db, sql`select from events e ${upcoming} and a.answer = 'waiting'`)).toBeGreaterThan(
    10,
  );
  expect(await found(w.db, sql`select from events e ${upcoming} and a.host_no = 3`)).toBeGreaterThan(1);
  const askedAgain = sql`select from events e join event_changes h on h.event_id = e.id and h.asked_again`;
  expect(await found(w.db, sql`${askedAgain} ${upcoming} and a.answered_at < h.changed_at`)).toBeGreaterThan(
    2,
  );

  expect(
    await found(
      w.db,
      sql`select from clubs c where not exists (select from members where club_id = c.id and club_role = 200)`,
    ),
  ).toBe(0);
  expect(
    await found(
      w.db,
      sql`select from events e where not exists
            (select from answers where event_id = e.id and host_no = 1)`,
    ),
  ).toBe(0);
  expect(
    await found(
      w.db,
      sql`select from answers a join events e on e.id = a.event_id
          left join members m on m.club_id = e.owner_club_id and m.user_id = a.user_id
          where m.user_id is null or a.answered_at < m.joined_at or a.answered_at > e.entry_until_time
            or a.answered_at > now()`,
    ),
  ).toBe(0);

  const [, email = ''] = /^ {2}(\S+) .*runs the rowers/m.exec(stdout) ?? [];
  const session = memorySession();
  const api = w.client(session);
  await api.auth.login({ email });
  session.write(await api.auth.confirm({ email, code: codeIn(await w.mail(email)) }));
  const me = await api.users.me({});
  expect(me.first_name).toBe('Ada');
  expect(me.clubs.map(({ club_role }) => club_role).toSorted()).toEqual([0, 0, 200]);
  expect((await api.events.attending({})).length).toBeGreaterThan(3);
});

test('seed: refused if there are clubs already', async () => {
  await using w = await world();
  await w.club([await w.person('Ada')], 'Ours');
  await expect(seed(w)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('clubs here already'),
  });
  expect(await count(w.db, 'clubs')).toBe(1);
});

test('seed: deterministic for the same time, and local times stay the same across a daylight saving change', async () => {
  await using w = await world();
  await inTransaction(w.db, (db) => liveDemo(db, w.config, '2027-03-30T10:00:00.000Z'));
  expect(await count(w.db, 'answers')).toBe(1005);
  const starts = await all(
    w.db,
    sql`select distinct start_time::time as time from events where name = 'Tuesday evening row' order by time`,
  );
  expect(starts).toEqual([{ time: '17:30:00' }, { time: '18:30:00' }]);
});

test('seed: queues no email, and neither do the scheduled jobs of the first start; a login then sends only its code', async () => {
  await using w = await world();
  await seed(w);
  for (const table of ['jobs', 'notification_emails', 'notification_fanouts'])
    expect({ table, rows: (await rowsOf(w.db, table)).length }).toEqual({ table, rows: 0 });

  for (const name of [
    'remind_attendees',
    'enqueue_weekly_emails',
    'pass_times',
    'extend_all_series',
    'delete_expired',
  ])
    await enqueue(w.db, name, {});
  await w.anyone.auth.login({ email: 'ada@example.org' });
  await w.mail('ada@example.org');
  await expect
    .poll(async () => (await w.hurry(), all(w.db, sql`select from jobs where run_at <= now()`)), {
      timeout: 30_000,
    })
    .toEqual([]);
  expect((await w.outbox()).map(({ to }) => to?.[0]?.address)).toEqual(['ada@example.org']);
  expect(await rowsOf(w.db, 'notification_emails')).toEqual([]);
});
