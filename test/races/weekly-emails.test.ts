import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { all, first, openDatabase, run, sql, type Db } from '#platform/db/client.ts';
import { createLog } from '#platform/log.ts';
import { mailWorkers } from '#platform/mail/mailer.ts';
import { startPostgres } from '#platform/postgres/supervisor.ts';
import { prepareDatabase } from '#app/server.ts';
import { startProcess } from '#e2e/server.ts';
import { openMailServer } from '#test/mail-server.ts';
import { undoAll, usedDirectory } from '#test/postgres.ts';
import { rounds, timeout } from '#test/races/people.ts';

afterEach(undoAll);

const isLong = rounds > 5;

/** A database with a weekly email due for each of `count` members, who have not answered an event of the week. */
async function prepared(count: number) {
  const dataDir = await usedDirectory();
  const postgres = await startPostgres({ dataDir, durable: false });
  await prepareDatabase(postgres.url, createLog('silent'));
  const { db, close } = openDatabase(postgres.url, { size: 2, onError: () => {} });
  await run(
    db,
    sql`
      with people as (
        insert into users (id, email, first_name, calendar_secret, created_at)
        select gen_random_uuid(), 'member-' || n || '@example.org', 'Member', gen_random_uuid(), now()
        from generate_series(1, ${count}::int) n returning id),
      club as (
        insert into clubs (id, slug, club_name, created_at) values (gen_random_uuid(), 'race', 'Race', now()) returning id),
      seats as (
        insert into members (club_id, user_id, calendar_secret, joined_at)
        select club.id, people.id, gen_random_uuid(), now() from club, people),
      event as (
        insert into events (id, slug, owner_club_id, name, start_time, end_time, entry_until_time, time_zone, created_at, updated_at)
        select gen_random_uuid(), 'race', id, 'Race', now() + interval '2 days', now() + interval '3 days',
          now() + interval '2 days', 'UTC', now(), now() from club)
      insert into weekly_emails (user_id, next_at, since)
      select id, now() - interval '1 minute', now() - interval '1 week' from people`,
  );
  return { db, dataDir, url: postgres.url, end: () => close().then(() => postgres.stop()) };
}

/** The weekly emails that are still to be enqueued, and those still to be sent. */
async function waiting(db: Db): Promise<{ due: number; jobs: number }> {
  const row = await first(
    db,
    sql<{ due: number; jobs: number }>`
      select (select count(*)::int from weekly_emails where next_at <= now()) as due,
        (select count(*)::int from jobs where name = 'send_weekly_email') as jobs`,
  );
  return row ?? { due: 0, jobs: 0 };
}

async function isWaiting(db: Db): Promise<boolean> {
  const { due, jobs } = await waiting(db);
  return due + jobs > 0;
}

async function allSent(db: Db): Promise<void> {
  await expect
    .poll(() => waiting(db), { timeout: isLong ? 3_600_000 : 60_000, interval: 50 })
    .toEqual({ due: 0, jobs: 0 });
}

const kills = Math.ceil(Math.min(rounds, 100) / 10);

test(
  'weekly emails: nobody gets two from two processes that are killed, and the next one of those who got none starts at the old time [DIGEST-06]',
  async () => {
    const count = kills * 30;
    const accepted: string[] = [];
    const smtp = await openMailServer(async ({ to }) => {
      await sleep(20);
      accepted.push(...to);
    });
    const { db, dataDir, url, end } = await prepared(count);
    const settings = { DATA_DIR: dataDir, DATABASE_URL: url, SMTP_URL: smtp.url };
    for (let kill = 0; kill < kills; kill++) {
      const processes = await Promise.all([startProcess(settings), startProcess(settings)]);
      const before = accepted.length;
      while (accepted.length < before + 10 && (await isWaiting(db))) await sleep(Math.random() * 10);
      await Promise.all(processes.map((each) => each.end('SIGKILL')));
      // Expire the locks, so that the next processes take over the jobs.
      await run(db, sql`update jobs set locked_until = locked_until - interval '1 hour'`);
    }
    const processes = await Promise.all([startProcess(settings), startProcess(settings)]);
    await allSent(db);
    await Promise.all(processes.map((each) => each.end('SIGINT')));
    expect(new Set(accepted).size).toBe(accepted.length);
    const rows = await all(
      db,
      sql<{ email: string; isNoted: boolean }>`
        select u.email, w.since = w.until as "isNoted" from weekly_emails w join users u on u.id = w.user_id`,
    );
    // Of emails in the hands of a killed worker, it is not known whether they were accepted.
    const noted = rows.filter(({ isNoted }) => isNoted).map(({ email }) => email);
    expect(noted.filter((email) => !accepted.includes(email))).toEqual([]);
    expect(count - noted.length).toBeLessThanOrEqual(2 * kills * mailWorkers.all);
    await end();
    await smtp.close();
  },
  timeout * 2,
);

const many = isLong ? 10_000 : 300;

test(
  `weekly emails: ${many} that are due at once are enqueued within five minutes, and a login code meanwhile passes them [DIGEST-08]`,
  async () => {
    let code: { at: number; left: number } | undefined;
    let sent = 0;
    const { db, dataDir, url, end } = await prepared(many);
    const smtp = await openMailServer(async ({ to }) => {
      if (to.includes('late@example.org')) code = { at: performance.now(), left: (await waiting(db)).jobs };
      else sent++;
      await sleep(20);
    });
    const started = performance.now();
    const { origin, end: stop } = await startProcess({
      DATA_DIR: dataDir,
      DATABASE_URL: url,
      SMTP_URL: smtp.url,
    });
    await expect.poll(() => sent, { timeout: 60_000, interval: 5 }).toBeGreaterThan(5);
    const requested = performance.now();
    const response = await fetch(`${origin}/api/v1/auth/login?email=late@example.org`);
    expect(response.status).toBe(200);
    await expect.poll(() => code, { timeout: 30_000, interval: 5 }).toBeDefined();
    await expect.poll(async () => (await waiting(db)).due, { timeout: 300_000 }).toBe(0);
    const enqueued = performance.now() - started;
    const { at = Number.NaN, left = 0 } = code ?? {};
    expect(left).toBeGreaterThan(0);
    process.stdout.write(
      `${many} weekly emails: enqueued in ${Math.round(enqueued)} ms, a code sent in ${Math.round(at - requested)} ms\n`,
    );
    if (isLong) {
      expect(at - requested).toBeLessThan(2000);
      expect(enqueued).toBeLessThan(300_000);
    }
    await allSent(db);
    expect(sent).toBe(many);
    await stop('SIGINT');
    await end();
    await smtp.close();
  },
  timeout * 2 + (isLong ? 1_800_000 : 0),
);
