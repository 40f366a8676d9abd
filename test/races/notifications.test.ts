import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { all, first, inTransaction, openDatabase, run, sql } from '#platform/db/client.ts';
import { createLog } from '#platform/log.ts';
import { startPostgres } from '#platform/postgres/supervisor.ts';
import { instant } from '#wire/instant.ts';
import { raise } from '#platform/notices/raise.ts';
import { roleChanged } from '#features/members/notices.ts';
import { everyMember } from '#features/members/queries.ts';
import { prepareDatabase } from '#app/server.ts';
import { startProcess } from '#e2e/server.ts';
import { undoAll, usedDirectory } from '#test/postgres.ts';
import { timeout, rounds } from '#test/races/people.ts';

afterEach(undoAll);

const kills = Math.ceil(Math.min(rounds, 200) / 2);
const members = 5_000;

test(
  'fan-out: every member of a large club gets each notification once, and one merged email, even if processes are killed [C12]',
  async () => {
    const dataDir = await usedDirectory();
    const postgres = await startPostgres({ dataDir, durable: false });
    await prepareDatabase(postgres.url, createLog('silent'));
    const { db, close } = openDatabase(postgres.url, { size: 2, onError: () => {} });
    const [club_id, event_id] = [randomUUID(), randomUUID()];
    const added = await run(
      db,
      sql`
        with club as (
          insert into clubs (id, slug, club_name, created_at) values (${club_id}, 'large', 'Large', now()) returning id
        ), event as (
          insert into events (id, slug, owner_club_id, name, start_time, end_time, entry_until_time, time_zone, created_at,
            updated_at)
          select ${event_id}, 'race', id, 'Race', now() + interval '2 days', now() + interval '3 days', now(), 'UTC', now(),
            now() from club
        ), people as (
          insert into users (id, email, calendar_secret, created_at)
          select id, id || '@example.org', id, now()
          from (select gen_random_uuid() as id from generate_series(1, ${members}::int)) as ids returning id)
        insert into members (club_id, user_id, calendar_secret, joined_at)
        select ${club_id}, id, gen_random_uuid(), now() from people`,
    );
    expect(added).toBe(members);
    const pendingFanouts = async () => (await all(db, sql`select from notice_fanouts`)).length;
    const notificationCount = async () =>
      (await first(db, sql<{ count: number }>`select count(*) as count from notices`))?.count ?? 0;

    const settings = { DATA_DIR: dataDir, DATABASE_URL: postgres.url };
    let started = 0;
    for (let kill = 0; kill < kills; kill++) {
      if ((await pendingFanouts()) === 0) {
        // A kind of notice whose emails are sent with a delay, so that their rows stay and can be counted.
        const raised = {
          facts: { club_id, role: 0, before: { role: 100 } } as const,
          now: instant(Date.now()),
        };
        await inTransaction(db, (db) => raise(db, roleChanged, raised, everyMember(club_id)));
        started++;
      }
      const processes = await Promise.all([startProcess(settings), startProcess(settings)]);
      const before = await notificationCount();
      while ((await notificationCount()) === before && (await pendingFanouts()) > 0) await sleep(5);
      await sleep(Math.random() * 100);
      for (const { end } of processes) await end('SIGKILL');
      // Expire the locks, so that the next processes take over the jobs.
      await run(db, sql`update jobs set run_at = now(), locked_until = locked_until - interval '1 hour'`);
      await run(db, sql`delete from jobs where key is not null`);
    }
    const { end } = await startProcess(settings);
    for (let tries = 0; tries < 600 && (await pendingFanouts()) > 0; tries++) await sleep(50);
    await end('SIGINT');
    expect(await pendingFanouts()).toBe(0);

    const times = await all(
      db,
      sql<{ times: number; people: number }>`
        select times, count(*)::int as people from (
          select m.user_id, (select count(*)::int from notice_emails n where n.user_id = m.user_id) as times
          from members m) as each group by times`,
    );
    // Emails to one person are merged.
    expect(times).toEqual([{ times: 1, people: members }]);
    expect(await notificationCount()).toBe(members * started);
    process.stdout.write(`${started} domain events, two processes killed ${kills} times\n`);
    await close();
    await postgres.stop();
  },
  timeout * 2,
);
