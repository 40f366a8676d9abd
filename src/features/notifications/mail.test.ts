import { setTimeout as sleep } from 'node:timers/promises';
import ICAL from 'ical.js';
import type { Email } from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { all, first, inTransaction, run, sql } from '#platform/db/client.ts';
import { enqueue } from '#platform/jobs/queue.ts';
import { fieldText, keysByImportance, type EventFields } from '#features/events/field-contract.ts';
import { addSeconds, instant, secondsBetween, type Instant } from '#wire/instant.ts';
import { shortDay, shortDayAndTime, eventSpan } from '#wire/format.ts';
import { raise } from '#platform/notices/raise.ts';
import { settingKeys } from '#platform/notices/settings.ts';
import { unsubscribeToken } from '#features/notifications/handlers.ts';
import { remindAttendees } from '#features/events/store.ts';
import { seatGiven } from '#features/events/answers/notices.ts';
import { memberJoined } from '#features/invites/notices.ts';
import { adminsOf, onlyUsers } from '#features/members/queries.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let cyd: Person;
let club: ClubHandle;
let earlier = 0;

beforeAll(async () => {
  w = await world();
  [ada, bob, cyd] = [await w.person('Ada', 'Lovelace'), await w.person('Bob'), await w.person('Cyd')];
});
afterAll(() => w[Symbol.asyncDispose]());

/** A new club of Ada's with Bob and Cyd; emails sent so far are ignored. */
beforeEach(async () => {
  await run(w.db, sql`delete from rate_limits`);
  await run(w.db, sql`delete from notification_opt_outs`);
  // With retries, like any transaction of the app: an email job of the previous test may cause a deadlock.
  await inTransaction(w.db, (db) => run(db, sql`delete from clubs`));
  await run(w.db, sql`delete from notices`);
  club = await w.club([ada, bob, cyd]);
  await sentEmails();
  await run(w.db, sql`delete from notice_emails`);
  earlier = (await w.outbox()).length;
});

/** The emails sent since the test started, after all due email jobs are done. */
async function sentEmails(): Promise<Email[]> {
  const waiting = sql`
    select 1 from jobs j
    where j.name in ('send_notice', 'continue_notices', 'send_email') and (j.run_at <= now() or j.attempts > 0)`;
  for (let tries = 0; tries < 400 && (await first(w.db, waiting)); tries++) await sleep(25);
  expect(await first(w.db, waiting)).toBeUndefined();
  return (await w.outbox()).slice(earlier);
}

const receivers = (mails: Email[]) => mails.map((mail) => mail.to?.[0]?.address).toSorted();
const emails = (...people: Person[]) => people.map(({ email }) => email).toSorted();
const header = (mail: Email | undefined, name: string) =>
  mail?.headers.find(({ key }) => key === name.toLowerCase())?.value;

/** The email to this person; fails unless there is exactly one. */
async function emailFor(person: Person): Promise<Email> {
  const mails = (await sentEmails()).filter((mail) => mail.to?.[0]?.address === person.email);
  expect(mails).toHaveLength(1);
  return mails[0] as Email;
}

const valuesOf = (event?: InstanceType<typeof ICAL.Component> | null): Record<string, string> =>
  Object.fromEntries(
    event?.getAllProperties().map((property) => [property.name, String(property.getFirstValue())]) ?? [],
  );

/** The parsed event of each attached calendar file. */
const entriesIn = (mail: Email): Record<string, string>[] =>
  mail.attachments.map((file) => {
    expect(file.mimeType).toBe('text/calendar');
    const text = new TextDecoder().decode(file.content as ArrayBuffer);
    const calendar = new ICAL.Component(ICAL.parse(text));
    // The file has neither a METHOD nor calendar properties.
    expect(calendar.getAllProperties().map(({ name }) => name)).toEqual(['version', 'prodid', 'calscale']);
    return valuesOf(calendar.getFirstSubcomponent('vevent'));
  });

function attached(mail: Email): Record<string, string> {
  const [entry, ...others] = entriesIn(mail);
  expect(others).toEqual([]);
  return entry ?? {};
}

/** The event as it is in the club feed. */
async function inFeed(person: Person, id: string): Promise<Record<string, string>> {
  const { ical_feed_url_id: secret } = await person.api.clubs.get({ club: club.id });
  const feed = new ICAL.Component(ICAL.parse(await w.anyone.calendar.clubFeed({ club: club.id, secret })));
  const events = feed.getAllSubcomponents('vevent');
  const event = events.find((each) => each.getFirstPropertyValue('uid') === id);
  return valuesOf(event);
}

async function createFollowedEvent(options: Parameters<World['event']>[2] = {}) {
  const event = await w.event(club, ada, options);
  await bob.api.answers.attend({ event: event.id });
  await cyd.api.answers.subscribe({ event: event.id });
  await w.hurry();
  await sentEmails();
  earlier = (await w.outbox()).length;
  return event;
}

/** Sets the times of an event, so that emails contain known dates. */
const at = (id: string, start: string, end: string) =>
  run(
    w.db,
    sql`update events set start_time = ${start}, end_time = ${end}, entry_until_time = ${start},
        time_zone = 'Europe/Berlin' where id = ${id}`,
  );

describe('email about', () => {
  test('a new event: contains the name, and the time in the zone of the reader and in that of the event [LANG-15 LANG-16]', async () => {
    await bob.api.users.update({ time_zone: 'Europe/London' });
    await ada.api.events.create({
      club: club.id,
      name: 'Tuesday <run>',
      description: 'Easy pace.\n\nBring a light.',
      location_name: 'Pier 3',
      time_zone: 'Europe/Berlin',
      start_time: '2030-11-22T18:30:00.000Z',
      end_time: '2030-11-22T20:00:00.000Z',
    });
    const mails = await sentEmails();
    expect(receivers(mails)).toEqual(emails(bob, cyd));
    const mail = await emailFor(bob);
    await bob.api.users.update({ time_zone: null });
    expect(mail.subject).toBe('New event: Tuesday <run>, Fri 22 Nov 2030, 6:30 pm (7:30 pm in Berlin)');
    expect(mail.text).toContain('Ada Lovelace planned “Tuesday <run>” in Harbour Rowers.');
    expect(mail.text).toContain(
      'When: Fri 22 Nov 2030, 6:30 pm to 8:00 pm (7:30 pm to 9:00 pm in Berlin)\nWhere: Pier 3',
    );
    expect(mail.text).toContain('Easy pace.\n\nBring a light.');
    expect(mail.html).toContain('Tuesday &lt;run&gt;');
    expect(mail.html).not.toContain('<run>');
    expect(mail.text?.match(/http:\S+/g)).toEqual([
      ...['going', 'maybe', 'no'].map((answer) =>
        expect.stringMatching(new RegExp(String.raw`^http://muster\.test/answer/[\w-]{64}\?a=${answer}$`)),
      ),
      expect.stringMatching(/^http:\/\/muster\.test\/app\/events\/tuesday-run-/),
      `http://muster.test/unsubscribe?token=${unsubscribeToken(w.config, bob.id, 'email_new_event')}`,
    ]);
    expect(mail.attachments).toEqual([]);
  });

  test('a changed event: lists the old and new value of every field; the calendar file has the new values', async () => {
    const event = await createFollowedEvent();
    const after: EventFields = {
      name: 'Night run',
      description: 'With cake',
      details: 'Bring a light',
      location_name: 'Pier 4',
      guests_max: 2,
      capacity: 20,
      waitlist: false,
      question: 'Which menu?',
      choices: ['Vegan', 'Vegetarian'],
      section_ids: [],
      needed: { all: 5 },
    };
    await ada.api.events.edit({ event: event.id, club: club.id, ...after });
    expect(await ada.api.events.get({ event: event.id })).toMatchObject(after);
    await w.hurry();
    const mail = await emailFor(bob);
    const changes = [
      'Name\nWas: Tuesday run\nNow: Night run',
      'Description\nWas: nothing\nNow: With cake',
      'Details\nWas: nothing\nNow: Bring a light',
    ];
    expect(mail.text).toContain('\nWas: Pier 3\nNow: Pier 4\n');
    expect(mail.text).toContain(changes.join('\n\n'));
    const entry = attached(mail);
    expect(entry).toEqual(await inFeed(bob, event.id));
    const { summary, location, description } = entry;
    for (const key of keysByImportance)
      expect([summary, location, description].join('\n')).toContain(fieldText(after, key));
  });

  test('a changed event: merges five minutes of changes and shows old and new values', async () => {
    const event = await createFollowedEvent({ startsIn: 48 });
    const edit = (patch: object) => ada.api.events.edit({ event: event.id, club: club.id, ...patch });
    for (const location_name of ['Pier 1', 'Pier 2', 'Pier 3', 'Pier 4']) await edit({ location_name });
    await edit({ description: 'With cake' });
    expect(await sentEmails()).toEqual([]);
    expect(await waitsOf('event_updated')).toEqual([300, 300]);
    await w.hurry();
    const mails = await sentEmails();
    expect(receivers(mails)).toEqual(emails(bob, cyd));
    const mail = await emailFor(bob);
    const { start_time } = await ada.api.events.get({ event: event.id });
    expect(mail.subject).toBe(`Moved: Tuesday run, ${shortDay(start_time, 'UTC')} → Pier 4`);
    expect(mail.text).toContain('Ada Lovelace moved “Tuesday run” to Pier 4.');
    expect(mail.text).toContain('\nWas: Pier 3\nNow: Pier 4\n');
    expect(mail.text).toContain('Description\nWas: nothing\nNow: With cake');
    const entry = attached(mail);
    expect(entry).toMatchObject({ location: 'Pier 4', transp: 'OPAQUE', status: 'CONFIRMED' });
    expect(entry).toEqual(await inFeed(bob, event.id));
    expect(attached(await emailFor(cyd))).toMatchObject({ transp: 'TRANSPARENT' });
  });

  test('a new time: shows it in the subject and beside the old one, and is sent even to members who switched such emails off [TIME-09]', async () => {
    const event = await createFollowedEvent();
    await bob.api.notifications.saveSettings({ event_updated: false, email_event_updated: false });
    const { start_time } = await ada.api.events.get({ event: event.id });
    const next = addSeconds(start_time, 26 * 3600);
    await ada.api.events.edit({ event: event.id, club: club.id, start_time: next, location_name: 'Hall' });
    await w.hurry();
    const mails = await sentEmails();
    expect(receivers(mails)).toEqual(emails(bob, cyd));
    const mail = await emailFor(bob);
    const day = shortDayAndTime(next, 'UTC');
    expect(mail.subject).toBe(`Moved: Tuesday run → ${day}`);
    expect(mail.text).toContain(`Ada Lovelace moved “Tuesday run” to ${day}, Hall.`);
    const before = { time_zone: 'UTC', start_time, end_time: addSeconds(start_time, 3600) };
    const after = { time_zone: 'UTC', start_time: next, end_time: addSeconds(next, 3600) };
    expect(mail.text).toContain(
      `\nWas: ${eventSpan(before)}\nNow: ${eventSpan(after)}\n\nWas: Pier 3\nNow: Hall\n`,
    );
    expect(attached(mail)).toEqual(await inFeed(bob, event.id));
    expect((await bob.api.notifications.list({})).map(({ message }) => message)).toContain(
      `Ada Lovelace moved “Tuesday run” to ${day}, Hall.`,
    );
  });

  test("a new start, end, zone or place: goes to members whose answer is 'going', 'waiting' or 'maybe' and to followers, regardless of their settings, but not to the author of the change [TIME-08]", async () => {
    const [dan, eve, fay] = [await w.person('Dan'), await w.person('Eve'), await w.person('Fay')];
    club = await w.club([ada, bob, cyd, dan, eve, fay]);
    const { id: event } = await w.event(club, ada, { capacity: 2, startsIn: 72 });
    for (const { api } of [bob, cyd]) await api.answers.attend({ event });
    await dan.api.answers.answer({ event, answer: 'maybe' });
    await eve.api.answers.subscribe({ event });
    await fay.api.answers.answer({ event, answer: 'no' });
    expect((await cyd.api.events.get({ event })).my_answer).toBe('waiting');
    await w.hurry();
    await sentEmails();
    const concerned = [bob, cyd, dan, eve];
    for (const { api } of concerned)
      await api.notifications.saveSettings({ event_updated: false, email_event_updated: false });
    const { start_time, end_time } = await ada.api.events.get({ event });
    for (const change of [
      { start_time: addSeconds(start_time, 3600) },
      { end_time: addSeconds(end_time, 7200) },
      { time_zone: 'Europe/Berlin' },
      { location_name: 'Hall' },
    ]) {
      earlier = (await w.outbox()).length;
      await run(w.db, sql`delete from notices`);
      await ada.api.events.edit({ event, club: club.id, ...change });
      await w.hurry();
      expect(receivers(await sentEmails())).toEqual(emails(...concerned));
      for (const person of [ada, ...concerned, fay])
        expect(await person.api.notifications.list({})).toHaveLength(concerned.includes(person) ? 1 : 0);
    }
  });

  test('several new times within five minutes: one email compares the original with the last time; no email if the time is changed back [TIME-12]', async () => {
    const event = await createFollowedEvent();
    const { start_time } = await ada.api.events.get({ event: event.id });
    const edit = (start: Instant) =>
      ada.api.events.edit({ event: event.id, club: club.id, start_time: start });
    const [one, two] = [addSeconds(start_time, 3600), addSeconds(start_time, 7200)];
    for (const start of [one, two]) await edit(start);
    await w.hurry();
    const mail = await emailFor(bob);
    expect(mail.text).toContain(
      `\nWas: ${eventSpan({ time_zone: 'UTC', start_time, end_time: one })}\nNow: `,
    );
    expect(mail.subject).toBe(`Moved: Tuesday run → ${shortDayAndTime(two, 'UTC')}`);
    earlier += 2;
    for (const start of [start_time, two]) await edit(start);
    await w.hurry();
    expect(await sentEmails()).toEqual([]);
  });

  test('a change to confirm: states the reason and asks each reader to confirm or change their answer [CALL-02 CALL-07]', async () => {
    const event = await createFollowedEvent();
    await cyd.api.answers.answer({ event: event.id, answer: 'no' });
    const { start_time } = await ada.api.events.get({ event: event.id });
    const edit = { event: event.id, club: club.id, reason: 'weather', words: 'Storm' } as const;
    await ada.api.events.edit({ ...edit, start_time: addSeconds(start_time, 3600), ask_again: true });
    await w.hurry();
    const day = shortDayAndTime(addSeconds(start_time, 3600), 'UTC');
    const mail = await emailFor(bob);
    expect(mail.text).toContain(`Ada Lovelace moved “Tuesday run” to ${day}. Weather: Storm.`);
    expect(mail.text).toMatch(/\n\nCan you still come\?\n\nGoing:\nhttp/);
    expect((await emailFor(cyd)).text).toMatch(/\n\nCan you come now\?\n\nGoing:\nhttp/);
    await sentEmails();
    earlier = (await w.outbox()).length;
    await ada.api.events.cancel({ event: event.id, reason: 'too_few' });
    expect((await emailFor(bob)).text).toContain('in Harbour Rowers. Reason: too few people.');
  });

  test('an undone change: is never sent, even if the email about an earlier change was due before the undo [HIST-07]', async () => {
    const event = await createFollowedEvent();
    const edit = (location_name: string) =>
      ada.api.events.edit({ event: event.id, club: club.id, location_name });
    const undo = async () => {
      const { undo } = await ada.api.events.get({ event: event.id });
      await ada.api.events.undo({ event: event.id, change: undo?.change ?? '' });
    };
    const job = () =>
      first(
        w.db,
        sql<{ wait: number }>`
          select extract(epoch from run_at - now())::float as wait from jobs where name = 'send_notice' order by 1 limit 1`,
      );
    await edit('Hall');
    await run(
      w.db,
      sql`update notice_emails set send_at = now() + interval '1 second' where sent_at is null`,
    );
    await edit('Attic');
    await run(w.db, sql`update jobs set run_at = now() where key is not null`);
    await expect.poll(async () => (await job())?.wait ?? 0).toBeGreaterThan(50);
    expect(await sentEmails()).toEqual([]);
    await undo();
    await w.hurry();
    const mail = await emailFor(bob);
    expect(mail.subject).toMatch(/^Moved: Tuesday run, .* → Hall$/);
    expect(mail.text).toContain('\nWas: Pier 3\nNow: Hall\n');
    earlier += 2;
    await edit('Cellar');
    await undo();
    await w.hurry();
    await run(w.db, sql`update jobs set run_at = now()`);
    expect(await sentEmails()).toEqual([]);
  });

  test('an unannounced edit of the name, or any edit of the guest limit: no email is sent [TIME-10]', async () => {
    const event = await createFollowedEvent();
    await ada.api.events.edit({ event: event.id, club: club.id, name: 'Quiet run', announce: false });
    await ada.api.events.edit({ event: event.id, club: club.id, guests_max: 3 });
    await w.hurry();
    expect(await sentEmails()).toEqual([]);
    const messages = (await bob.api.notifications.list({})).map(({ message }) => message);
    expect(
      messages
        .filter((message) => !message.includes(' planned '))
        .filter((message) => message.includes('Quiet run')),
    ).toEqual([]);
  });

  test('a renamed event: the subject has the old and the new name; a reverted change sends no email', async () => {
    const event = await createFollowedEvent();
    const edit = (name: string) => ada.api.events.edit({ event: event.id, club: club.id, name });
    await edit('Wednesday run');
    await w.hurry();
    expect((await emailFor(bob)).subject).toMatch(/^Renamed: Tuesday run → Wednesday run, \w{3} \d+ \w{3}/);
    earlier += 2;
    await edit('Thursday run');
    await edit('Wednesday run');
    await w.hurry();
    expect(await sentEmails()).toEqual([]);
  });

  test('a cancelled event: is sent at once and replaces pending change emails', async () => {
    const event = await createFollowedEvent();
    await ada.api.events.edit({ event: event.id, club: club.id, location_name: 'Pier 4' });
    await ada.api.events.cancel({ event: event.id });
    await w.hurry();
    const mails = await sentEmails();
    expect(receivers(mails)).toEqual(emails(bob, cyd));
    const mail = await emailFor(bob);
    const { start_time } = await ada.api.events.get({ event: event.id });
    expect(mail.subject).toBe(`Cancelled: Tuesday run, ${shortDay(start_time, 'UTC')}`);
    expect(mail.text).toContain('/app/events/');
    const entry = attached(mail);
    expect(entry).toMatchObject({ status: 'CANCELLED', summary: 'Cancelled: Tuesday run' });
    expect(entry).toEqual(await inFeed(bob, event.id));
    expect(header(mail, 'list-unsubscribe')).toBeUndefined();
  });

  test('a deleted club: cancels its upcoming events in calendars and contains no link', async () => {
    const event = await createFollowedEvent();
    await ada.api.clubs.remove({ club: club.id });
    const mail = await emailFor(bob);
    expect(mail.subject).toBe('Harbour Rowers was deleted');
    expect(mail.text).toContain('Ada Lovelace deleted Harbour Rowers. “Tuesday run” does not take place.');
    expect(mail.text).not.toContain('http');
    const entry = attached(mail);
    expect(entry).toMatchObject({ uid: event.id, status: 'CANCELLED' });
    expect(Number(entry['sequence'])).toBeGreaterThan(0);
  });

  test('a club update: contains its text', async () => {
    await ada.api.updates.publish({ club: club.id, content: 'Boats are back\n\nSee you at the pier.' });
    const mail = await emailFor(bob);
    expect(mail.subject).toBe('Harbour Rowers: Boats are back See you at the pier.');
    expect(mail.text).toContain('Boats are back\n\nSee you at the pier.');
    expect(mail.text).toContain(`http://muster.test/app/clubs/${club.slug}/updates`);
  });

  test('a role change or removal: goes to the member concerned', async () => {
    await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 100 });
    await w.hurry();
    expect((await emailFor(bob)).subject).toBe('You are now an organiser of Harbour Rowers');
    await ada.api.members.eject({ club: club.id, member: cyd.id });
    const mail = await emailFor(cyd);
    expect(mail.subject).toBe('You were removed from Harbour Rowers');
    expect(mail.text).not.toContain('http');
    expect(await sentEmails()).toHaveLength(2);
  });

  test('a new member: goes to the admins', async () => {
    const { invite_link: invite } = await ada.api.invites.create({ club_id: club.id });
    const dan = await w.person('Dan');
    await sentEmails();
    earlier = (await w.outbox()).length;
    await dan.api.invites.join({ invite });
    expect((await emailFor(ada)).subject).toBe('Dan joined Harbour Rowers');
    expect(await sentEmails()).toHaveLength(1);
  });

  test.each([
    ['Tomorrow', '2030-11-21T21:00:00.000Z', '2030-11-22T18:30:00.000Z', '7:30 pm'],
    ['Tonight', '2030-11-21T23:30:00.000Z', '2030-11-22T18:30:00.000Z', '7:30 pm'],
    ['Today', '2030-11-21T23:30:00.000Z', '2030-11-22T16:59:00.000Z', '5:59 pm'],
  ])(
    'a reminder: says %s by the calendar day and the hour in the time zone of the event [MAILUX-03]',
    async (day, now, start, time) => {
      const event = await createFollowedEvent();
      await at(event.id, start, '2030-11-22T20:00:00.000Z');
      w.clockOffset.seconds = secondsBetween(instant(Date.now()), now);
      await inTransaction(w.db, (db) => remindAttendees(db, now));
      const mail = await emailFor(bob);
      w.clockOffset.seconds = 0;
      expect(mail.subject).toBe(`${day} at ${time}: Tuesday run, Fri 22 Nov 2030`);
      expect(receivers(await sentEmails())).toEqual(emails(ada, bob));
      expect(attached(mail)).toEqual(await inFeed(bob, event.id));
    },
  );
});

const setRole = (person: Person, role: 0 | 100 | 200) =>
  ada.api.members.changeRole({ club: club.id, member: person.id, role });
/** The user's notifications about roles and joins in this club, newest first. */
const messagesOf = async (person: Person) =>
  (await person.api.notifications.list({}))
    .filter(({ metadata }) => metadata.club_slug === club.slug)
    .map(({ message }) => message);

/** Seconds that the pending emails of a kind wait, to the minute. */
const waitsOf = async (kind: string) => {
  const rows = await all(
    w.db,
    sql<{ wait: number }>`
      select 60 * round(extract(epoch from send_at - now()) / 60)::int as wait from notice_emails
      where kind = ${kind} and sent_at is null`,
  );
  return rows.map(({ wait }) => wait);
};

const rejoin = async (person: Person) => {
  const { invite_link: invite } = await ada.api.invites.create({ club_id: club.id });
  await person.api.invites.join({ invite });
};

describe('role change emails', () => {
  test('are sent once, after five minutes, with the final role, while the app shows every change [T9]', async () => {
    await setRole(bob, 200);
    await setRole(bob, 0);
    await setRole(bob, 100);
    expect(await sentEmails()).toEqual([]);
    expect(await waitsOf('role_changed')).toEqual([300]);
    await w.hurry();
    expect((await emailFor(bob)).subject).toBe('You are now an organiser of Harbour Rowers');
    expect(await messagesOf(bob)).toEqual([
      'Ada Lovelace made you an organiser of Harbour Rowers.',
      'Ada Lovelace made you a member of Harbour Rowers.',
      'Ada Lovelace made you an admin of Harbour Rowers.',
    ]);
  });

  test('are not sent when the role is the original one again [T9]', async () => {
    for (let times = 0; times < 3; times++) {
      await setRole(bob, 200);
      await setRole(bob, 0);
    }
    await w.hurry();
    expect(await sentEmails()).toEqual([]);
    expect(await all(w.db, sql`select 1 from notice_emails where kind = 'role_changed'`)).toEqual([]);
  });

  test('are debounced separately for each member', async () => {
    await setRole(bob, 100);
    await setRole(cyd, 200);
    await setRole(bob, 0);
    expect(await waitsOf('role_changed')).toEqual([300, 300]);
    await w.hurry();
    expect((await emailFor(cyd)).subject).toBe('You are now an admin of Harbour Rowers');
    expect(await sentEmails()).toHaveLength(1);
  });

  test('are not sent if the member has lost the new role by leaving and rejoining', async () => {
    await setRole(bob, 200);
    await bob.api.members.leave({ club: club.id });
    await rejoin(bob);
    await w.hurry();
    expect((await sentEmails()).filter(({ subject }) => subject?.startsWith('You are now'))).toEqual([]);
  });
});

/** Moves the times at which emails were sent into the past. */
const pass = (span: string) =>
  run(w.db, sql`update notice_emails set sent_at = sent_at - ${span}::interval where sent_at is not null`);

describe('joined emails', () => {
  test('are sent once per admin, new member and day, however often the member leaves and rejoins [T9]', async () => {
    await setRole(cyd, 200);
    await w.hurry();
    await sentEmails();
    earlier = (await w.outbox()).length;
    for (let times = 0; times < 4; times++) {
      await bob.api.members.leave({ club: club.id });
      await rejoin(bob);
      await sentEmails();
    }
    await w.hurry();
    expect(receivers(await sentEmails())).toEqual(emails(ada, cyd));
    const joined = (await messagesOf(ada)).filter((message) => message === 'Bob joined Harbour Rowers.');
    expect(joined).toHaveLength(5);
  });

  test('are sent once when several joins of one member are mailed concurrently', async () => {
    await Promise.all(
      [1, 2, 3, 4].map(() =>
        inTransaction(w.db, (db) => {
          const facts = { club_id: club.id, before: { [bob.id]: true as const } };
          return raise(db, memberJoined, { facts, actor: bob.id, now: w.now() }, adminsOf(club.id));
        }),
      ),
    );
    await w.hurry();
    expect(receivers(await sentEmails())).toEqual(emails(ada));
  });

  test('are sent for each person who joins, and again if the person rejoins a day later', async () => {
    const joinAgain = async (person: Person) => {
      await person.api.members.leave({ club: club.id });
      await rejoin(person);
      await sentEmails();
      await w.hurry();
      await sentEmails();
    };
    await joinAgain(bob);
    await joinAgain(cyd);
    expect((await sentEmails()).map(({ subject }) => subject)).toEqual([
      'Bob joined Harbour Rowers',
      'Cyd joined Harbour Rowers',
    ]);
    await pass('22 hours');
    await joinAgain(bob);
    expect(await sentEmails()).toHaveLength(2);
    await pass('2 hours');
    await joinAgain(bob);
    expect(await sentEmails()).toHaveLength(3);
  });

  test('that were not sent because the admin had switched them off do not count towards the daily limit', async () => {
    await optOut(ada, ['email_member_joined']);
    await bob.api.members.leave({ club: club.id });
    await rejoin(bob);
    expect(await sentEmails()).toEqual([]);
    await ada.api.notifications.saveSettings({ email_member_joined: true });
    await bob.api.members.leave({ club: club.id });
    await rejoin(bob);
    expect(receivers(await sentEmails())).toEqual(emails(ada));
  });
});

const attend = (event: { id: string }) => bob.api.answers.attend({ event: event.id });
const unattend = (event: { id: string }) => bob.api.answers.unattend({ event: event.id });
/** A new event of Ada's; the emails about it are ignored. */
const createEvent = async (startsIn?: number) => {
  const event = await w.event(club, ada, { details: 'Door code 4711', ...(startsIn && { startsIn }) });
  await sentEmails();
  earlier = (await w.outbox()).length;
  return event;
};

describe('sign-up confirmation email', () => {
  test('is sent after five minutes with the current event as a calendar file, and can be unsubscribed', async () => {
    const event = await createEvent();
    await at(event.id, '2030-11-22T18:30:00.000Z', '2030-11-22T20:00:00.000Z');
    await attend(event);
    const due = sql<{
      seconds: number;
    }>`select extract(epoch from send_at - now())::int as seconds from notice_emails where kind = 'attending' and sent_at is null`;
    expect((await first(w.db, due))?.seconds).toBeGreaterThan(290);
    expect(await sentEmails()).toEqual([]);
    await run(w.db, sql`update events set location_name = 'Pier 4', sequence = 3 where id = ${event.id}`);
    await w.hurry();
    const mail = await emailFor(bob);
    expect(receivers(await sentEmails())).toEqual(emails(bob));
    expect(mail.subject).toBe("You're going: Tuesday run, Fri 22 Nov 2030, 7:30 pm");
    expect(mail.text).toContain("You're attending “Tuesday run” in Harbour Rowers.");
    expect(mail.text).toContain('Where: Pier 4');
    expect(attached(mail)).toMatchObject({ location: 'Pier 4', transp: 'OPAQUE' });
    expect(attached(mail)).toEqual(await inFeed(bob, event.id));
    const token = unsubscribeToken(w.config, bob.id, 'email_attending');
    expect(header(mail, 'list-unsubscribe')).toContain(token);
    expect(mail.text).toContain('Unsubscribe from these emails');
    expect(await bob.api.notifications.list({})).not.toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('You attend') }),
    );
    await w.anyone.notifications.unsubscribe({ token });
    await unattend(event);
    await attend(event);
    await w.hurry();
    expect(await sentEmails()).toHaveLength(1);
  });

  test('is sent once per event, even if the answer changes several times', async () => {
    const [event, other] = [await createEvent(48), await createEvent(72)];
    await attend(event);
    await unattend(event);
    await attend(event);
    await attend(event);
    await attend(other);
    const waits = sql`select key, user_id from notice_emails where kind = 'attending' and sent_at is null`;
    expect(await all(w.db, waits)).toHaveLength(2);
    await cyd.api.answers.attend({ event: event.id });
    expect(await all(w.db, waits)).toHaveLength(3);
    await cyd.api.answers.unattend({ event: event.id });
    await w.hurry();
    expect((await sentEmails()).map(({ subject }) => subject?.slice(0, 25))).toEqual([
      "You're going: Tuesday run",
      "You're going: Tuesday run",
    ]);
  });

  test.each<[string, (event: { id: string }) => Promise<unknown>]>([
    ['the user has unattended', unattend],
    ['the user has left the club', () => bob.api.members.leave({ club: club.id })],
    [
      'the event was cancelled',
      (event) => run(w.db, sql`update events set deleted_at = now() where id = ${event.id}`),
    ],
    ['the club was deleted', () => run(w.db, sql`delete from clubs where id = ${club.id}`)],
  ])('is not sent if, in the meantime, %s', async (_what, change) => {
    const event = await createEvent();
    await attend(event);
    await change(event);
    await w.hurry();
    expect((await sentEmails()).filter(({ subject }) => subject?.startsWith("You're going"))).toEqual([]);
    expect(await all(w.db, sql`select 1 from notice_emails where kind = 'attending'`)).toEqual([]);
  });
});

const answerFor = (event: { id: string }, answer: 'going' | 'maybe' | 'no') =>
  ada.api.answers.answerFor({ event: event.id, user: bob.id, answer });

describe('email about an answer given for a member', () => {
  test('is sent once for all answers within five minutes, with the event as a calendar file [ANSWER-18]', async () => {
    const event = await createEvent();
    await at(event.id, '2030-11-22T18:30:00.000Z', '2030-11-22T20:00:00.000Z');
    await answerFor(event, 'no');
    await answerFor(event, 'going');
    expect(await sentEmails()).toEqual([]);
    await w.hurry();
    const mail = await emailFor(bob);
    expect(receivers(await sentEmails())).toEqual(emails(bob));
    expect(mail.subject).toBe("You're going: Tuesday run, Fri 22 Nov 2030, 7:30 pm");
    expect(mail.text).toContain('Ada Lovelace put you down as going to “Tuesday run”.');
    expect(mail.text).toContain(`/app/events/${event.slug}`);
    expect(attached(mail)).toEqual(await inFeed(bob, event.id));
    const token = unsubscribeToken(w.config, bob.id, 'email_answered_for_you');
    expect(header(mail, 'list-unsubscribe')).toContain(token);
    await w.anyone.notifications.unsubscribe({ token });
    await answerFor(event, 'maybe');
    await w.hurry();
    expect(await sentEmails()).toHaveLength(1);
  });

  test.each([
    ['maybe', 'Maybe: Tuesday run, ', 'as maybe going to “Tuesday run”', 1],
    ['no', "You can't go: Tuesday run", 'as not going to “Tuesday run”', 0],
  ] as const)('states the answer %s', async (answer, subject, text, files) => {
    await answerFor(await createEvent(), answer);
    await w.hurry();
    const mail = await emailFor(bob);
    expect(mail.subject).toContain(subject);
    expect(mail.text).toContain(text);
    expect(mail.attachments).toHaveLength(files);
  });

  test('is not sent if the member has answered or left since, or if the event was cancelled', async () => {
    const [changed, cancelled] = [await createEvent(48), await createEvent(72)];
    for (const event of [changed, cancelled]) await answerFor(event, 'going');
    await bob.api.answers.answer({ event: changed.id, answer: 'maybe' });
    await ada.api.events.cancel({ event: cancelled.id });
    await w.hurry();
    expect((await sentEmails()).map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^Cancelled: Tuesday run, /),
    ]);
    await answerFor(changed, 'going');
    await bob.api.members.leave({ club: club.id });
    await w.hurry();
    expect((await sentEmails()).filter(({ subject }) => subject?.startsWith("You're going"))).toEqual([]);
  });

  test('withdraws the calendar file when the member no longer goes', async () => {
    const event = await createEvent();
    await answerFor(event, 'going');
    await w.hurry();
    await sentEmails();
    await answerFor(event, 'no');
    await w.hurry();
    expect((await calendarOfBob()).get(event.id)).toMatchObject({ status: 'CANCELLED' });
  });
});

/** An event of Ada's with two seats. Ada and Bob have them, and Cyd is on the waitlist. */
async function createFullEvent() {
  const event = await w.event(club, ada, { capacity: 2 });
  for (const { api } of [bob, cyd]) await api.answers.attend({ event: event.id });
  await at(event.id, '2030-11-22T18:30:00.000Z', '2030-11-22T20:00:00.000Z');
  await w.hurry();
  await sentEmails();
  earlier = (await w.outbox()).length;
  return event;
}

describe('email about a seat', () => {
  test("from the waitlist: is sent at once to the member who gets it, regardless of their settings, with the event as a calendar file and a link to say that they can't go [SEATS-07 LINK-01]", async () => {
    const event = await createFullEvent();
    await cyd.api.notifications.saveSettings({ seat_given: false, email_seat_given: false });
    await bob.api.answers.unattend({ event: event.id });
    const mail = await emailFor(cyd);
    expect(mail.subject).toBe('You have a seat: Tuesday run, Fri 22 Nov 2030, 7:30 pm');
    expect(mail.text).toContain('You have a seat at “Tuesday run”.');
    expect(mail.text).toContain("Can't come after all? Say so, and the next person gets your seat.");
    expect(mail.text).toContain(`/app/events/${event.slug}`);
    expect(mail.text).toMatch(/Can't go\W+http:\/\/muster\.test\/answer\/[\w-]{64}\?a=no/);
    expect(header(mail, 'list-unsubscribe')).toBeUndefined();
    expect(attached(mail)).toEqual(await inFeed(cyd, event.id));
    expect(attached(mail)).toMatchObject({ status: 'CONFIRMED', summary: 'Tuesday run' });
  });

  test('from the waitlist: is not sent to a member who has lost the seat since', async () => {
    const event = await createFullEvent();
    await inTransaction(w.db, (db) =>
      raise(db, seatGiven, { facts: { event_id: event.id }, delay: 60, now: w.now() }, onlyUsers(cyd.id)),
    );
    await w.hurry();
    expect(await sentEmails()).toEqual([]);
    expect(await all(w.db, sql`select from notice_emails where kind = 'seat_given'`)).toEqual([]);
  });

  test('that is free after the cut-off: is sent once to admins and the host, who can switch such emails off', async () => {
    const event = await createFullEvent();
    await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
    await run(w.db, sql`update events set entry_until_time = now() where id = ${event.id}`);
    await ada.api.answers.answerFor({ event: event.id, user: bob.id, answer: 'no' });
    const mails = (await sentEmails()).filter(({ subject }) => subject?.startsWith('A seat is free'));
    expect(receivers(mails)).toEqual(emails(ada, bob));
    const mail = mails.find(({ to }) => to?.[0]?.address === ada.email);
    expect(mail?.subject).toBe('A seat is free: Tuesday run, Fri 22 Nov 2030, 7:30 pm');
    expect(mail?.text).toContain('A seat is free at “Tuesday run”.');
    expect(mail?.attachments).toEqual([]);
    expect(header(mail, 'list-unsubscribe')).toContain(unsubscribeToken(w.config, ada.id, 'email_seat_free'));
  });
});

/** Bob's calendar after the emails since the test started: the entry with the highest SEQUENCE for each UID. */
async function calendarOfBob(): Promise<Map<string, Record<string, string>>> {
  const calendar = new Map<string, Record<string, string>>();
  for (const mail of (await sentEmails()).filter(({ to }) => to?.[0]?.address === bob.email))
    for (const entry of entriesIn(mail)) {
      const before = calendar.get(String(entry['uid']));
      if (!before || Number(entry['sequence']) > Number(before['sequence']))
        calendar.set(String(entry['uid']), entry);
    }
  return calendar;
}

const forgetEmails = async () => {
  await sentEmails();
  earlier = (await w.outbox()).length;
};
/** An upcoming event that Bob attends and was sent a calendar file for. */
const eventWithSentFile = async (startsIn?: number) => {
  const event = await createEvent(startsIn);
  await attend(event);
  await w.hurry();
  expect((await calendarOfBob()).get(event.id)).toMatchObject({ status: 'CONFIRMED' });
  return event;
};
const leave = () => bob.api.members.leave({ club: club.id });
const eject = () => ada.api.members.eject({ club: club.id, member: bob.id });

describe('calendar files that were emailed', () => {
  test('unattending: one email withdraws the file, with the same UID and a higher SEQUENCE', async () => {
    const event = await eventWithSentFile();
    const file = (await calendarOfBob()).get(event.id);
    await forgetEmails();
    await unattend(event);
    await unattend(event);
    const mail = await emailFor(bob);
    expect(await sentEmails()).toHaveLength(1);
    expect(mail.subject).toMatch(/^No longer attending: Tuesday run, \w{3} \d+ \w{3}/);
    expect(mail.text).toContain("You're no longer attending “Tuesday run” in Harbour Rowers.");
    expect(mail.text).toContain('Open the attached file to remove it from your calendar.');
    const withdrawn = attached(mail);
    expect(withdrawn).toMatchObject({ uid: event.id, status: 'CANCELLED', transp: 'TRANSPARENT' });
    expect(file?.['description']).toContain('4711');
    expect(withdrawn['description']).not.toContain('4711');
    expect(Number(withdrawn['sequence'])).toBeGreaterThan(Number(file?.['sequence']));
    expect(withdrawn['dtstamp']).toBe(withdrawn['last-modified']);
    await attend(event);
    await w.hurry();
    const again = (await calendarOfBob()).get(event.id);
    expect(again).toMatchObject({ status: 'CONFIRMED', transp: 'OPAQUE' });
    expect(Number(again?.['sequence'])).toBeGreaterThan(Number(withdrawn['sequence']));
  });

  test('unattending before a file was sent: no email', async () => {
    const event = await createEvent(48);
    await attend(event);
    await unattend(event);
    await w.hurry();
    expect(await sentEmails()).toEqual([]);
  });

  test('a change email: contains no file for a reader who no longer attends', async () => {
    const [never, once] = [await createEvent(), await eventWithSentFile(48)];
    await attend(never);
    await cyd.api.answers.subscribe({ event: once.id });
    await forgetEmails();
    for (const { id } of [never, once])
      await ada.api.events.edit({ event: id, club: club.id, location_name: 'Pier 4' });
    await unattend(never);
    await unattend(once);
    await w.hurry();
    const changed = (await sentEmails()).filter(({ subject }) => subject?.startsWith('Moved:'));
    expect(receivers(changed)).toEqual(emails(bob, bob, cyd));
    for (const mail of changed.filter(({ to }) => to?.[0]?.address === bob.email))
      expect(mail.attachments).toEqual([]);
    expect(await calendarOfBob()).toEqual(
      new Map([[once.id, expect.objectContaining({ status: 'CANCELLED' })]]),
    );
  });

  test('leaving: one email withdraws the files of all upcoming events, and no other files', async () => {
    const [one, two, off] = [
      await eventWithSentFile(),
      await eventWithSentFile(48),
      await eventWithSentFile(72),
    ];
    const followed = await createEvent(96);
    await bob.api.answers.subscribe({ event: followed.id });
    await ada.api.events.edit({ event: followed.id, club: club.id, details: 'Bring a coat' });
    await ada.api.events.cancel({ event: off.id });
    await w.hurry();
    const sent = await calendarOfBob();
    const past = await eventWithSentFile(120);
    await run(
      w.db,
      sql`update events set start_time = now() - interval '2 hours',
      end_time = now() - interval '1 hour' where id = ${past.id}`,
    );
    await forgetEmails();
    await leave();
    const mail = await emailFor(bob);
    expect(await sentEmails()).toHaveLength(1);
    expect(mail.subject).toBe('You left Harbour Rowers');
    expect(mail.text).toContain('Open the attached files to remove its events from your calendar.');
    const withdrawn = await calendarOfBob();
    expect([...withdrawn.keys()].toSorted()).toEqual([one.id, two.id, followed.id].toSorted());
    for (const [uid, entry] of withdrawn) {
      expect(entry).toMatchObject({ status: 'CANCELLED' });
      expect(Number(entry['sequence'])).toBeGreaterThan(Number(sent.get(uid)?.['sequence'] ?? -1));
    }
    expect(new Set(mail.attachments.map(({ filename }) => filename)).size).toBe(3);
    await rejoin(bob);
    await attend(one);
    await w.hurry();
    const back = (await calendarOfBob()).get(one.id);
    expect(back).toMatchObject({ status: 'CONFIRMED' });
    expect(Number(back?.['sequence'])).toBeGreaterThan(Number(withdrawn.get(one.id)?.['sequence']));
  });

  test('ejection: the email about the ejection withdraws the files', async () => {
    const event = await eventWithSentFile();
    await forgetEmails();
    await eject();
    const mail = await emailFor(bob);
    expect(mail.subject).toBe('You were removed from Harbour Rowers');
    expect(mail.text).toContain('Open the attached file to remove its event from your calendar.');
    expect(attached(mail)).toMatchObject({ uid: event.id, status: 'CANCELLED' });
    expect(mail.text).not.toContain('http');
    expect(await sentEmails()).toHaveLength(1);
  });

  test.each([
    ['leaving', leave, 0],
    ['ejection', eject, 1],
  ] as const)('%s before any file was sent: the emails contain no file', async (_, go, count) => {
    const event = await createEvent();
    await attend(event);
    await go();
    await w.hurry();
    expect(await sentEmails()).toHaveLength(count);
    expect(await calendarOfBob()).toEqual(new Map());
  });

  test('are not withdrawn if the setting of their email has been switched off since', async () => {
    const [unchanged, moved] = [await eventWithSentFile(), await eventWithSentFile(48)];
    await ada.api.events.edit({ event: moved.id, club: club.id, location_name: 'Pier 4' });
    await w.hurry();
    await forgetEmails();
    await optOut(bob, ['email_attending', 'email_event_updated', 'email_event_reminder']);
    await unattend(unchanged);
    await unattend(moved);
    expect([...(await calendarOfBob()).keys()]).toEqual([moved.id]);
  });

  test('leave no rows after they are withdrawn or the club is deleted', async () => {
    const [one, two] = [await eventWithSentFile(), await eventWithSentFile(48)];
    const files = () =>
      all(w.db, sql<{ event_id: string }>`select event_id from calendar_files where user_id = ${bob.id}`);
    expect(await files()).toHaveLength(2);
    await unattend(one);
    expect(await files()).toEqual([{ event_id: two.id }]);
    await leave();
    expect(await files()).toEqual([]);
    await ada.api.clubs.remove({ club: club.id });
    expect(await all(w.db, sql`select 1 from answer_changes where user_id = ${bob.id}`)).toEqual([]);
  });

  test('club deletion: the SEQUENCE of the cancellation is higher than that of the file', async () => {
    const event = await createEvent();
    w.later('1 hour');
    await attend(event);
    await w.hurry();
    const file = (await calendarOfBob()).get(event.id);
    expect(Number(file?.['sequence'])).toBeGreaterThanOrEqual(3600);
    await forgetEmails();
    await ada.api.clubs.remove({ club: club.id });
    const cancelled = attached(await emailFor(bob));
    expect(cancelled).toMatchObject({ uid: event.id, status: 'CANCELLED' });
    expect(Number(cancelled['sequence'])).toBeGreaterThan(Number(file?.['sequence']));
  });
});

const optOut = (person: Person, keys: string[]) =>
  person.api.notifications.saveSettings(Object.fromEntries(keys.map((key) => [key, false])));

describe('notification emails', () => {
  test('depend only on the email settings, except for kinds that are always sent', async () => {
    const event = await createFollowedEvent();
    await optOut(
      bob,
      settingKeys().filter((key) => key.startsWith('email_')),
    );
    await optOut(
      cyd,
      settingKeys().filter((key) => !key.startsWith('email_')),
    );
    await ada.api.updates.publish({ club: club.id, content: 'Boats are back' });
    await ada.api.events.edit({ event: event.id, club: club.id, details: 'Bring a coat' });
    await w.hurry();
    expect(receivers(await sentEmails())).toEqual(emails(cyd, cyd));
    await ada.api.events.edit({ event: event.id, club: club.id, location_name: 'Pier 4' });
    await w.hurry();
    await sentEmails();
    await ada.api.events.cancel({ event: event.id });
    expect(receivers(await sentEmails())).toEqual(emails(cyd, cyd, cyd, cyd, bob, bob));
  });

  test('go to the current address, and not to users who have left in the meantime', async () => {
    const event = await createFollowedEvent();
    await ada.api.events.edit({ event: event.id, club: club.id, location_name: 'Pier 4' });
    await run(w.db, sql`update users set email = 'new-bob@example.org' where id = ${bob.id}`);
    await cyd.api.members.leave({ club: club.id });
    await w.hurry();
    expect(receivers(await sentEmails())).toEqual(['new-bob@example.org']);
    await run(w.db, sql`update users set email = ${bob.email} where id = ${bob.id}`);
  });

  test('are not sent twice if the job runs again, and not at all after a rollback [C13]', async () => {
    const event = await createFollowedEvent();
    await ada.api.events.cancel({ event: event.id });
    await sentEmails();
    const sent = await all(
      w.db,
      sql<{ id: string }>`select id from notice_emails where kind = 'event_cancelled'`,
    );
    for (const { id } of [...sent, ...sent]) await enqueue(w.db, 'send_notice', { id });
    expect(await sentEmails()).toHaveLength(2);
    await expect(bob.api.events.cancel({ event: event.id })).rejects.toMatchObject({ status: 403 });
    expect(await sentEmails()).toHaveLength(2);
    expect(await all(w.db, sql`select 1 from notice_emails where sent_at is null`)).toEqual([]);
  });

  test('have a lower priority than emails with login codes', async () => {
    const event = await createFollowedEvent();
    await ada.api.events.edit({ event: event.id, club: club.id, location_name: 'Pier 4' });
    const queued = await all(
      w.db,
      sql<{ priority: number }>`
        select j.priority from jobs j where j.name = 'send_notice'`,
    );
    expect(queued.length).toBeGreaterThan(0);
    expect(queued.every(({ priority }) => priority === 1)).toBe(true);
  });
});

describe('one-click unsubscribe', () => {
  const forms: [string, string][] = [
    ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    ],
  ];

  test.each(forms)(
    'accepts a request of type %s without a login, and stops emails of that kind only',
    async (type, body) => {
      const publish = () => ada.api.updates.publish({ club: club.id, content: 'Boats are back' });
      await publish();
      const mail = await emailFor(bob);
      expect(header(mail, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
      const before = await bob.api.notifications.settings({});
      const path = /^<http:\/\/muster\.test(\/api\/\S+)>$/.exec(header(mail, 'list-unsubscribe') ?? '')?.[1];
      const response = await fetch(`${w.origin}${path}`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      });
      expect(await response.json()).toMatchObject({ status: 200, data: { key: 'email_club_update' } });
      expect(await bob.api.notifications.settings({})).toEqual({ ...before, email_club_update: false });
      await publish();
      await w.event(club, ada);
      expect(receivers(await sentEmails())).toEqual(emails(bob, bob, cyd, cyd, cyd));
    },
  );

  test.each(forms)('other endpoints reject a request of type %s', async (type, body) => {
    const response = await fetch(`${w.origin}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    expect(response.status).toBe(415);
  });
});
