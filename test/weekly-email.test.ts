import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Email } from 'postal-mime';
import { all, first, run, sql } from '#platform/db/client.ts';
import { cancelEmails } from '#platform/mail/mailer.ts';
import { notices } from '#platform/notices/notice.ts';
import type { Weekly } from '#platform/notices/weekly-rules.ts';
import { addSeconds } from '#wire/instant.ts';
import { wallTime } from '#wire/wall-time.ts';
import { openMailServer, type Received } from '#test/mail-server.ts';
import { sentEmails } from '#test/sent-emails.ts';
import { isolatedWorld, world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let club: ClubHandle;

beforeAll(async () => {
  w = await world();
});
afterAll(() => w[Symbol.asyncDispose]());

/** Bob, in a new club of Ada's, has chosen the weekly email. */
beforeEach(async () => {
  await run(w.db, sql`delete from rate_limits`);
  [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  club = await w.club([ada, bob]);
  await choose();
});

const choose = (weekly_email = true, person = bob) => person.api.notifications.saveSettings({ weekly_email });

const toBob = (emails: readonly Email[], person = bob) =>
  emails.filter(({ to }) => to?.[0]?.address === person.email);

/** The emails to Bob that are sent by and after `cause`. */
async function emailsAfter(cause: () => Promise<unknown>, person = bob): Promise<Email[]> {
  const earlier = toBob(await sentEmails(w), person).length;
  await cause();
  return toBob(await sentEmails(w), person).slice(earlier);
}
const subjectsAfter = async (cause: () => Promise<unknown>, person = bob) =>
  (await emailsAfter(cause, person)).map(({ subject }) => subject);

const weeklyOf = (person = bob) =>
  first(w.db, sql<Weekly>`select next_at, since, until from weekly_emails where user_id = ${person.id}`);

/** Runs the scheduled task, and waits until all weekly emails are sent. */
async function runWeekly(): Promise<void> {
  await run(w.db, sql`select enqueue_job('enqueue_weekly_emails', '{}')`);
  const waiting = sql`select from jobs where name in ('enqueue_weekly_emails', 'send_weekly_email')`;
  await expect.poll(() => all(w.db, waiting), { timeout: 30_000, interval: 25 }).toEqual([]);
}

/** Moves the clock to a minute after the next weekly email of Bob is due, and returns what he gets. */
async function onMonday(person = bob): Promise<Email[]> {
  const { next_at = '' } = (await weeklyOf(person)) ?? {};
  const seconds = (Date.parse(next_at) - Date.parse(w.now())) / 1000 + 60;
  if (seconds > 0) w.clockOffset.seconds += Math.ceil(seconds);
  await run(w.db, sql`delete from rate_limits`);
  return emailsAfter(runWeekly, person);
}

const publish = (content: string, { id } = club) => ada.api.updates.publish({ club: id, content });

/** Lets people with these names join the club. */
async function join(...names: string[]): Promise<void> {
  const { invite_link } = await ada.api.invites.create({ club_id: club.id });
  for (const name of names) await (await w.person(name)).api.invites.join({ invite: invite_link });
}

/** An event of Ada's that starts this many hours after the next weekly email. */
async function plan(name: string, hours: number, { id, slug, club_name } = club) {
  const { next_at = '' } = (await weeklyOf()) ?? {};
  const startsIn = (Date.parse(next_at) - Date.parse(w.now())) / 3_600_000 + hours;
  return w.event({ id, slug, club_name }, ada, { name, startsIn });
}

describe('the choice of the weekly email', () => {
  test('is a setting that is off at first, and starts with the next Monday 8:00 in the zone of the reader [DIGEST-01]', async () => {
    const cyd = await w.person('Cyd');
    expect((await cyd.api.notifications.settings({})).weekly_email).toBe(false);
    await cyd.api.users.update({ time_zone: 'America/New_York' });
    expect((await choose(true, cyd)).weekly_email).toBe(true);
    const { next_at = '', since = '', until } = (await weeklyOf(cyd)) ?? {};
    const wall = wallTime(Date.parse(next_at), 'America/New_York');
    expect([wall.getUTCDay(), wall.getUTCHours(), wall.getUTCMinutes()]).toEqual([1, 8, 0]);
    expect(next_at <= addSeconds(w.now(), 7 * 86_400 + 3600)).toBe(true);
    expect([until, since <= w.now()]).toEqual([null, true]);
    // Saving it again changes nothing.
    await choose(true, cyd);
    expect(await weeklyOf(cyd)).toEqual({ next_at, since, until });
    expect((await choose(false, cyd)).weekly_email).toBe(false);
    expect(await weeklyOf(cyd)).toBeUndefined();
  });

  test('collects news for Monday, and once it is off later news comes as it happens and nothing for the time before [DIGEST-01]', async () => {
    expect(await subjectsAfter(() => publish('Boats are back'))).toEqual([]);
    const [weekly, ...others] = await onMonday();
    expect(weekly?.subject).toBe('News from Harbour Rowers');
    expect(weekly?.text).toContain('Boats are back');
    expect(others).toEqual([]);
    expect(await subjectsAfter(() => publish('Second'))).toEqual([]);
    await choose(false);
    expect(await subjectsAfter(() => publish('Third'))).toEqual(['Harbour Rowers: Third']);
    w.later('8 days');
    expect(await subjectsAfter(runWeekly)).toEqual([]);
  });

  test('moves to Monday 8:00 in a new zone of the reader [DIGEST-06]', async () => {
    const zones = ['Pacific/Auckland', 'America/New_York', 'Europe/Berlin'];
    for (const time_zone of zones) {
      await bob.api.users.update({ time_zone });
      const { next_at = '' } = (await weeklyOf()) ?? {};
      const wall = wallTime(Date.parse(next_at), time_zone);
      expect([time_zone, wall.getUTCDay(), wall.getUTCHours()]).toEqual([time_zone, 1, 8]);
    }
  });
});

test('the weekly email: every kind that is news says how it stands there, and no other kind does [DIGEST-02 DIGEST-04]', () => {
  const inWeekly = notices.filter(({ weekly }) => weekly).map(({ kind }) => kind);
  expect(inWeekly).toEqual(notices.filter(({ group }) => group === 'news').map(({ kind }) => kind));
});

test('the weekly email: shows the unanswered events of the next seven days with time, place and answers, then the news by club [DIGEST-02 DIGEST-07]', async () => {
  const other = await w.club([ada, bob], 'Tea Club');
  await plan('Tuesday run', 30);
  await plan('Regatta', 80);
  await plan('Too far', 24 * 7 + 1);
  const answered = await plan('Answered', 50);
  await bob.api.answers.attend({ event: answered.id });
  await publish(`${'Boats are back. '.repeat(20)}`);
  await publish('Scones', other);
  const [email, ...others] = await onMonday();
  expect(others).toEqual([]);
  expect(email?.subject).toMatch(/^Your week: Tuesday run, \w{3} \d+ \w{3}( \d{4})?, and 1 more$/);
  const text = email?.text ?? '';
  const order = [
    'Tuesday run',
    'Pier 3',
    'Going',
    "Can't go",
    'Regatta',
    'Tea Club\n',
    'Update from Ada',
    'Scones',
    'Harbour Rowers\n',
    'Boats are back.',
  ];
  let at = 0;
  for (const part of order) {
    const found = text.indexOf(part, at);
    expect([part, found >= at]).toEqual([part, true]);
    at = found;
  }
  expect(text).toContain('Club: Harbour Rowers');
  expect(text).toContain('New event: Too far');
  // An event that stands above with its answers is not news too, and 'maybe' is left to its page.
  expect(text).not.toMatch(/New event: (Tuesday run|Regatta)|\nAnswered|Maybe/);
  const excerpt = /Boats are back\.[^\n]*/.exec(text)?.[0] ?? '';
  expect([...excerpt]).toHaveLength(200);
  // The links answer without a login.
  const going = /\nGoing:\nhttp:\/\/muster\.test\/answer\/([\w-]+)\?a=going/.exec(text)?.[1] ?? '';
  const link = await fetch(`${w.origin}/api/v1/answer-links/${going}`);
  expect([link.status, await link.text()]).toEqual([200, expect.stringContaining('Tuesday run')]);
});

test('the weekly email: names at most ten news of a club and counts the others, and joins of one club are one line [DIGEST-02]', async () => {
  await run(w.db, sql`update members set club_role = 200 where user_id = ${bob.id}`);
  await join('Zoe', 'Yan', 'Xia');
  for (let nth = 1; nth <= 13; nth++) {
    await run(w.db, sql`delete from rate_limits`);
    await publish(`News ${nth}.`);
  }
  const [email] = await onMonday();
  const text = email?.text ?? '';
  expect(text.match(/News \d+\./g)).toEqual(Array.from({ length: 10 }, (_, nth) => `News ${13 - nth}.`));
  expect(text).toContain(`and 4 more:\nhttp://muster.test/app/clubs/${club.slug}`);
  await run(w.db, sql`delete from notices where kind = 'club_update' and user_id = ${bob.id}`);
  await join('Ulf', 'Vic');
  const [next] = await onMonday();
  expect(next?.text).toContain('Ulf and Vic joined Harbour Rowers');
  expect(next?.text).not.toContain('Zoe');
});

test('the weekly email: is not sent with neither news nor events, and with events alone only while emails about new events are on [DIGEST-03]', async () => {
  expect(await onMonday()).toEqual([]);
  await plan('Tuesday run', 30);
  await bob.api.notifications.clear({});
  expect((await onMonday()).map(({ subject }) => subject)).toEqual([
    expect.stringMatching(/^Your week: Tuesday run, \w{3} \d+ \w{3}( \d{4})?$/),
  ]);
  await bob.api.notifications.saveSettings({ email_new_event: false });
  await plan('Regatta', 30);
  expect(await onMonday()).toEqual([]);
});

test('news of an event before the next weekly email, of a kind that is off in the app, and what is not news are emailed at once, once [DIGEST-04]', async () => {
  const soon = await subjectsAfter(() => plan('Soon', -2));
  expect(soon).toEqual([expect.stringMatching(/^New event: Soon/)]);
  expect(await subjectsAfter(() => plan('Later', 200))).toEqual([]);
  await bob.api.notifications.saveSettings({ club_update: false });
  expect(await subjectsAfter(() => publish('Off in the app'))).toEqual(['Harbour Rowers: Off in the app']);
  const role = () => ada.api.members.changeRole({ club: club.id, member: bob.id, role: 100 });
  expect(await subjectsAfter(role)).toEqual(['You are now an organiser of Harbour Rowers']);
  const event = await plan('Regatta', 300);
  await bob.api.answers.attend({ event: event.id });
  await sentEmails(w);
  const move = () => ada.api.events.edit({ event: event.id, club: club.id, location_name: 'Pier 4' });
  expect(await subjectsAfter(move)).toEqual([expect.stringMatching(/^Moved: Regatta/)]);
  const [weekly, ...others] = await onMonday();
  expect(others).toEqual([]);
  expect(weekly?.text).toContain('New event: Later');
  expect(weekly?.text).not.toMatch(/Soon|Off in the app|organiser|Moved|Pier 4/);
});

test('a new event that was emailed at once does not stand in the weekly email too if it is moved beyond Monday [DIGEST-04]', async () => {
  let id = '';
  const soon = await subjectsAfter(async () => ({ id } = await plan('Soon', -2)));
  expect(soon).toEqual([expect.stringMatching(/^New event: Soon/)]);
  const start_time = addSeconds(w.now(), 20 * 86_400);
  await ada.api.events.edit({ event: id, club: club.id, start_time });
  expect((await bob.api.notifications.list({})).some(({ message }) => message.includes('Soon'))).toBe(true);
  expect(await onMonday()).toEqual([]);
});

test('the weekly email leaves out what was seen or deleted, switched off, muted, left or cancelled by the time it is sent [DIGEST-05 CHAN-05]', async () => {
  const [muted, left] = [await w.club([ada, bob], 'Muted Club'), await w.club([ada, bob], 'Left Club')];
  const cancelled = await plan('Cancelled event', 300);
  await plan('Muted event', 30, muted);
  await publish('Seen news');
  await publish('Deleted news');
  await publish('Muted news', muted);
  await publish('Left news', left);
  const list = await bob.api.notifications.list({});
  const [deleted, seen] = list.filter(
    ({ message, metadata }) => message.includes('published') && metadata.club_slug === club.slug,
  );
  await bob.api.notifications.seen({ id: seen?.id ?? '' });
  await bob.api.notifications.remove({ id: deleted?.id ?? '' });
  await bob.api.members.mute({ club: muted.id, muted: true });
  await bob.api.members.leave({ club: left.id });
  await ada.api.events.cancel({ event: cancelled.id });
  await sentEmails(w);
  expect(await onMonday()).toEqual([]);
  for (const off of ['email_club_update', 'club_update']) {
    await publish('News of the week');
    await bob.api.notifications.saveSettings({ [off]: false });
    expect(await onMonday()).toEqual([]);
    await bob.api.notifications.saveSettings({ [off]: true });
  }
});

/** What a mail program does when its reader presses 'Unsubscribe'. */
const post = (path: string) =>
  fetch(`${w.origin}${path}`, {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  });

describe('the weekly email', () => {
  test('comes once a week, however often the task runs, and not earlier than the next Monday [DIGEST-06]', async () => {
    await plan('Tuesday run', 30);
    expect(await onMonday()).toHaveLength(1);
    await publish('Boats are back');
    expect(await subjectsAfter(() => Promise.all([runWeekly(), runWeekly()]))).toEqual([]);
    w.later('6 days');
    expect(await subjectsAfter(runWeekly)).toEqual([]);
    expect((await onMonday()).map(({ subject }) => subject)).toEqual(['News from Harbour Rowers']);
  });

  test('comes late, once, if no process ran for days, and the next one on the first Monday more than six days later, also if it was switched off and on again [DIGEST-06]', async () => {
    await publish('Boats are back');
    const { next_at: due = '' } = (await weeklyOf()) ?? {};
    w.clockOffset.seconds += Math.ceil((Date.parse(due) - Date.parse(w.now())) / 1000) + 3 * 86_400;
    expect((await onMonday())[0]?.text).toContain('Boats are back');
    const { next_at, until } = (await weeklyOf()) ?? {};
    expect(next_at && until && next_at > addSeconds(until, 6 * 86_400)).toBe(true);
    await choose(false);
    await choose();
    expect(await weeklyOf()).toMatchObject({ next_at, until: null });
  });

  test('is not sent again if its worker died while sending it, and the next one contains its news [DIGEST-06]', async () => {
    await publish('Boats are back');
    const { next_at = '', since = '' } = (await weeklyOf()) ?? {};
    const until = addSeconds(next_at, 60);
    w.clockOffset.seconds += Math.ceil((Date.parse(until) - Date.parse(w.now())) / 1000);
    // The worker moved the time of the next email, and died after it had begun to send this one.
    await run(
      w.db,
      sql`update weekly_emails set next_at = ${addSeconds(next_at, 7 * 86_400)}, until = ${until} where user_id = ${bob.id}`,
    );
    const job = JSON.stringify({ id: bob.id, user_id: bob.id, since, until });
    const dead = sql`
      insert into jobs (name, payload, begun_at, attempts) values ('send_weekly_email', ${job}::jsonb, now(), 1)`;
    expect(await subjectsAfter(() => run(w.db, dead).then(runWeekly))).toEqual([]);
    expect((await onMonday())[0]?.text).toContain('Boats are back');
  });

  test('is given up a day after its time, and the next one contains its news [DIGEST-06]', async () => {
    await publish('Boats are back');
    const { next_at = '', since = '' } = (await weeklyOf()) ?? {};
    w.clockOffset.seconds += Math.ceil((Date.parse(next_at) - Date.parse(w.now())) / 1000) + 86_400 + 60;
    await run(
      w.db,
      sql`update weekly_emails set next_at = ${addSeconds(next_at, 7 * 86_400)}, until = ${next_at} where user_id = ${bob.id}`,
    );
    const job = JSON.stringify({ id: bob.id, user_id: bob.id, since, until: next_at });
    const overdue = sql`insert into jobs (name, payload) values ('send_weekly_email', ${job}::jsonb)`;
    expect(await subjectsAfter(() => run(w.db, overdue).then(runWeekly))).toEqual([]);
    expect((await onMonday())[0]?.text).toContain('Boats are back');
  });

  test('that the mail server refuses is not repeated, and the next one contains its news [DIGEST-06]', async () => {
    const received: Received[] = [];
    let refuses = true;
    const smtp = await openMailServer((email) => void received.push(email), {
      refuse: (command) => (refuses && command === 'end of data' ? '554 5.6.0 No' : undefined),
    });
    await using other = await isolatedWorld({ SMTP_URL: smtp.url });
    const [cyd, dan] = [await other.person('Cyd'), await other.person('Dan')];
    const { id } = await other.club([cyd, dan]);
    await choose(true, dan);
    const monday = async () => {
      const row = await first(
        other.db,
        sql<Weekly>`select next_at, since, until from weekly_emails where user_id = ${dan.id}`,
      );
      const ahead = (Date.parse(row?.next_at ?? '') - Date.parse(other.now())) / 1000;
      other.later(`${Math.ceil(ahead) + 60} seconds`);
      await run(other.db, sql`select enqueue_job('enqueue_weekly_emails', '{}')`);
      const left = sql`select from jobs where name in ('enqueue_weekly_emails', 'send_weekly_email')`;
      await expect.poll(() => all(other.db, left), { timeout: 30_000, interval: 25 }).toEqual([]);
    };
    await cyd.api.updates.publish({ club: id, content: 'Boats are back' });
    await monday();
    const outcomes = () =>
      all(
        other.db,
        sql<{ state: string }>`select state from deliveries where kind = 'weekly_email' order by created_at`,
      );
    expect(await outcomes()).toEqual([{ state: 'refused' }]);
    refuses = false;
    received.length = 0;
    await monday();
    const [email, ...others] = received.filter(({ to }) => to.includes(dan.email));
    expect([email?.mail.subject, others]).toEqual(['News from Harbour Rowers', []]);
    expect(email?.mail.text).toContain('Boats are back');
    expect(await outcomes()).toEqual([{ state: 'refused' }, { state: 'accepted' }]);
    await smtp.close();
  });

  test('goes with the account: its job is deleted too [T52]', async () => {
    const { db } = w;
    const job = JSON.stringify({ id: bob.id, user_id: bob.id, since: w.now(), until: w.now() });
    await run(
      db,
      sql`insert into jobs (name, payload, run_at) values ('send_weekly_email', ${job}::jsonb, now() + interval '1 day')`,
    );
    await cancelEmails(db, { address: bob.email, account: bob.id });
    expect(await all(db, sql`select from jobs where payload ->> 'user_id' = ${bob.id}`)).toEqual([]);
  });

  test('has List-Unsubscribe with one click and a link, which switch off the email of all news and nothing else, without a login [DIGEST-07]', async () => {
    await bob.api.notifications.saveSettings({ push_new_event: true });
    await publish('Boats are back');
    const [email] = await onMonday();
    expect(email?.text).toMatch(
      /Unsubscribe from the weekly email:\nhttp:\/\/muster\.test\/unsubscribe\?token=/,
    );
    const header = (name: string) => email?.headers.find(({ key }) => key === name)?.value ?? '';
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    const path = /^<http:\/\/muster\.test(\/api\/v1\/.*)>$/.exec(header('list-unsubscribe'))?.[1] ?? '';
    const before = await bob.api.notifications.settings({});
    expect((await post(`${path}x`)).status).toBe(404);
    expect((await post(path.replace('weekly_email', 'new_event'))).status).toBe(404);
    expect(await bob.api.notifications.settings({})).toEqual(before);
    expect((await post(path)).status).toBe(200);
    const news = ['email_new_event', 'email_event_updated', 'email_club_update', 'email_member_joined'];
    expect(await bob.api.notifications.settings({})).toEqual({
      ...before,
      ...Object.fromEntries(news.map((key) => [key, false])),
    });
    await plan('Tuesday run', 30);
    await publish('Second');
    expect(await onMonday()).toEqual([]);
  });

  test('is named after the first club and counts the others without events [DIGEST-07]', async () => {
    for (const name of ['Tea Club', 'Book Club'])
      await ada.api.updates.publish({ club: (await w.club([ada, bob], name)).id, content: name });
    await publish('Boats are back');
    expect((await onMonday()).map(({ subject }) => subject)).toEqual([
      'News from Harbour Rowers and 2 more clubs',
    ]);
  });
});
