import { setTimeout as sleep } from 'node:timers/promises';
import type { Email } from 'postal-mime';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { first, run, sql } from '#platform/db/client.ts';
import type { NudgedList } from '#features/notifications/contract.ts';
import { instant } from '#wire/instant.ts';
import { send } from '#test/calls.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let people: Record<'ada' | 'bob' | 'cyd' | 'dan' | 'gil', Person>;
let club: ClubHandle;
let event: { id: string; slug: string };

beforeAll(async () => {
  w = await world();
  const [ada, bob, cyd, dan, gil] = (await Promise.all(
    ['Ada', 'Bob', 'Cyd', 'Dan', 'Gil'].map((name) => w.person(name)),
  )) as [Person, Person, Person, Person, Person];
  people = { ada, bob, cyd, dan, gil };
});
afterAll(() => w[Symbol.asyncDispose]());

/** An event of Ada's: Bob and Gil have not answered, Cyd has answered 'maybe', Dan is going. */
beforeEach(async () => {
  await run(w.db, sql`delete from rate_limits`);
  await run(w.db, sql`delete from notification_opt_outs`);
  const { ada, bob, cyd, dan, gil } = people;
  club = await w.club([ada, bob, cyd, dan, gil]);
  event = await w.event(club, ada);
  await cyd.api.answers.answer({ event: event.id, answer: 'maybe' });
  await dan.api.answers.attend({ event: event.id });
  await mails();
});

const forget = () => run(w.db, sql`update events set nudged_at = null, nudges = 0, nudged = '[]'`);
/** Makes the last nudges a day older. */
const dayLater = () =>
  run(
    w.db,
    sql`update events set nudged = (
          select jsonb_agg(n || jsonb_build_object('last_at', (n ->> 'last_at')::timestamptz - interval '24 hours'))
          from jsonb_array_elements(nudged) as n) where nudged <> '[]'`,
  );

const apiError = (status: number, error: string) => expect.objectContaining({ status, error });
const nudge = (to: NudgedList, by = people.ada) => by.api.answers.nudge({ event: event.id, to });

/** The names of the members with a notice in the app that their answer is wanted, once for each such notice. */
async function notices(): Promise<string[]> {
  const names: string[] = [];
  for (const [name, { api }] of Object.entries(people)) {
    const messages = (await api.notifications.list({})).filter(
      ({ message, metadata }) => message.includes('would like to know') && metadata.event_slug === event.slug,
    );
    names.push(...messages.map(() => name));
  }
  return names;
}

/** The 'Are you coming?' emails sent so far, after all due email jobs are done. */
async function mails(): Promise<Email[]> {
  await w.hurry();
  const waiting = sql`
    select 1 from jobs where name in ('send_notice', 'continue_notices', 'send_email') and (run_at <= now() or attempts > 0)`;
  for (let tries = 0; tries < 400 && (await first(w.db, waiting)); tries++) await sleep(25);
  return (await w.outbox()).filter(({ subject }) => subject?.startsWith('Are you coming?'));
}

/** The addresses to which an 'Are you coming?' email was sent since `before`. */
const mailed = async (before: readonly Email[]) =>
  (await mails())
    .slice(before.length)
    .map((mail) => mail.to?.[0]?.address)
    .toSorted();
const emails = (...who: Person[]) => who.map(({ email }) => email).toSorted();

test('nudge: reaches the members who have not answered, or those who said maybe, and nobody else [NUDGE-01]', async () => {
  const { bob, gil, cyd } = people;
  let before = await mails();
  expect(await nudge('silent')).toEqual({ nudged: 2 });
  expect(await notices()).toEqual(['bob', 'gil']);
  expect(await mailed(before)).toEqual(emails(bob, gil));
  await forget();
  before = await mails();
  expect(await nudge('maybe')).toEqual({ nudged: 1 });
  expect(await notices()).toEqual(['bob', 'cyd', 'gil']);
  expect(await mailed(before)).toEqual(emails(cyd));
});

test('nudge: never reaches the member who nudges, and a nudge that reaches nobody does not count [NUDGE-01]', async () => {
  const { ada, bob, gil } = people;
  await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
  expect(await nudge('silent', bob)).toEqual({ nudged: 1 });
  expect(await notices()).toEqual(['gil']);
  await forget();
  await gil.api.answers.unattend({ event: event.id });
  expect(await nudge('silent', bob)).toEqual({ nudged: 0 });
  expect(await ada.api.events.get({ event: event.id })).toMatchObject({ nudges: 0, nudged: [] });
});

test('nudge: refused with not_runner for members and organisers of the club, but not for a host without a role [NUDGE-01]', async () => {
  const { ada, bob, dan } = people;
  await ada.api.members.changeRole({ club: club.id, member: dan.id, role: 100 });
  for (const person of [bob, dan])
    await expect(nudge('silent', person)).rejects.toEqual(apiError(403, 'not_runner'));
  await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
  await ada.api.members.changeRole({ club: club.id, member: ada.id, role: 0 });
  expect(await nudge('silent')).toEqual({ nudged: 2 });
  await expect(ada.api.answers.nudge({ event: event.id, to: 'going' as NudgedList })).rejects.toEqual(
    apiError(400, 'bad_input'),
  );
});

test('nudge: each list can be nudged once in 24 hours and three times in total; of twenty concurrent nudges, one succeeds [NUDGE-02]', async () => {
  const line = `POST /v1/events/${event.id}/nudge`;
  const all = await Promise.all(
    Array.from({ length: 20 }, () => send(w, people.ada, line, { to: 'silent' })),
  );
  expect(all.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 429)]);
  expect(await notices()).toEqual(['bob', 'gil']);
  const soon = await send(w, people.ada, line, { to: 'silent' });
  expect([soon.status, soon.error]).toEqual([429, 'nudged_lately']);
  const wait = Number(soon.headers.get('retry-after'));
  expect(wait).toBeGreaterThan(86_300);
  expect(wait).toBeLessThanOrEqual(86_400);
  for (const times of [2, 3]) {
    await dayLater();
    await nudge('silent');
    expect((await people.ada.api.events.get({ event: event.id })).nudged).toMatchObject([
      { list: 'silent', times },
    ]);
  }
  await dayLater();
  await expect(nudge('silent')).rejects.toEqual(apiError(409, 'nudged_enough'));
  expect(await notices()).toEqual(['bob', 'bob', 'bob', 'gil', 'gil', 'gil']);
  // The other lists have counts of their own.
  expect(await nudge('maybe')).toEqual({ nudged: 1 });
  await expect(nudge('maybe')).rejects.toEqual(apiError(429, 'nudged_lately'));
});

test('nudge: the email asks, says when and where and has the three answer links; both settings are on by default [NUDGE-04 LINK-01]', async () => {
  const { bob, gil } = people;
  expect(await bob.api.notifications.settings({})).toMatchObject({
    answer_wanted: true,
    email_answer_wanted: true,
  });
  // Settings that are not in the request keep their value.
  await bob.api.notifications.saveSettings({ new_event: true });
  await gil.api.notifications.saveSettings({ answer_wanted: false, email_answer_wanted: false });
  await run(
    w.db,
    sql`update events set start_time = '2090-11-21T18:00:00Z', end_time = '2090-11-21T20:00:00Z',
        entry_until_time = '2090-11-21T18:00:00Z', time_zone = 'Europe/Berlin' where id = ${event.id}`,
  );
  const before = await mails();
  expect(await nudge('silent')).toEqual({ nudged: 2 });
  expect(await notices()).toEqual(['bob']);
  expect(await mailed(before)).toEqual(emails(bob));
  const mail = (await mails()).at(-1);
  expect(mail?.subject).toBe('Are you coming? Tuesday run, Tue 21 Nov 2090, 7:00 pm');
  expect(mail?.text).toContain("Ada would like to know if you're coming to “Tuesday run”.");
  expect(mail?.text).toContain('When: Tue 21 Nov 2090, 7:00 pm to 9:00 pm\nWhere: Pier 3');
  expect(mail?.text?.match(/\/answer\/[\w-]{64}\?a=\w+/g)?.map((link) => link.split('=')[1])).toEqual([
    'going',
    'maybe',
    'no',
  ]);
  expect(mail?.attachments).toEqual([]);
  expect(mail?.text).toContain('/unsubscribe?');
});

test('nudge: reaches the members who have not confirmed, and asking them again to confirm does not reset the count of nudges [NUDGE-01 NUDGE-02]', async () => {
  const { ada, cyd, dan } = people;
  const ask = (location_name: string) =>
    ada.api.events.edit({ event: event.id, club: club.id, location_name, ask_again: true });
  expect(await nudge('unconfirmed')).toEqual({ nudged: 0 });
  await ask('Hall');
  await dan.api.answers.attend({ event: event.id });
  await mails();
  const before = await mails();
  expect(await nudge('unconfirmed')).toEqual({ nudged: 1 });
  expect(await mailed(before)).toEqual(emails(cyd));
  await ask('Attic');
  await expect(nudge('unconfirmed')).rejects.toEqual(apiError(429, 'nudged_lately'));
  await dayLater();
  const confirm = () => dan.api.answers.attend({ event: event.id });
  expect(await mailedAfter('unconfirmed', confirm)).toEqual(emails(cyd));
  for (const round of ['Cellar', 'Roof']) {
    await ask(round);
    await dayLater();
    if (round === 'Cellar') await nudge('unconfirmed');
  }
  await expect(nudge('unconfirmed')).rejects.toEqual(apiError(409, 'nudged_enough'));
});

test('nudge: refused after the cut-off, the cancellation and the end [NUDGE-05]', async () => {
  const change = (columns: ReturnType<typeof sql>) =>
    run(w.db, sql`update events set ${columns} where id = ${event.id}`);
  await change(sql`entry_until_time = now() - interval '1 minute'`);
  await expect(nudge('silent')).rejects.toEqual(apiError(409, 'event_closed'));
  await change(sql`start_time = now() - interval '2 h', end_time = now() - interval '1 h'`);
  await expect(nudge('silent')).rejects.toEqual(apiError(409, 'event_ended'));
  const other = await w.event(club, people.ada);
  await people.ada.api.events.cancel({ event: other.id });
  await expect(people.ada.api.answers.nudge({ event: other.id, to: 'silent' })).rejects.toEqual(
    apiError(409, 'event_cancelled'),
  );
});

/** Nudges, keeps the emails waiting until `meanwhile` is done, and returns the addresses to which an email was sent. */
async function mailedAfter(to: NudgedList, meanwhile: () => Promise<unknown>): Promise<unknown[]> {
  const before = await mails();
  await sql`create function hold() returns trigger language plpgsql as $$ begin
    if new.name = 'send_notice' then new.run_at := 'infinity'; end if; return new; end $$`.execute(w.db);
  await sql`create trigger hold before insert on jobs for each row execute function hold()`.execute(w.db);
  try {
    await nudge(to);
    await meanwhile();
  } finally {
    await sql`drop function hold cascade`.execute(w.db);
  }
  return mailed(before);
}

test('nudge: a pending email is not sent to members who have answered, nor after the cancellation or the cut-off [NUDGE-05]', async () => {
  const { ada, bob, gil, cyd } = people;
  const id = event.id;
  expect(await mailedAfter('silent', () => bob.api.answers.unattend({ event: id }))).toEqual(emails(gil));
  await forget();
  expect(await mailedAfter('maybe', () => cyd.api.answers.attend({ event: id }))).toEqual([]);
  await forget();
  expect(await mailedAfter('silent', () => ada.api.events.cancel({ event: id }))).toEqual([]);
  event = await w.event(club, ada, { entryUntil: instant(Date.parse(w.now()) + 60_000) });
  const closed = sql`update events set entry_until_time = now() - interval '1 s' where id = ${event.id}`;
  expect(await mailedAfter('silent', () => run(w.db, closed))).toEqual([]);
});
