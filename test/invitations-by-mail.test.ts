import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, sql } from '#platform/db/client.ts';
import { outcomeOf } from '#test/calls.ts';
import { isolatedWorld, world, type ClubHandle, type Person, type World } from '#test/world.ts';

const organizer = 'calendar@muster.test';
const google = { 'user-agent': 'Google-Calendar-Importer' };
let w: World;
let ada: Person;
let reader: Person;
let club: ClubHandle;
let event: string;

beforeAll(async () => {
  w = await isolatedWorld({ CALENDAR_ORGANIZER: organizer });
  ada = await w.person('Ada');
});
afterAll(() => w[Symbol.asyncDispose]());

/** Creates a reader, and a club of Ada's with an event. */
async function start() {
  reader = await w.person('Reader');
  club = await w.club([ada, reader]);
  ({ id: event } = await w.event(club, ada, { startsIn: 72 }));
}
const choose = (invites_by_mail: boolean, confirmed = false) =>
  reader.api.calendar.choose({ invites_by_mail, confirmed });
const attend = () => reader.api.answers.attend({ event });
const edit = (change: object) => () => ada.api.events.edit({ event, club: club.id, ...change });
const feedOf = async () =>
  `${w.origin}/api/v1/users/${(await reader.api.users.me({})).ical_feed_url_id}/ical/calendar.ics`;
async function fetchFeed() {
  const text = await (await fetch(await feedOf(), { headers: google })).text();
  await w.writeFetches();
  return text.replaceAll(/\r?\n /g, '');
}

/** Runs `act` and returns the calendar files in the reader's next email about an event, with their types. */
async function next(act: () => Promise<unknown>, pattern = /^(?!.*(code|New event))/) {
  const mails = async () =>
    (await w.outbox()).filter(
      ({ to, subject }) => to?.[0]?.address === reader.email && pattern.test(subject ?? ''),
    );
  const before = (await mails()).length;
  await act();
  await w.hurry();
  await expect.poll(async () => (await mails()).length, { timeout: 10_000 }).toBe(before + 1);
  const files = ((await mails())[before]?.attachments ?? []).map(({ mimeType, method, content }) => ({
    mimeType,
    method,
    text: (typeof content === 'string'
      ? content
      : new TextDecoder().decode(content as ArrayBuffer)
    ).replaceAll(/\r?\n /g, ''),
  }));
  return { files, method: files.map(({ text }) => /^METHOD:(\w+)/m.exec(text)?.[1])[0] };
}
const value = (text: string | undefined, name: string) =>
  new RegExp(`^${name}[:;](.*?)\r?$`, 'm').exec(text ?? '')?.[1];

test('calendar files in emails: have the texts of their reader [LANG-10]', async () => {
  await start();
  await reader.api.users.update({ language: 'de' });
  const { files } = await next(attend, /^(?!.*(code|New event|Neuer Termin))/i);
  expect(files.map(({ text }) => value(text, 'DESCRIPTION')?.split('\\n')[0])).toEqual(['Du hast zugesagt.']);
});

test('invitations by mail: off by default; once chosen, each email has an invitation with the organizer, only the reader as attendee and the UID of the feed [RELAY-10]', async () => {
  await start();
  expect((await reader.api.users.me({})).invites_by_mail).toBe(false);
  const plain = await next(attend);
  expect(plain.files).toHaveLength(1);
  expect(plain.files[0]?.text).not.toMatch(/^(METHOD|ORGANIZER|ATTENDEE)/m);

  expect(await choose(true)).toEqual({ invites_by_mail: true });
  expect((await reader.api.users.me({})).invites_by_mail).toBe(true);
  const { files, method } = await next(edit({ location_name: 'Pier 4' }));
  expect(method).toBe('REQUEST');
  const text = files[0]?.text ?? '';
  expect(value(text, 'ORGANIZER')).toBe(`mailto:${organizer}`);
  expect(text.match(/^ATTENDEE.*$/gm)).toEqual([
    `ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;RSVP=FALSE:mailto:${reader.email}`,
  ]);
  expect(text).not.toContain(ada.email);
  const feed = await fetchFeed();
  for (const name of ['UID', 'SEQUENCE', 'DTSTART']) expect(value(text, name)).toBe(value(feed, name));

  const cancelled = await next(() => ada.api.events.cancel({ event }));
  expect(cancelled.method).toBe('CANCEL');
  expect(value(cancelled.files[0]?.text, 'UID')).toBe(event);
  expect(Number(value(cancelled.files[0]?.text, 'SEQUENCE'))).toBeGreaterThan(
    Number(value(text, 'SEQUENCE')),
  );
});

test('invitations by mail: cannot be chosen if the operator has not set an address [RELAY-10]', async () => {
  await using plain = await world();
  const bob = await plain.person('Bob');
  expect(await outcomeOf(bob.api.calendar.choose({ invites_by_mail: true }))).toBe('400 bad_input');
  expect((await bob.api.users.me({})).invites_by_mail).toBe(false);
  expect(await bob.api.calendar.choose({ invites_by_mail: false })).toEqual({ invites_by_mail: false });
});

test('invitations by mail: choosing them needs a confirmation if a feed was fetched in the last 14 days [RELAY-11]', async () => {
  await start();
  await fetchFeed();
  expect(await outcomeOf(choose(true))).toBe('409 feed_in_use');
  expect((await reader.api.users.me({})).invites_by_mail).toBe(false);
  expect(await choose(true, true)).toEqual({ invites_by_mail: true });
  await choose(false);
  await run(
    w.db,
    sql`update feed_fetches set fetched_at = fetched_at - interval '15 days' where user_id = ${reader.id}`,
  );
  expect(await choose(true)).toEqual({ invites_by_mail: true });
});

test('invitations by mail: a first invitation is not sent while a feed in use shows the event [RELAY-11]', async () => {
  await start();
  await fetchFeed();
  await choose(true, true);
  expect((await next(attend)).files).toEqual([]);
  expect((await next(edit({ location_name: 'Pier 4' }))).files).toEqual([]);
  expect((await next(() => ada.api.events.cancel({ event }))).files).toEqual([]);
});

test('invitations by mail: members who were invited get changes and the cancellation as invitations, even with a feed in use or the setting switched off [RELAY-11]', async () => {
  await start();
  await choose(true);
  expect((await next(attend)).method).toBe('REQUEST');
  await choose(false);
  expect((await next(edit({ location_name: 'Pier 4' }))).method).toBe('REQUEST');
  await fetchFeed();
  expect((await next(edit({ location_name: 'Pier 5' }))).method).toBe('REQUEST');
  expect((await next(() => ada.api.events.cancel({ event }))).method).toBe('CANCEL');
});

test.each([
  ['unattend', () => reader.api.answers.unattend({ event })],
  ['leave the club', () => reader.api.members.leave({ club: club.id })],
  ['whose club is deleted', () => ada.api.clubs.remove({ club: club.id })],
])(
  'invitations by mail: members who were invited and %s get the cancellation, even with the setting switched off [RELAY-11]',
  async (_, act) => {
    await start();
    await choose(true);
    expect((await next(attend)).method).toBe('REQUEST');
    await choose(false);
    const { files, method } = await next(act);
    expect(method).toBe('CANCEL');
    expect(value(files[0]?.text, 'UID')).toBe(event);
    expect(files[0]?.text).toContain(`:mailto:${reader.email}`);
  },
);
