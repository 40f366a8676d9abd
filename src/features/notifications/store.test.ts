import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { all, first, inTransaction, run, sql, type Db } from '#platform/db/client.ts';
import { enqueue } from '#platform/jobs/queue.ts';
import {
  everyMember,
  followers,
  removeFromFanOuts,
  continueFanOut,
  notify,
  type DomainEvent,
} from '#features/notifications/store.ts';
import { findLeftovers } from '#test/leftovers.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

/** More than hear of something at once, and more than are told in one transaction. */
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

/** A fresh club of Ada's, in which Bob is, and nobody has been told anything. */
beforeEach(async () => {
  await run(w.db, sql`drop trigger if exists noted on notification_emails`);
  await run(w.db, sql`drop table if exists noted`);
  for (const table of ['notification_fanouts', 'events', 'rate_limits', 'notification_opt_outs'])
    await run(w.db, sql`delete from ${sql.table(table)}`);
  club = await w.club([ada, bob]);
  await quiet();
});

const quiet = async () => {
  for (const table of ['notification_emails', 'notifications'])
    await run(w.db, sql`delete from ${sql.table(table)}`);
};

/** So many more members; answers their ids. */
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

/** Commits something without the jobs that follow from it. */
const aside = (work: (db: Db) => Promise<unknown>) =>
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

/** Notes for a large circle what happened, and answers the row. */
async function noted(domainEvent: DomainEvent, audience = everyMember): Promise<string> {
  await aside((db) => notify(db, domainEvent, audience));
  const rows = await all(w.db, sql<{ id: string }>`select id from notification_fanouts`);
  expect(rows).toHaveLength(1);
  return rows[0]?.id as string;
}

const isUnspread = async (id: string) =>
  (await first(w.db, sql`select from notification_fanouts where id = ${id}`)) !== undefined;

async function finishFanOuts(id: string): Promise<void> {
  while (await isUnspread(id)) await aside((db) => continueFanOut(db, id, w.now()));
}

/** How many heard of something, here and by mail, and how often they did. */
async function heard(kind: string) {
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

/** What is to be mailed, of everything that is told from now on, as it is noted. */
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

const nothingLeft = { timeout: 20_000 };
const unspread = () => all(w.db, sql`select kind from notification_fanouts`);
const tellers = () =>
  all(
    w.db,
    sql`select from jobs j
        where j.name = 'continue_fan_out'`,
  );

describe('news for a large club', () => {
  test('reach everybody once, here and by mail, but who caused them and who wants none', async () => {
    const people = await manyPeople(huge);
    for (const key of ['club_update', 'email_club_update'])
      await run(
        w.db,
        sql`insert into notification_opt_outs (user_id, key) select id, ${key} from unnest(${people.slice(key === 'club_update' ? -10 : 0)}::uuid[]) as id`,
      );
    const emails = await recordEmails();
    await ada.api.updates.publish({ club: club.id, content: 'The boats are back' });
    await expect.poll(unspread, nothingLeft).toEqual([]);
    expect(await heard('club_update')).toMatchObject({ people: huge + 1 - 10, max: 1 });
    expect(await emails('club_update')).toEqual({ people: huge + 1, max: 1 });
    expect(await ada.api.notifications.list({})).toEqual([]);
    const [message] = await bob.api.notifications.list({});
    expect(message).toMatchObject({
      message: 'Ada published an update in Harbour Rowers.',
      metadata: { club_slug: club.slug },
    });
    await expect.poll(tellers).toEqual([]);
  });

  test('are there if what happened was committed, and wait for a job [C13]', async () => {
    await manyPeople(large);
    const undone = inTransaction(w.db, async (db) => {
      await notify(db, update(), everyMember);
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    expect([await unspread(), await tellers()]).toEqual([[], []]);
    await inTransaction(w.db, async (db) => {
      await notify(db, update(), everyMember);
      expect(await all(db, sql`select kind from notification_fanouts`)).toHaveLength(1);
      expect(await heard('club_update')).toMatchObject({ people: 0 });
    });
    await expect.poll(unspread, nothingLeft).toEqual([]);
    expect(await heard('club_update')).toMatchObject({ people: large + 1 });
  });

  test('of two hundred are told in the transaction itself', async () => {
    await manyPeople(199);
    await aside((db) => notify(db, update(), everyMember));
    expect(await unspread()).toEqual([]);
    expect(await heard('club_update')).toEqual({ people: 200, emails: 200, max: 1 });
  });

  test('are told once, however many do so at the same moment [C12]', async () => {
    await manyPeople(huge);
    const id = await noted(update());
    while (await isUnspread(id))
      await Promise.all([1, 2, 3, 4].map(() => aside((db) => continueFanOut(db, id, w.now()))));
    expect(await heard('club_update')).toEqual({ people: huge + 1, emails: huge + 1, max: 1 });
  });

  test('go on where they were when the telling fails in its midst', async () => {
    await manyPeople(huge);
    const id = await noted(update());
    await aside((db) => continueFanOut(db, id, w.now()));
    const some = await heard('club_update');
    expect(some.people).toBeLessThan(huge);
    const failing = inTransaction(w.db, async (db) => {
      await continueFanOut(db, id, w.now());
      throw new Error('killed');
    });
    await expect(failing).rejects.toThrow('killed');
    expect(await heard('club_update')).toEqual(some);
    await finishFanOuts(id);
    expect(await heard('club_update')).toEqual({ people: huge + 1, emails: huge + 1, max: 1 });
  });

  test('are for who was there: not for who came later, nor for who has left', async () => {
    const people = await manyPeople(large);
    const id = await noted(update());
    await manyPeople(5);
    await run(
      w.db,
      sql`delete from members where club_id = ${club.id} and user_id = any(${people.slice(0, 7)}::uuid[])`,
    );
    await bob.api.notifications.saveSettings({ club_update: false });
    await finishFanOuts(id);
    expect(await heard('club_update')).toEqual({ people: large - 7, emails: large + 1 - 7, max: 1 });
  });

  test('say how it was when it happened', async () => {
    await manyPeople(large);
    const { id: event } = await w.event(club, ada, { name: 'Regatta' });
    await expect.poll(unspread, nothingLeft).toEqual([]);
    await quiet();
    const about = { actor: ada.id, club_id: club.id, event_id: event, now: w.now() };
    const id = await noted({
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

/** An event that everybody subscribed to, and nobody has heard of. */
async function followed(people: string[]): Promise<string> {
  const { id: event } = await w.event(club, ada, { name: 'Regatta' });
  await run(
    w.db,
    sql`insert into event_followers (event_id, user_id) select ${event}, id from unnest(${people}::uuid[]) as id`,
  );
  await expect.poll(unspread, nothingLeft).toEqual([]);
  await quiet();
  return event;
}

const about = (event_id: string) => ({ actor: ada.id, club_id: club.id, event_id, now: w.now() });
const changed = (event: string): DomainEvent => ({
  ...about(event),
  kind: 'event_updated',
  cause: crypto.randomUUID(),
});

describe('a cancellation that many are to hear of', () => {
  test('takes the place of what else of the event is still to be told [C8]', async () => {
    const event = await followed(await manyPeople(large));
    const id = await noted(changed(event), followers);
    const emails = await recordEmails();
    await ada.api.events.cancel({ event });
    expect(await isUnspread(id)).toBe(false);
    await expect.poll(unspread, nothingLeft).toEqual([]);
    expect(await heard('event_updated')).toEqual({ people: 0, emails: 0, max: 0 });
    expect(await heard('event_cancelled')).toMatchObject({ people: large, max: 1 });
    expect(await emails('event_cancelled')).toEqual({ people: large, max: 1 });
  });

  test('takes back the letters of a change that is just being told [C8]', async () => {
    const event = await followed(await manyPeople(huge));
    const id = await noted(changed(event), followers);
    let cancelled: Promise<unknown> | undefined;
    await aside(async (db) => {
      await continueFanOut(db, id, w.now());
      cancelled = ada.api.events.cancel({ event });
      const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await expect.poll(() => all(w.db, waiting)).not.toEqual([]);
    });
    await cancelled;
    await expect.poll(unspread, nothingLeft).toEqual([]);
    expect(await heard('event_updated')).toMatchObject({ people: 1_000, emails: 0 });
    expect(await heard('event_cancelled')).toMatchObject({ people: huge, max: 1 });
  });

  test('reaches everybody also when the club is deleted at that moment, or they have left it [C12]', async () => {
    const people = await manyPeople(large);
    const event = await followed(people);
    const id = await noted({ ...about(event), kind: 'event_cancelled' }, followers);
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
    expect(await heard('event_cancelled')).toEqual({ people: large, emails: large, max: 1 });
    expect(await heard('club_update')).toEqual({ people: 0, emails: 0, max: 0 });
  });

  test('reaches everybody when it comes of the deletion of the club', async () => {
    await followed(await manyPeople(large));
    const emails = await recordEmails();
    await ada.api.clubs.remove({ club: club.id });
    await expect.poll(unspread, nothingLeft).toEqual([]);
    expect(await heard('event_cancelled')).toMatchObject({ people: large, max: 1 });
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

const erase = async (db: Db, user: string) => {
  await run(db, sql`select from users where id = ${user} for update`);
  await removeFromFanOuts(db, user);
  await run(db, sql`delete from users where id = ${user}`);
};

describe('who deletes their account', () => {
  test('stands in no news any more, and is waited for by none', async () => {
    const people = await manyPeople(large);
    const [gone = '', late = ''] = people;
    const id = await noted(update());
    await aside((db) => run(db, sql`update notification_fanouts set actor_id = ${gone}`));
    expect(await findLeftovers(w.db, [gone])).not.toEqual([]);
    await inTransaction(w.db, (db) => erase(db, gone));
    expect(await findLeftovers(w.db, [gone])).toEqual([]);
    // At the same moment as they are to be told.
    const erased = inTransaction(w.db, (db) => erase(db, late));
    await Promise.all([erased, finishFanOuts(id)]);
    expect(await findLeftovers(w.db, [late])).toEqual([]);
    expect(await heard('club_update')).toMatchObject({ people: large + 1 - 2, max: 1 });
    expect((await bob.api.notifications.list({}))[0]?.message).toBe(
      'Someone published an update in Harbour Rowers.',
    );
  });
});

test('letters to more readers than one transaction writes come to each of them once [C13]', async () => {
  await manyPeople(600);
  const earlier = (await w.outbox()).length;
  const domainEvent = update();
  const id = await noted(domainEvent);
  await finishFanOuts(id);
  await Promise.all(
    [1, 2].map(() =>
      enqueue(w.db, 'send_notification_emails', { kind: 'club_update', about: domainEvent.cause }),
    ),
  );
  const left = async () =>
    (await first(w.db, sql<{ count: number }>`select count(*) as count from notification_emails`))?.count;
  await expect.poll(left, nothingLeft).toBe(0);
  await expect.poll(async () => (await w.outbox()).length, nothingLeft).toBe(earlier + 601);
  const readers = (await w.outbox()).slice(earlier).map(({ to }) => to?.[0]?.address);
  expect(new Set(readers).size).toBe(601);
}, 60_000);
