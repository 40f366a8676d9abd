import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { all, first, inTransaction, openDatabase, run, sql, type Db } from '#platform/db/client.ts';
import { createLog } from '#platform/log.ts';
import { mailWorkers } from '#platform/mail/mailer.ts';
import { noticeOf, type AnyNotice } from '#platform/notices/notice.ts';
import { raise } from '#platform/notices/raise.ts';
import { startPostgres } from '#platform/postgres/supervisor.ts';
import { digest, randomToken } from '#platform/token.ts';
import { instant } from '#wire/instant.ts';
import { contracts } from '#features/contracts.ts';
import { prepareDatabase } from '#app/server.ts';
import { startProcess } from '#e2e/server.ts';
import { ask } from '#test/ask.ts';
import { openMailServer } from '#test/mail-server.ts';
import { undoAll, usedDirectory } from '#test/postgres.ts';
import { openPushService, type PushService } from '#test/push-service.ts';
import { rounds, timeout } from '#test/races/people.ts';

afterEach(undoAll);

const isLong = rounds > 5;

async function openDatabaseServer() {
  const dataDir = await usedDirectory();
  const postgres = await startPostgres({ dataDir, durable: false });
  await prepareDatabase(postgres.url, createLog('silent'));
  const { db, close } = openDatabase(postgres.url, { size: 2, onError: () => {} });
  return { db, dataDir, url: postgres.url, end: () => close().then(() => postgres.stop()) };
}

/** People with a session and a device each, inserted directly because requests would be slow. */
async function peopleWithDevices(db: Db, subscriptions: readonly ReturnType<PushService['subscribe']>[]) {
  const people = subscriptions.map(({ endpoint, p256dh, auth }) => ({
    id: randomUUID(),
    session: randomUUID(),
    endpoint,
    p256dh: Buffer.from(p256dh, 'base64url').toString('hex'),
    auth: Buffer.from(auth, 'base64url').toString('hex'),
  }));
  await run(
    db,
    sql`
      with people as (
        select * from jsonb_to_recordset(${JSON.stringify(people)}::jsonb)
          as p (id uuid, session uuid, endpoint text, p256dh text, auth text)),
      accounts as (
        insert into users (id, email, first_name, calendar_secret, created_at)
        select id, id || '@example.org', 'Member', id, now() from people),
      logged_in as (
        insert into sessions (id, user_id, access_hash, access_ends_at, refresh_hash, created_at, used_at, ends_at)
        select session, id, sha256(id::text::bytea), now(), ''::bytea, now(), now(), now() + interval '10 days' from people)
      insert into push_devices (session_id, user_id, endpoint, p256dh, auth, created_at)
      select session, id, endpoint, decode(p256dh, 'hex'), decode(auth, 'hex'), now() from people`,
  );
  return people;
}

/** The pushes that are due and the emails that are still to be sent. */
const due = async (db: Db): Promise<number> => {
  const row = await first(
    db,
    sql<{ count: number }>`
      select (select count(*)::int from pushes where send_at <= now()) + (select count(*)::int from jobs
        where name in ('send_notice', 'continue_notices', 'send_email') and attempts < max_attempts) as count`,
  );
  return row?.count ?? 0;
};

/** Makes due what dead processes have taken, and what waits for another attempt. No process may run meanwhile. */
async function makeDue(db: Db): Promise<void> {
  await run(
    db,
    sql`update jobs set locked_until = locked_until - interval '1 hour', run_at = least(run_at, now())`,
  );
  await run(db, sql`update pushes set send_at = least(send_at, now())`);
}

const kills = Math.min(Math.max(2, Math.ceil(rounds / 10)), 30);
/** The number of people who get a push and an email before each kill. */
const perKill = isLong ? 334 : 100;
/** The number of people of one notice. The emails of more than 200 wait for ten seconds. */
const perNotice = 167;

/** Every 20th device is gone, and every 10th is refused the first time. */
const responseOf = (n: number) => async (nth: number) => {
  await sleep(10 + Math.random() * 30);
  if (n % 20 === 7) return { status: 410 };
  return { status: n % 10 === 3 && nth === 1 ? 503 : 201 };
};
const isGone = (n: number) => n % 20 === 7;

test(
  `pushes and emails: of ${kills * perKill} each, sent by two processes that are killed ${kills} times, no push is lost, each is one notification on its device, and all have an outcome [PUSH-16 KNOW-03]`,
  async () => {
    await using service = await openPushService();
    const mailed: string[] = [];
    const smtp = await openMailServer(async ({ to }) => {
      await sleep(20);
      mailed.push(...to);
    });
    const { db, dataDir, url, end } = await openDatabaseServer();
    const subscriptions = Array.from({ length: kills * perKill }, (_, n) => service.subscribe(responseOf(n)));
    const people = await peopleWithDevices(db, subscriptions);
    const notice = noticeOf('member_removed') as AnyNotice;
    const facts = notice.facts.parse({ club_id: randomUUID(), club_name: 'Harbour Rowers' });
    const settings = { DATA_DIR: dataDir, DATABASE_URL: url, SMTP_URL: smtp.url, PUSH_HOSTS: service.host };
    const start = () => Promise.all([startProcess(settings), startProcess(settings)]);
    for (let kill = 0; kill < kills; kill++) {
      const processes = await start();
      const group = people.slice(kill * perKill, (kill + 1) * perKill).map(({ id }) => id);
      for (let nth = 0; nth < perKill; nth += perNotice) {
        const audience = sql`select id as user_id from users where id = any(${group.slice(nth, nth + perNotice)}::uuid[])`;
        await inTransaction(db, (transaction) =>
          raise(transaction, notice, { facts, now: instant(Date.now()) }, audience),
        );
      }
      const [from, wanted] = [service.received.length + mailed.length, Math.random() * perKill * 1.5];
      while (service.received.length + mailed.length < from + wanted && (await due(db)) > 0)
        await sleep(Math.random() * 10);
      await Promise.all(processes.map((each) => each.end('SIGKILL')));
      await makeDue(db);
    }
    const isWaiting = async () => (await all(db, sql`select from pushes`)).length + (await due(db)) > 0;
    for (let tries = 0; tries < 4 && (await isWaiting()); tries++) {
      await makeDue(db);
      const app = await startProcess(settings);
      await expect.poll(() => due(db), { timeout: isLong ? 3_600_000 : 300_000, interval: 50 }).toBe(0);
      await run(db, sql`select enqueue_job('fail_lost_emails', '{}')`);
      const ended = sql`select from deliveries where state = 'pending' and channel = 'email'`;
      await expect.poll(() => all(db, ended), { timeout: 60_000, interval: 50 }).toEqual([]);
      await app.end('SIGINT');
    }
    expect(await isWaiting()).toBe(false);
    expect(service.errors).toEqual([]);

    const bySubscription = Map.groupBy(service.received, ({ subscription }) => subscription);
    const receivedBy = ({ endpoint }: { endpoint: string }) =>
      bySubscription.get(endpoint.split('/').at(-1) ?? '') ?? [];
    // Each device got its push, and a repeated one replaces the first.
    for (const each of subscriptions) {
      const pushes = receivedBy(each);
      expect(pushes.length).toBeGreaterThan(0);
      expect(
        new Set(pushes.map(({ topic, message }) => `${topic} ${message.tag} ${message.notification}`)).size,
      ).toBe(1);
    }
    const rows = await all(
      db,
      sql<{
        user_id: string;
        channel: string;
        state: string;
      }>`select user_id, channel, state from deliveries`,
    );
    const stateOf = new Map(rows.map(({ user_id, channel, state }) => [`${channel} ${user_id}`, state]));
    expect(rows).toHaveLength(2 * people.length);
    expect(people.map(({ id }) => stateOf.get(`push ${id}`))).toEqual(
      people.map((_, n) => (isGone(n) ? 'failed' : 'accepted')),
    );
    const lost = await all(
      db,
      sql<{ endpoint: string }>`select session_id from push_devices where endpoint is null`,
    );
    expect(lost).toHaveLength(people.filter((_, n) => isGone(n)).length);

    // An email is sent at most once. Of those that a killed process was sending, it is not known whether they were accepted.
    expect(new Set(mailed).size).toBe(mailed.length);
    const failed = people.filter(({ id }) => stateOf.get(`email ${id}`) !== 'accepted');
    expect(failed.map(({ id }) => stateOf.get(`email ${id}`))).toEqual(failed.map(() => 'failed'));
    expect(failed.length).toBeLessThanOrEqual(2 * kills * mailWorkers.all);
    const addresses = new Set(mailed);
    const unsent = people.filter(({ id }) => !addresses.has(`${id}@example.org`));
    expect(unsent.filter((each) => !failed.includes(each))).toEqual([]);

    const first503 = people.filter((_, n) => n % 10 === 3).length;
    const again = service.received.length - people.length - first503;
    // A process sends to at most 50 devices of a push service at a time.
    expect(again).toBeLessThanOrEqual(2 * kills * 50);
    process.stdout.write(
      `${people.length} pushes and emails, ${2 * kills} processes killed: ${again} pushes repeated, ${unsent.length} emails lost, ${failed.length} noted as failed\n`,
    );
    await end();
    await smtp.close();
  },
  timeout * 3 + (isLong ? 1_800_000 : 0),
);

/** The number of devices of one cancellation. */
const many = isLong ? 3000 : 300;

test(
  `pushes: the ${many} devices of one cancellation are handed over within 60 seconds by one process [PUSH-16]`,
  async () => {
    await using service = await openPushService();
    const { db, dataDir, url, end } = await openDatabaseServer();
    const subscriptions = Array.from({ length: many }, () => service.subscribe());
    const people = await peopleWithDevices(db, subscriptions);
    const [host, token] = [people[0]?.id ?? '', randomToken()];
    await run(
      db,
      sql`update sessions set access_hash = ${digest(token)}, access_ends_at = ends_at where user_id = ${host}`,
    );
    const event = await first(
      db,
      sql<{ id: string }>`
        with club as (
          insert into clubs (id, slug, club_name, created_at) values (gen_random_uuid(), 'race', 'Race', now()) returning id),
        seats as (
          insert into members (club_id, user_id, club_role, calendar_secret, joined_at)
          select club.id, users.id, case when users.id = ${host} then 200 else 0 end, gen_random_uuid(), now() from club, users),
        event as (
          insert into events (id, slug, owner_club_id, name, start_time, end_time, entry_until_time, time_zone, created_at, updated_at)
          select gen_random_uuid(), 'race', id, 'Race', now() + interval '2 days', now() + interval '3 days',
            now() + interval '2 days', 'UTC', now(), now() from club returning id),
        answered as (
          insert into answers (event_id, user_id, attendee_role, answered_at, answer)
          select event.id, users.id, case when users.id = ${host} then 'organiser' else 'attendee' end, now(), 'going' from event, users)
        select id from event`,
    );
    await run(db, sql`analyze`);
    const app = await startProcess({ DATA_DIR: dataDir, DATABASE_URL: url, PUSH_HOSTS: service.host });
    const started = performance.now();
    const cancelled = await ask(app.origin, contracts.events.cancel, { event: event?.id ?? '' }, token);
    expect(cancelled.status, cancelled.text).toBe(200);
    await expect.poll(() => service.received.length, { timeout: 120_000, interval: 20 }).toBe(many - 1);
    const seconds = (performance.now() - started) / 1000;
    process.stdout.write(`${many - 1} pushes of one cancellation: handed over in ${seconds.toFixed(1)} s\n`);
    expect(seconds).toBeLessThan(60);
    await expect.poll(() => all(db, sql`select from pushes`), { timeout: 20_000 }).toEqual([]);
    expect(new Set(service.received.map(({ subscription }) => subscription)).size).toBe(many - 1);
    expect(service.errors).toEqual([]);
    await app.end('SIGINT');
    await end();
  },
  timeout * 2,
);
