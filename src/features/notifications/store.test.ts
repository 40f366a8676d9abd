import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { all, first, inTransaction, run, sql, type Db } from '#platform/db/client.ts';
import { enqueue } from '#platform/jobs/queue.ts';
import type { DomainEvent } from '#features/notifications/rules.ts';
import { everyMember, followers } from '#features/notifications/queries.ts';
import { removeFromNotifications, continueFanOut, notify } from '#features/notifications/store.ts';
import { findLeftovers } from '#test/leftovers.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

/** Larger than the inline limit, and larger than one run of the fan-out job. */
const [large, huge] = [250, 1_200];

let w: World;
let ada: Person;
let bob: Person;
let club: ClubHandle;

beforeAll(async () => {
  w = await world();
  [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
});
afterAll(() => w[Symbol.asyncDispose]());

/** A new club of Ada's with Bob, and no notifications. */
beforeEach(async () => {
  await run(w.db, sql`drop trigger if exists noted on notification_emails`);
  await run(w.db, sql`drop table if exists noted`);
  for (const table of ['notification_fanouts', 'events', 'rate_limits', 'notification_opt_outs'])
    await run(w.db, sql`delete from ${sql.table(table)}`);
  club = await w.club([ada, bob]);
  await clearNotifications();
});

const clearNotifications = async () => {
  for (const table of ['notification_emails', 'notifications'])
    await run(w.db, sql`delete from ${sql.table(table)}`);
};

/** Adds members to the club; returns their ids. */
const manyPeople = async (count: number, db: Db = w.db) =>
  (
    await all(
      db,
      sql<{ id: string }>`
        with people as (
          insert into users (id, email, first_name, calendar_secret, created_at)
          select id, id || '@example.org', 'Crowd', id, now()
          from (select gen_random_uuid() as id from generate_series(1, ${count}::int)) as ids returning id)
        insert into members (club_id, user_id, calendar_secret, joined_at)
        select ${club.id}, id, gen_random_uuid(), now() from people returning user_id as id`,
    )
  ).map(({ id }) => id);

/** Commits `work` but deletes the jobs that it enqueued. */
const withoutJobs = (work: (db: Db) => Promise<unknown>) =>
  inTransaction(w.db, async (db) => {
    await work(db);
    await run(db, sql`delete from jobs where locked_until is null`);
  });

const update = (): DomainEvent => ({
  kind: 'club_update',
  actor: ada.id,
  club_id: club.id,
  cause: crypto.randomUUID(),
  update: 'The boats are back',
  now: w.now(),
});

/** Creates a fan-out for a large audience; returns its id. */
async function createFanOut(domainEvent: DomainEvent, audience = everyMember): Promise<string> {
  await withoutJobs((db) => notify(db, domainEvent, audience));
  const rows = await all(w.db, sql<{ id: string }>`select id from notification_fanouts`);
  expect(rows).toHaveLength(1);
  return rows[0]?.id as string;
}

const isPending = async (id: string) =>
  (await first(w.db, sql`select from notification_fanouts where id = ${id}`)) !== undefined;

async function finishFanOuts(id: string): Promise<void> {
  while (await isPending(id)) await withoutJobs((db) => continueFanOut(db, id, w.now()));
}

/** How many users have a notification and a pending email of this kind, and the maximum per user. */
async function countRecipients(kind: string) {
  const rows = await all(
    w.db,
    sql<{
      times: number;
    }>`select count(*)::int as times from notifications where kind = ${kind} group by user_id`,
  );
  const emails = await all(
    w.db,
    sql<{
      times: number;
    }>`select count(*)::int as times from notification_emails where kind = ${kind} group by user_id`,
  );
  const max = Math.max(0, ...[...rows, ...emails].map(({ times }) => times));
  return { people: rows.length, emails: emails.length, max };
}

/** Records every email that is queued from now on; returns a function that counts them by kind. */
async function recordEmails() {
  await run(w.db, sql`create table noted (user_id uuid, kind text)`);
  await run(
    w.db,
    sql`create or replace function note() returns trigger language plpgsql as $$
        begin insert into noted select user_id, kind from added; return null; end $$`,
  );
  await run(
    w.db,
    sql`create trigger noted after insert on notification_emails referencing new table as added
        for each statement execute function note()`,
  );
  return async (kind: string) => {
    const rows = await all(
      w.db,
      sql<{ times: number }>`select count(*)::int as times from noted where kind = ${kind} group by user_id`,
    );
    return { people: rows.length, max: Math.max(0, ...rows.map(({ times }) => times)) };
  };
}

const pollOptions = { timeout: 20_000 };
const pendingFanOuts = () => all(w.db, sql`select kind from notification_fanouts`);
const fanOutJobs = () =>
  all(
    w.db,
    sql`select from jobs j
        where j.name = 'continue_fan_out'`,
  );

describe('fan-out to a large club', () => {
  test('notifies and emails every member once, except the actor and those who opted out', async () => {
    const people = await manyPeople(huge);
    for (const key of ['club_update', 'email_club_update'])
      await run(
        w.db,
        sql`insert into notification_opt_outs (user_id, key) select id, ${key} from unnest(${people.slice(key === 'club_update' ? -10 : 0)}::uuid[]) as id`,
      );
    const emails = await recordEmails();
    await ada.api.updates.publish({ club: club.id, content: 'The boats are back' });
    await expect.poll(pendingFanOuts, pollOptions).toEqual([]);
    expect(await countRecipients('club_update')).toMatchObject({ people: huge + 1 - 10, max: 1 });
    expect(await emails('club_update')).toEqual({ people: huge + 1, max: 1 });
    expect(await ada.api.notifications.list({})).toEqual([]);
    const [message] = await bob.api.notifications.list({});
    expect(message).toMatchObject({
      message: 'Ada published an update in Harbour Rowers.',
      metadata: { club_slug: club.slug },
    });
    await expect.poll(fanOutJobs).toEqual([]);
  });

  test('starts only if the transaction commits, and is done by a job [C13]', async () => {
    await manyPeople(large);
    const undone = inTransaction(w.db, async (db) => {
      await notify(db, update(), everyMember);
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    expect([await pendingFanOuts(), await fanOutJobs()]).toEqual([[], []]);
    await inTransaction(w.db, async (db) => {
      await notify(db, update(), everyMember);
      expect(await all(db, sql`select kind from notification_fanouts`)).toHaveLength(1);
      expect(await countRecipients('club_update')).toMatchObject({ people: 0 });
    });
    await expect.poll(pendingFanOuts, pollOptions).toEqual([]);
    expect(await countRecipients('club_update')).toMatchObject({ people: large + 1 });
  });

  test('is done within the transaction for two hundred members', async () => {
    await manyPeople(199);
    await withoutJobs((db) => notify(db, update(), everyMember));
    expect(await pendingFanOuts()).toEqual([]);
    expect(await countRecipients('club_update')).toEqual({ people: 200, emails: 200, max: 1 });
  });

  test('notifies each member once when several jobs run concurrently [C12]', async () => {
    await manyPeople(huge);
    const id = await createFanOut(update());
    while (await isPending(id))
      await Promise.all([1, 2, 3, 4].map(() => withoutJobs((db) => continueFanOut(db, id, w.now()))));
    expect(await countRecipients('club_update')).toEqual({ people: huge + 1, emails: huge + 1, max: 1 });
  });

  test('continues where it stopped after a failed job', async () => {
    await manyPeople(huge);
    const id = await createFanOut(update());
    await withoutJobs((db) => continueFanOut(db, id, w.now()));
    const some = await countRecipients('club_update');
    expect(some.people).toBeLessThan(huge);
    const failing = inTransaction(w.db, async (db) => {
      await continueFanOut(db, id, w.now());
      throw new Error('killed');
    });
    await expect(failing).rejects.toThrow('killed');
    expect(await countRecipients('club_update')).toEqual(some);
    await finishFanOuts(id);
    expect(await countRecipients('club_update')).toEqual({ people: huge + 1, emails: huge + 1, max: 1 });
  });

  test('reaches the members at the time of the event, except those who have left since', async () => {
    const people = await manyPeople(large);
    const id = await createFanOut(update());
    await manyPeople(5);
    await run(
      w.db,
      sql`delete from members where club_id = ${club.id} and user_id = any(${people.slice(0, 7)}::uuid[])`,
    );
    await bob.api.notifications.saveSettings({ club_update: false });
    await finishFanOuts(id);
    expect(await countRecipients('club_update')).toEqual({
      people: large - 7,
      emails: large + 1 - 7,
      max: 1,
    });
  });

  test('uses the names at the time of the event', async () => {
    await manyPeople(large);
    const { id: event } = await w.event(club, ada, { name: 'Regatta' });
    await expect.poll(pendingFanOuts, pollOptions).toEqual([]);
    await clearNotifications();
    const about = { actor: ada.id, club_id: club.id, event_id: event, now: w.now() };
    const id = await createFanOut({
      ...about,
      kind: 'event_updated',
      cause: crypto.randomUUID(),
      new_location: 'Pier 4',
    });
    await run(w.db, sql`update events set name = 'Race', slug = 'race' where id = ${event}`);
    await run(w.db, sql`update clubs set club_name = 'Sailors' where id = ${club.id}`);
    await finishFanOuts(id);
    expect((await bob.api.notifications.list({}))[0]).toMatchObject({
      message: 'Ada moved “Regatta” to Pier 4.',
      metadata: { event_name: 'Regatta' },
    });
    const pendingEmail = await first(
      w.db,
      sql<{
        domainEvent: object;
      }>`select payload as "domainEvent" from notification_emails where user_id = ${bob.id}`,
    );
    expect(pendingEmail?.domainEvent).toMatchObject({
      club_name: 'Harbour Rowers',
      event: { name: 'Regatta' },
    });
  });
});

/** An event with these followers and no notifications yet. */
async function followed(people: string[]): Promise<string> {
  const { id: event } = await w.event(club, ada, { name: 'Regatta' });
  await run(
    w.db,
    sql`insert into event_followers (event_id, user_id) select ${event}, id from unnest(${people}::uuid[]) as id`,
  );
  await expect.poll(pendingFanOuts, pollOptions).toEqual([]);
  await clearNotifications();
  return event;
}

const about = (event_id: string) => ({ actor: ada.id, club_id: club.id, event_id, now: w.now() });
const changed = (event: string): DomainEvent => ({
  ...about(event),
  kind: 'event_updated',
  cause: crypto.randomUUID(),
});

describe('cancellation with a large audience', () => {
  test('replaces pending fan-outs of the event [C8]', async () => {
    const event = await followed(await manyPeople(large));
    const id = await createFanOut(changed(event), followers);
    const emails = await recordEmails();
    await ada.api.events.cancel({ event });
    expect(await isPending(id)).toBe(false);
    await expect.poll(pendingFanOuts, pollOptions).toEqual([]);
    expect(await countRecipients('event_updated')).toEqual({ people: 0, emails: 0, max: 0 });
    expect(await countRecipients('event_cancelled')).toMatchObject({ people: large, max: 1 });
    expect(await emails('event_cancelled')).toEqual({ people: large, max: 1 });
  });

  test('deletes the emails of a change whose fan-out is still running [C8]', async () => {
    const event = await followed(await manyPeople(huge));
    const id = await createFanOut(changed(event), followers);
    let cancelled: Promise<unknown> | undefined;
    await withoutJobs(async (db) => {
      await continueFanOut(db, id, w.now());
      cancelled = ada.api.events.cancel({ event });
      const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await expect.poll(() => all(w.db, waiting)).not.toEqual([]);
    });
    await cancelled;
    await expect.poll(pendingFanOuts, pollOptions).toEqual([]);
    expect(await countRecipients('event_updated')).toMatchObject({ people: 1_000, emails: 0 });
    expect(await countRecipients('event_cancelled')).toMatchObject({ people: huge, max: 1 });
  });

  test('reaches former members, also when the club is deleted meanwhile [C12]', async () => {
    const people = await manyPeople(large);
    const event = await followed(people);
    const id = await createFanOut({ ...about(event), kind: 'event_cancelled' }, followers);
    await run(w.db, sql`update events set deleted_at = now() where id = ${event}`);
    await run(w.db, sql`delete from members where user_id = any(${people.slice(0, 3)}::uuid[])`);
    const other = await inTransaction(w.db, async (db) => {
      await notify(db, update(), everyMember);
      await run(db, sql`delete from jobs where locked_until is null`);
      return first(db, sql<{ id: string }>`select id from notification_fanouts where id <> ${id}`);
    });
    await ada.api.clubs.remove({ club: club.id });
    await finishFanOuts(id);
    await finishFanOuts(other?.id as string);
    expect(await countRecipients('event_cancelled')).toEqual({ people: large, emails: large, max: 1 });
    expect(await countRecipients('club_update')).toEqual({ people: 0, emails: 0, max: 0 });
  });

  test('reaches all followers when the club is deleted', async () => {
    await followed(await manyPeople(large));
    const emails = await recordEmails();
    await ada.api.clubs.remove({ club: club.id });
    await expect.poll(pendingFanOuts, pollOptions).toEqual([]);
    expect(await countRecipients('event_cancelled')).toMatchObject({ people: large, max: 1 });
    expect(await emails('event_cancelled')).toEqual({ people: large, max: 1 });
    const rows = await all(
      w.db,
      sql<{ subject: object }>`select distinct subject from notifications where kind = 'event_cancelled'`,
    );
    expect(rows).toEqual([
      { subject: { club_name: 'Harbour Rowers', club_slug: club.slug, event_name: 'Regatta' } },
    ]);
  });
});

const deleteUser = async (db: Db, user: string) => {
  await run(db, sql`select from users where id = ${user} for update`);
  await removeFromNotifications(db, user);
  await run(db, sql`delete from users where id = ${user}`);
};

describe('account deletion', () => {
  test('removes the user from pending fan-outs, as actor and as recipient', async () => {
    const people = await manyPeople(large);
    const [gone = '', late = ''] = people;
    const id = await createFanOut(update());
    await withoutJobs((db) => run(db, sql`update notification_fanouts set actor_id = ${gone}`));
    expect(await findLeftovers(w.db, [gone])).not.toEqual([]);
    await inTransaction(w.db, (db) => deleteUser(db, gone));
    expect(await findLeftovers(w.db, [gone])).toEqual([]);
    // Concurrently with the fan-out that includes them.
    const deleted = inTransaction(w.db, (db) => deleteUser(db, late));
    await Promise.all([deleted, finishFanOuts(id)]);
    expect(await findLeftovers(w.db, [late])).toEqual([]);
    expect(await countRecipients('club_update')).toMatchObject({ people: large + 1 - 2, max: 1 });
    expect((await bob.api.notifications.list({}))[0]?.message).toBe(
      'Someone published an update in Harbour Rowers.',
    );
  });
});

test('notification emails: each reader gets one when they take several transactions [C13]', async () => {
  await manyPeople(600);
  const earlier = (await w.outbox()).length;
  const domainEvent = update();
  const id = await createFanOut(domainEvent);
  await finishFanOuts(id);
  await Promise.all(
    [1, 2].map(() =>
      enqueue(w.db, 'send_notification_emails', { kind: 'club_update', about: domainEvent.cause }),
    ),
  );
  const left = async () =>
    (await first(w.db, sql<{ count: number }>`select count(*) as count from notification_emails`))?.count;
  await expect.poll(left, pollOptions).toBe(0);
  await expect.poll(async () => (await w.outbox()).length, pollOptions).toBe(earlier + 601);
  const readers = (await w.outbox()).slice(earlier).map(({ to }) => to?.[0]?.address);
  expect(new Set(readers).size).toBe(601);
}, 60_000);
