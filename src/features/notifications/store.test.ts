import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { all, first, inTransaction, run, sql, type Db } from '#platform/db/client.ts';
import { continueNotices, forgetInNotices, raise } from '#platform/notices/raise.ts';
import { cancelledEvents, followers } from '#features/events/notice-queries.ts';
import { eventCancelled, eventUpdated } from '#features/events/notices.ts';
import { everyMember } from '#features/members/queries.ts';
import { clubUpdate } from '#features/updates/notices.ts';
import { addSeconds } from '#wire/instant.ts';
import { findLeftovers } from '#test/leftovers.ts';
import { newSeries } from '#test/new-series.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

/** Numbers of members: more than the inline limit, and more than one run of the fan-out job handles. */
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
  await run(w.db, sql`drop trigger if exists noted on notice_emails`);
  await run(w.db, sql`drop table if exists noted`);
  for (const table of ['notice_fanouts', 'events', 'rate_limits', 'notification_opt_outs'])
    await run(w.db, sql`delete from ${sql.table(table)}`);
  club = await w.club([ada, bob]);
  await clearNotifications();
});

const clearNotifications = async () => {
  for (const table of ['notice_emails', 'notices']) await run(w.db, sql`delete from ${sql.table(table)}`);
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
    await run(db, sql`delete from jobs where xmin = pg_current_xact_id()::xid`);
  });

type Raise = (db: Db) => Promise<unknown>;

/** Inserts an update. Returns a function that notifies the members of the club. */
async function update(): Promise<Raise> {
  const id = crypto.randomUUID();
  await run(
    w.db,
    sql`insert into club_updates (id, club_id, creator_id, content, created_at)
        values (${id}, ${club.id}, ${ada.id}, 'The boats are back', now())`,
  );
  const raised = { facts: { club_id: club.id, update_id: id }, actor: ada.id, dedupeKey: id, now: w.now() };
  return (db) => raise(db, clubUpdate, raised, everyMember(club.id));
}

/** Creates a fan-out for a large audience; returns its id. */
async function createFanOut(raised: Raise | Promise<Raise>): Promise<string> {
  await withoutJobs(await raised);
  const rows = await all(w.db, sql<{ id: string }>`select id from notice_fanouts`);
  expect(rows).toHaveLength(1);
  return rows[0]?.id as string;
}

const isPending = async (id: string) =>
  (await first(w.db, sql`select from notice_fanouts where id = ${id}`)) !== undefined;

async function finishFanOuts(id: string): Promise<void> {
  while (await isPending(id)) await withoutJobs((db) => continueNotices(db, id, w.now()));
}

/** How many users have a notification and a pending email of this kind, and the maximum per user. */
async function countRecipients(kind: string) {
  const rows = await all(
    w.db,
    sql<{
      times: number;
    }>`select count(*)::int as times from notices where kind = ${kind} group by user_id`,
  );
  const emails = await all(
    w.db,
    sql<{
      times: number;
    }>`select count(*)::int as times from notice_emails where kind = ${kind} group by user_id`,
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
    sql`create trigger noted after insert on notice_emails referencing new table as added
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
const pendingFanOuts = () => all(w.db, sql`select kind from notice_fanouts`);
const fanOutJobs = () =>
  all(
    w.db,
    sql`select from jobs j
        where j.name = 'continue_notices'`,
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
      await (
        await update()
      )(db);
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    expect([await pendingFanOuts(), await fanOutJobs()]).toEqual([[], []]);
    await inTransaction(w.db, async (db) => {
      await (
        await update()
      )(db);
      expect(await all(db, sql`select kind from notice_fanouts`)).toHaveLength(1);
      expect(await countRecipients('club_update')).toMatchObject({ people: 0 });
    });
    await expect.poll(pendingFanOuts, pollOptions).toEqual([]);
    expect(await countRecipients('club_update')).toMatchObject({ people: large + 1 });
  });

  test('is done within the transaction for two hundred members', async () => {
    await manyPeople(199);
    await withoutJobs(async (db) => (await update())(db));
    expect(await pendingFanOuts()).toEqual([]);
    expect(await countRecipients('club_update')).toEqual({ people: 200, emails: 200, max: 1 });
  });

  test('notifies each member once when several jobs run concurrently [C12]', async () => {
    await manyPeople(huge);
    const id = await createFanOut(update());
    while (await isPending(id))
      await Promise.all([1, 2, 3, 4].map(() => withoutJobs((db) => continueNotices(db, id, w.now()))));
    expect(await countRecipients('club_update')).toEqual({ people: huge + 1, emails: huge + 1, max: 1 });
  });

  test('continues where it stopped after a failed job', async () => {
    await manyPeople(huge);
    const id = await createFanOut(update());
    await withoutJobs((db) => continueNotices(db, id, w.now()));
    const some = await countRecipients('club_update');
    expect(some.people).toBeLessThan(huge);
    const failing = inTransaction(w.db, async (db) => {
      await continueNotices(db, id, w.now());
      throw new Error('killed');
    });
    await expect(failing).rejects.toThrow('killed');
    expect(await countRecipients('club_update')).toEqual(some);
    await finishFanOuts(id);
    expect(await countRecipients('club_update')).toEqual({ people: huge + 1, emails: huge + 1, max: 1 });
  });

  test('adds the notices of fewer members at a time if each is about many dates', async () => {
    await manyPeople(large);
    const starts_on = addSeconds(w.now(), 86_400).slice(0, 10);
    const weekdays = [1, 2, 3, 4, 5, 6, 7];
    const { id: series } = await ada.api.series.plan({ ...newSeries, club: club.id, weekdays, starts_on });
    await expect.poll(pendingFanOuts, pollOptions).toEqual([]);
    await clearNotifications();
    const dates = (await ada.api.series.get({ series })).events.map(({ id }) => id);
    expect(dates.length).toBeGreaterThanOrEqual(60);
    const facts = { event_id: dates[0] ?? '', isSeries: true, ...(await cancelledEvents(w.db, dates)) };
    const raised = { facts, actor: ada.id, now: w.now() };
    const id = await createFanOut((db) => raise(db, eventCancelled, raised, everyMember(club.id)));
    await withoutJobs((db) => continueNotices(db, id, w.now()));
    const { people } = await countRecipients('event_cancelled');
    expect(people).toBeGreaterThan(5);
    expect(people).toBeLessThan(50);
    await finishFanOuts(id);
    expect(await countRecipients('event_cancelled')).toMatchObject({ people: large + 1, max: 1 });
  });

  test('reaches everyone who was a member when the update was published, except those who have left since', async () => {
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

  test('uses the current name of the event, even if it was renamed after the fan-out', async () => {
    await manyPeople(large);
    const { id: event } = await w.event(club, ada, { name: 'Regatta' });
    await expect.poll(pendingFanOuts, pollOptions).toEqual([]);
    await clearNotifications();
    const id = await createFanOut(changed(event, () => everyMember(club.id)));
    await run(w.db, sql`update events set name = 'Race', slug = 'race' where id = ${event}`);
    await finishFanOuts(id);
    await run(w.db, sql`update events set name = 'Sprint' where id = ${event}`);
    expect((await bob.api.notifications.list({}))[0]).toMatchObject({
      message: 'Ada moved “Sprint” to Pier 4.',
      metadata: { event_name: 'Sprint', event_slug: 'race' },
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

/** Moves an event to another place. Returns a function that notifies its followers. */
async function changed(event: string, audience = followers): Promise<Raise> {
  const change = crypto.randomUUID();
  await run(
    w.db,
    sql`insert into event_changes (id, event_id, kind, actor_id, changed_at, sequence, before, after, told)
        select ${change}, id, 'edit', ${ada.id}, now(), sequence, '{"location_name": "Pier 3"}',
          '{"location_name": "Pier 4"}', true from events where id = ${event}`,
  );
  await run(w.db, sql`update events set location_name = 'Pier 4' where id = ${event}`);
  const facts = { event_id: event, change, moves: true, before: { [event]: change } };
  return (db) =>
    raise(db, eventUpdated, { facts, actor: ada.id, dedupeKey: change, now: w.now() }, audience(event));
}

const cancellation =
  (event: string): Raise =>
  async (db) => {
    const facts = { event_id: event, isSeries: false, ...(await cancelledEvents(db, [event])) };
    return raise(
      db,
      eventCancelled,
      { facts, actor: ada.id, dedupeKey: event, now: w.now() },
      followers(event),
    );
  };

describe('cancellation with a large audience', () => {
  test('replaces pending fan-outs of the event [C8]', async () => {
    const event = await followed(await manyPeople(large));
    const id = await createFanOut(changed(event));
    const emails = await recordEmails();
    await ada.api.events.cancel({ event });
    await finishFanOuts(id);
    await expect.poll(pendingFanOuts, pollOptions).toEqual([]);
    expect(await countRecipients('event_updated')).toEqual({ people: 0, emails: 0, max: 0 });
    expect(await countRecipients('event_cancelled')).toMatchObject({ people: large, max: 1 });
    expect(await emails('event_cancelled')).toEqual({ people: large, max: 1 });
  });

  test('drops the emails of a change whose fan-out is still running [C8]', async () => {
    const event = await followed(await manyPeople(huge));
    const id = await createFanOut(changed(event));
    await withoutJobs(async (db) => {
      await continueNotices(db, id, w.now());
      await ada.api.events.cancel({ event });
    });
    await finishFanOuts(id);
    await expect.poll(pendingFanOuts, pollOptions).toEqual([]);
    await w.hurry();
    const pending = sql`select from notice_emails where kind = 'event_updated'`;
    await expect.poll(() => all(w.db, pending), { timeout: 100_000 }).toEqual([]);
    expect(await countRecipients('event_updated')).toMatchObject({ people: 1_000 });
    expect(await countRecipients('event_cancelled')).toMatchObject({ people: huge, max: 1 });
    expect((await w.outbox()).filter(({ subject }) => subject?.startsWith('Moved: Regatta'))).toEqual([]);
  });

  test('reaches all followers, even when the club is deleted during the fan-out [C12]', async () => {
    const people = await manyPeople(large);
    const event = await followed(people);
    const id = await createFanOut(cancellation(event));
    await run(w.db, sql`update events set deleted_at = now() where id = ${event}`);
    const other = await inTransaction(w.db, async (db) => {
      await (
        await update()
      )(db);
      await run(db, sql`delete from jobs where locked_until is null`);
      return first(db, sql<{ id: string }>`select id from notice_fanouts where id <> ${id}`);
    });
    await ada.api.clubs.remove({ club: club.id });
    await finishFanOuts(id);
    await finishFanOuts(other?.id as string);
    expect(await countRecipients('event_cancelled')).toMatchObject({ people: large, max: 1 });
    expect(await countRecipients('club_update')).toEqual({ people: 0, emails: 0, max: 0 });
  });

  test('reaches all followers when the club is deleted', async () => {
    await followed(await manyPeople(large));
    const emails = await recordEmails();
    await ada.api.clubs.remove({ club: club.id });
    await expect.poll(pendingFanOuts, pollOptions).toEqual([]);
    expect(await countRecipients('club_deleted')).toMatchObject({ people: large, max: 1 });
    expect(await emails('club_deleted')).toEqual({ people: large, max: 1 });
  });
});

const deleteUser = async (db: Db, user: string) => {
  await run(db, sql`select from users where id = ${user} for update`);
  await forgetInNotices(db, user);
  await run(db, sql`delete from users where id = ${user}`);
};

describe('account deletion', () => {
  test('removes the user from pending fan-outs, as actor and as recipient', async () => {
    const people = await manyPeople(large);
    const [gone = '', remaining = ''] = people;
    const id = await createFanOut(update());
    await withoutJobs((db) => run(db, sql`update notice_fanouts set actor_id = ${gone}`));
    expect(await findLeftovers(w.db, [gone])).not.toEqual([]);
    await inTransaction(w.db, (db) => deleteUser(db, gone));
    expect(await findLeftovers(w.db, [gone])).toEqual([]);
    // Delete a user concurrently with the fan-out that includes them.
    const deleted = inTransaction(w.db, (db) => deleteUser(db, remaining));
    await Promise.all([deleted, finishFanOuts(id)]);
    expect(await findLeftovers(w.db, [remaining])).toEqual([]);
    expect(await countRecipients('club_update')).toMatchObject({ people: large + 1 - 2, max: 1 });
    expect((await bob.api.notifications.list({}))[0]?.message).toBe(
      'Someone published an update in Harbour Rowers.',
    );
  });
});

test('notice emails: each reader gets one email, even if the jobs run several times [C13]', async () => {
  await manyPeople(600);
  const earlier = (await w.outbox()).length;
  const id = await createFanOut(update());
  await finishFanOuts(id);
  for (const _ of [1, 2])
    await run(w.db, sql`select enqueue_job('send_notice', jsonb_build_object('id', id)) from notice_emails`);
  await w.hurry();
  const left = () => all(w.db, sql`select from notice_emails where sent_at is null`);
  await expect.poll(left, { timeout: 40_000 }).toEqual([]);
  await expect.poll(async () => (await w.outbox()).length, pollOptions).toBe(earlier + 601);
  const readers = (await w.outbox()).slice(earlier).map(({ to }) => to?.[0]?.address);
  expect(new Set(readers).size).toBe(601);
}, 60_000);
