import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { outcomeOf, send, whileHeld } from '#test/calls.ts';
import { sentEmails } from '#test/sent-emails.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let cyd: Person;
let club: ClubHandle;

beforeAll(async () => {
  w = await world();
  [ada, bob, cyd] = [await w.person('Ada'), await w.person('Bob'), await w.person('Cyd')];
});
afterAll(() => w[Symbol.asyncDispose]());

beforeEach(async () => {
  await run(w.db, sql`delete from rate_limits`);
  club = await w.club([ada, bob, cyd]);
});

const mute = (person: Person, muted = true, { id } = club) => person.api.members.mute({ club: id, muted });
const isMuted = async (person: Person) => (await person.api.clubs.get({ club: club.slug })).muted;

/** The subjects of the emails to Bob that are sent by and after `cause`. */
async function emailsAfter(cause: () => Promise<unknown>): Promise<(string | undefined)[]> {
  const earlier = (await sentEmails(w)).length;
  await cause();
  const sent = (await sentEmails(w)).slice(earlier);
  return sent.filter((mail) => mail.to?.[0]?.address === bob.email).map(({ subject }) => subject);
}

async function publish(content: string, { id } = club): Promise<void> {
  await run(w.db, sql`delete from rate_limits`);
  await ada.api.updates.publish({ club: id, content });
}

test('mute: news of the club stays in the bell and is not emailed, other clubs and other members are as before, and the end of the mute restores the emails [CHAN-06]', async () => {
  const other = await w.club([ada, bob], 'Other Club');
  expect(await mute(bob)).toEqual({ muted: true });
  const muted = await emailsAfter(async () => {
    await publish('Boats are back');
    await publish('Elsewhere', other);
  });
  expect(muted).toEqual(['Other Club: Elsewhere']);
  const messages = (await bob.api.notifications.list({})).map(({ message }) => message);
  expect(messages).toContain('Ada published an update in Harbour Rowers.');
  const toCyd = (await w.outbox()).filter((mail) => mail.to?.[0]?.address === cyd.email);
  expect(toCyd.at(-1)?.subject).toBe('Harbour Rowers: Boats are back');
  expect(await mute(bob, false)).toEqual({ muted: false });
  expect(await emailsAfter(() => publish('Tea'))).toEqual(['Harbour Rowers: Tea']);
});

test('mute: the choice in the settings stays in effect after the mute [CHAN-06]', async () => {
  await bob.api.notifications.saveSettings({ email_club_update: false });
  await mute(bob);
  await mute(bob, false);
  expect(await emailsAfter(() => publish('Boats are back'))).toEqual([]);
  await bob.api.notifications.saveSettings({ email_club_update: true });
});

test('mute: stops emails that wait, except those that are always sent, and lets them go if it ends before they are due [CHAN-06]', async () => {
  const { id: event } = await w.event(club, ada, { name: 'Regatta' });
  await bob.api.answers.attend({ event });
  await sentEmails(w);
  const promote = (role: 0 | 100) => ada.api.members.changeRole({ club: club.id, member: bob.id, role });
  const waiting = () =>
    all(
      w.db,
      sql<{ kind: string }>`
      select kind from notice_emails where user_id = ${bob.id} and sent_at is null order by kind`,
    );
  const sent = await emailsAfter(async () => {
    await promote(100);
    await ada.api.events.edit({ event, club: club.id, location_name: 'Pier 4' });
    expect((await waiting()).map(({ kind }) => kind)).toEqual(['event_updated', 'role_changed']);
    await mute(bob);
  });
  expect(sent).toEqual([expect.stringMatching(/^Moved: Regatta/)]);
  expect(await waiting()).toEqual([]);
  await mute(bob, false);
  const restored = await emailsAfter(async () => {
    await promote(0);
    await mute(bob);
    await mute(bob, false);
  });
  expect(restored).toEqual(['You are now a member of Harbour Rowers']);
});

test('mute: of emails of several clubs that come as one, those of the muted club are left out [CHAN-06]', async () => {
  const other = await w.club([ada, bob], 'Other Club');
  await run(w.db, sql`delete from notice_emails`);
  for (let nth = 0; nth < 6; nth++) await publish(`News ${nth}`, other);
  await sentEmails(w);
  const collected = await emailsAfter(async () => {
    for (const content of ['One', 'Two']) await publish(content);
    for (const content of ['Three', 'Four']) await publish(content, other);
    await sentEmails(w);
    await mute(bob);
    await run(
      w.db,
      sql`update notice_emails set sent_at = sent_at - interval '1 hour' where sent_at is not null`,
    );
    await run(w.db, sql`update notice_emails set send_at = now() where sent_at is null`);
  });
  expect(collected).toEqual(['Other Club: Three and 1 more']);
});

const version = () =>
  all(w.db, sql`select part, version from club_versions where club_id = ${club.id} order by part`);
const page = (person: Person) => person.api.clubs.get({ club: club.id });

test('mute: is the own field of a viewer, changes neither the version of the club nor the page of anybody else, and may be repeated [CHAN-06]', async () => {
  const [before, ofCyd, ofBob] = [await version(), await page(cyd), await page(bob)];
  expect(ofBob.muted).toBe(false);
  for (let times = 0; times < 2; times++) await mute(bob);
  expect(await version()).toEqual(before);
  expect(await page(cyd)).toEqual(ofCyd);
  expect(await page(bob)).toEqual({ ...ofBob, muted: true });
  expect(await isMuted(bob)).toBe(true);
});

test('mute: 404 for outsiders and former members, and a new membership begins without it [CHAN-06]', async () => {
  const eve = await w.person('Eve');
  const path = `PUT /v1/clubs/${club.id}/mute`;
  expect(await send(w, eve, path, { muted: true })).toMatchObject({ status: 404, error: 'not_found' });
  for (const input of [{}, { muted: 'true' }, { muted: null }])
    expect((await send(w, bob, path, input)).status).toBe(400);
  await mute(bob);
  await bob.api.members.leave({ club: club.id });
  expect(await send(w, bob, path, { muted: true })).toMatchObject({ status: 404, error: 'not_found' });
  const { invite_link: invite } = await ada.api.invites.create({ club_id: club.id });
  await bob.api.invites.join({ invite });
  expect(await isMuted(bob)).toBe(false);
});

test('mute: of a member who is being removed waits, and is then 404 [CHAN-06]', async () => {
  const outcome = await whileHeld(
    w,
    sql`select from clubs where id = ${club.id} for no key update`,
    () => mute(bob),
    (held) => run(held, sql`delete from members where club_id = ${club.id} and user_id = ${bob.id}`),
  );
  expect(outcome).toBe('404 not_found');
  expect(await all(w.db, sql`select from club_mutes where club_id = ${club.id}`)).toEqual([]);
});

test('mute: many at once of one member leave one row or none [CHAN-06]', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, nth) => outcomeOf(mute(bob, nth % 2 === 0))),
  );
  expect(new Set(outcomes)).toEqual(new Set(['ok']));
  const rows = await all(w.db, sql`select from club_mutes where club_id = ${club.id}`);
  expect(rows).toHaveLength((await isMuted(bob)) ? 1 : 0);
});
