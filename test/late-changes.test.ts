import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { all, first, run, sql } from '#platform/db/client.ts';
import { answerToken } from '#features/events/mail.ts';
import { codeFor } from '#test/races/people.ts';
import { newSeries } from '#test/new-series.ts';
import { addSeconds } from '#wire/instant.ts';
import { openPushService, type PushService } from '#test/push-service.ts';
import { isolatedWorld, type ClubHandle, type Person, type World } from '#test/world.ts';

let service: PushService;
let w: World;
let ada: Person;
let ben: Person;
let mia: Person;
let leo: Person;
let club: ClubHandle;
let event: string;

beforeAll(async () => {
  service = await openPushService();
  w = await isolatedWorld({ PUSH_HOSTS: service.host });
});
afterAll(async () => {
  await w[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});
/** A club of Ada, its admin, with the members Ben, Mia and Leo. Ada and Ben host an event that starts in three hours. */
beforeEach(async () => {
  [ada, ben] = [await w.person('Ada'), await w.person('Ben')];
  [mia, leo] = [await w.person('Mia'), await w.person('Leo')];
  club = await w.club([ada, ben, mia, leo]);
  event = await planned({ startsIn: 3 });
});

async function planned(input: Parameters<World['event']>[2]): Promise<string> {
  const { id } = await w.event(club, ada, { name: 'Tuesday run', guests_max: 5, ...input });
  await ada.api.hosts.add({ event: id, user: ben.id });
  for (const { api } of [mia, leo]) await api.answers.answer({ event: id, answer: 'going', guests: 2 });
  return id;
}
const answer = (
  { api }: Person,
  to: 'going' | 'maybe' | 'no',
  more: { guests?: number; note?: string } = {},
) => api.answers.answer({ event, answer: to, ...more });
const noticesOf = async ({ api }: Person) =>
  (await api.notifications.list({}))
    .map(({ message }) => message)
    .filter((message) => /can't come|said maybe|fewer guests|a note/.test(message));
/** All emails, once those that are pending have been sent. */
async function sent() {
  await w.hurry();
  await expect
    .poll(
      () =>
        all(
          w.db,
          sql`select from jobs where name in ('send_notice', 'continue_notices', 'send_email') and run_at <= now()`,
        ),
      { timeout: 30_000 },
    )
    .toEqual([]);
  return w.outbox();
}
const mailsTo = async ({ email }: Person) => (await sent()).filter(({ to }) => to?.[0]?.address === email);
/** The emails about late changes to a person. */
const mails = async (person: Person) =>
  (await mailsTo(person)).filter(({ text }) => /\nNow: \d+ going/.test(text ?? ''));
const subjects = async (person: Person) => (await mails(person)).map(({ subject }) => subject);
const pending = () =>
  all(
    w.db,
    sql<{ user_id: string; minutes: number; before: Record<string, unknown> }>`
      select user_id, before, round(extract(epoch from send_at - now()) / 60)::int as minutes
      from notice_emails where kind = 'answers_changed' and sent_at is null`,
  );

test('late changes: each is told to the hosts at once, and one email five minutes after the first is about all, and none quotes a note [LATE-01 ANSWER-07]', async () => {
  await answer(mia, 'no');
  expect((await pending()).map(({ minutes }) => minutes)).toEqual([5, 5]);
  await answer(leo, 'going', { guests: 1 });
  await answer(leo, 'going', { note: 'Ten minutes late' });
  for (const host of [ada, ben])
    expect(await noticesOf(host)).toEqual([
      'Leo wrote a note about “Tuesday run”.',
      'Leo brings fewer guests to “Tuesday run”.',
      "Mia can't come to “Tuesday run”.",
    ]);
  const [mail, ...others] = await mails(ben);
  expect(others).toEqual([]);
  expect(mail?.subject).toMatch(/^3 changes: Tuesday run, \w{3} \d+ \w{3}$/);
  expect(mail?.text).toContain(
    "Leo brings fewer guests.\n\nLeo wrote a note.\n\nMia can't come.\n\nNow: 3 going + 1 guest, 0 maybe, 1 can't go.",
  );
  expect(JSON.stringify([mail, await noticesOf(ada)])).not.toContain('Ten minutes');
});

test.each([
  ["Mia can't come", () => answer(mia, 'no')],
  ['Mia said maybe', () => answer(mia, 'maybe')],
  ['Mia brings fewer guests', () => answer(mia, 'going', { guests: 0 })],
  ['Mia wrote a note', () => answer(mia, 'going', { note: 'Late' })],
] as const)('late changes: a single one is the subject (%s) [LATE-01 ANSWER-07]', async (subject, change) => {
  await change();
  expect(await subjects(ada)).toEqual([
    expect.stringMatching(new RegExp(`^${subject}: Tuesday run, \\w{3} \\d+ \\w{3}$`)),
  ]);
});

test('late changes: told from 24 hours before the start, or after the cut-off, and never earlier [LATE-01 LATE-02]', async () => {
  const cases: [Parameters<World['event']>[2], boolean][] = [
    [{ startsIn: 23 }, true],
    [{ startsIn: 26 }, false],
    [{ startsIn: 72, entryUntil: addSeconds(w.now(), 3600) }, false],
  ];
  for (const [input, isTold] of cases) {
    event = await planned(input);
    const before = (await noticesOf(ada)).length;
    await answer(mia, 'no', { note: 'Ill' });
    expect([input, (await noticesOf(ada)).length - before]).toEqual([input, isTold ? 1 : 0]);
  }
  // After the cut-off of the last one.
  w.later('2 hours');
  const before = (await noticesOf(ada)).length;
  await answer(leo, 'no');
  expect((await noticesOf(ada)).length - before).toBe(1);
});

test('late changes: an answer that is not named is not told, nor is the undo of an answer [LATE-01]', async () => {
  const cyd = await w.person('Cyd');
  const { invite_link: invite } = await ada.api.invites.create({ club_id: club.id });
  await cyd.api.invites.join({ invite });
  await answer(cyd, 'maybe');
  await answer(cyd, 'no');
  const { undo_answer } = await answer(cyd, 'going');
  await cyd.api.answers.undoAnswer({ event, undo: undo_answer ?? '' });
  await answer(mia, 'going', { guests: 3 });
  expect(await noticesOf(ada)).toEqual([]);
  expect(await subjects(ada)).toEqual([]);
});

test('late changes: what was taken back is left out, and 30 changes to and fro make at most two emails [LATE-03]', async () => {
  await answer(mia, 'no');
  await answer(leo, 'maybe', { note: 'Later' });
  await answer(mia, 'going', { guests: 2 });
  expect(await subjects(ada)).toEqual([expect.stringMatching(/^2 changes: /)]);
  expect((await mails(ben))[0]?.text).not.toContain('Mia');
  await run(w.db, sql`delete from rate_limits`);
  for (let nth = 0; nth < 30; nth++) {
    await answer(mia, nth % 2 ? 'going' : 'no', { guests: 2 });
    if (nth % 5 === 4) await run(w.db, sql`delete from rate_limits`);
  }
  expect(await subjects(ada)).toHaveLength(1);
  await answer(mia, 'no');
  expect(await subjects(ada)).toHaveLength(2);
});

test('late changes: only hosts are told, never the person who made the change, and nothing that a host did for a member [LATE-04]', async () => {
  await ada.api.members.changeRole({ club: club.id, member: leo.id, role: 200 });
  await ben.api.answers.answer({ event, answer: 'going', note: 'I bring the keys' });
  await ada.api.answers.answerFor({ event, user: leo.id, answer: 'no' });
  expect(await noticesOf(ada)).toEqual(['Ben wrote a note about “Tuesday run”.']);
  for (const person of [ben, mia, leo]) expect(await noticesOf(person)).toEqual([]);
  // What a host changes after a late change of a member is not the change of the member.
  await answer(mia, 'maybe');
  await ada.api.answers.answerFor({ event, user: mia.id, answer: 'no' });
  expect(await subjects(ben)).toEqual([]);
  expect(await subjects(leo)).toEqual([]);
});

test('late changes: an answer by link and a standing answer are told [LATE-04]', async () => {
  const member = await first(
    w.db,
    sql<{
      answer_key: string;
    }>`select answer_key from members where club_id = ${club.id} and user_id = ${leo.id}`,
  );
  const token = answerToken(w.config, {
    user_id: leo.id,
    event_id: event,
    answer_key: member?.answer_key ?? '',
  });
  await w.anyone.answers.answerByLink({ token, answer: 'no' });
  expect(await noticesOf(ada)).toEqual(["Leo can't come to “Tuesday run”."]);
  const weekday = new Date(addSeconds(w.now(), 6 * 3600)).getUTCDay() || 7;
  const { id: series } = await ada.api.series.plan({
    ...newSeries,
    club: club.id,
    weekdays: [weekday],
    starts_on: addSeconds(w.now(), 6 * 3600).slice(0, 10),
    local_time: addSeconds(w.now(), 6 * 3600).slice(11, 16),
    count: 2,
  });
  await mia.api.series.standing({ series, answer: 'going', guests: 0 });
  await mia.api.series.standing({ series, answer: 'no', guests: 0 });
  expect(await noticesOf(ada)).toEqual([
    "Mia can't come to “Night walk”.",
    "Leo can't come to “Tuesday run”.",
  ]);
});

/** Moves emails into the past, instead of waiting for two minutes. */
const pass = () =>
  run(
    w.db,
    sql`with sent as (update notice_emails set sent_at = sent_at - interval '2 minutes' where sent_at is not null)
        update notice_emails set send_at = send_at - interval '2 minutes' where sent_at is null`,
  );
/** Sends the emails that are due. */
const send = async () => {
  await run(
    w.db,
    sql`with due as (update jobs set run_at = now() where name = 'send_notice' and exists (
          select from notice_emails e where e.id::text = payload ->> 'id' and e.send_at <= now()))
        select pg_notify('jobs', '')`,
  );
  await expect
    .poll(
      () =>
        all(
          w.db,
          sql`select from notice_emails where kind = 'answers_changed' and sent_at is null and send_at <= now()`,
        ),
      { timeout: 30_000 },
    )
    .toEqual([]);
};

test('late changes: 30 members within an hour make at most six emails, which name all [LATE-05]', async () => {
  const members = [];
  const { invite_link: invite } = await ada.api.invites.create({ club_id: club.id });
  for (let nth = 0; nth < 30; nth++) {
    const member = await w.person(`Member${nth}`);
    await member.api.invites.join({ invite });
    await answer(member, 'going');
    members.push(member);
  }
  for (const member of members) {
    await answer(member, 'no');
    await pass();
    await send();
  }
  const texts = (await mails(ada)).map(({ text }) => text ?? '');
  expect(texts.length).toBeLessThanOrEqual(6);
  for (let nth = 0; nth < 30; nth++) expect(texts.join('\n')).toContain(`Member${nth} can't come.`);
});

test('late changes: the settings switch notification and email off [LATE-05]', async () => {
  await ada.api.notifications.saveSettings({ answers_changed: false });
  await ben.api.notifications.saveSettings({ email_answers_changed: false });
  await answer(mia, 'no');
  expect([await noticesOf(ada), (await noticesOf(ben)).length]).toEqual([[], 1]);
  expect([(await subjects(ada)).length, await subjects(ben)]).toEqual([1, []]);
});

test.each([
  ['is cancelled', async () => ada.api.events.cancel({ event })],
  ['is over', async () => w.later('5 hours')],
  ['is no longer hosted by the reader', async () => ada.api.hosts.remove({ event, user: ben.id })],
] as const)('late changes: no email once the event %s [LATE-06]', async (_what, happen) => {
  await answer(mia, 'no');
  await happen();
  expect(await subjects(ben)).toEqual([]);
});

test('late changes: no note is stored, and a deleted account leaves nothing in waiting emails [LATE-06]', async () => {
  await answer(mia, 'going', { note: 'Knee hurts' });
  await answer(mia, 'going', { note: 'Knee is better' });
  const rows = await all(
    w.db,
    sql`select facts, before from notice_emails union all select facts, null from notices`,
  );
  expect(JSON.stringify(rows)).not.toContain('Knee');
  expect(Object.keys((await pending())[0]?.before ?? {})).toEqual([mia.id]);
  const code = await codeFor(w, mia.email, 'ABCDEF', 'deletion');
  await run(w.db, sql`update login_codes set expires_at = expires_at + interval '1 day'`);
  await mia.api.account.remove({ code });
  const left = await all(
    w.db,
    sql`select facts, before from notice_emails union all select facts, null from notices`,
  );
  expect(JSON.stringify(left)).not.toContain(mia.id);
  expect(await noticesOf(ada)).toEqual(Array(2).fill('Someone wrote a note about “Tuesday run”.'));
  expect(await subjects(ada)).toEqual([]);
});

const changesFor = async ({ api }: Person) => (await api.events.get({ event })).list_changes;

test('answers: hosts see when others changed theirs, also the guests and the note, and members do not [LATE-02]', async () => {
  const rowOf = async (person: Person) =>
    (await ada.api.answers.list({ event })).answers.find(({ id }) => id === person.id);
  const answered = (await rowOf(mia))?.changed_at ?? '';
  expect(answered).toBe((await rowOf(mia))?.answered_at);
  w.later('1 minute');
  await answer(mia, 'going', { note: 'Late' });
  const noted = (await rowOf(mia))?.changed_at ?? '';
  expect([noted > answered, (await rowOf(mia))?.answered_at]).toEqual([true, answered]);
  expect(await changesFor(ada)).toEqual({ going: noted });
  w.later('1 minute');
  await answer(leo, 'no');
  expect(Object.keys((await changesFor(ben)) ?? {}).toSorted()).toEqual(['going', 'no']);
  // The own change is not new.
  await answer(ben, 'going', { note: 'Keys' });
  expect((await changesFor(ben))?.going).toBe(noted);
  expect(await changesFor(mia)).toBeNull();
});

test('a choir of 45 on the evening of a rehearsal: thirty answers, ten late changes in two bursts, two questions and a message make at most four emails and nine pushes to each host, and two emails and one push to a singer [LATE-01 LATE-03 LATE-05 ASK-04 MSG-05 PUSH-15]', async () => {
  await ada.api.hosts.add({ event, user: leo.id });
  const hosts = [ada, ben, leo];
  const singers: Person[] = [];
  const { invite_link: invite } = await ada.api.invites.create({ club_id: club.id });
  for (let nth = 0; nth < 41; nth++) {
    const singer = await w.person(`Singer${nth}`);
    await singer.api.invites.join({ invite });
    singers.push(singer);
  }
  expect(await first(w.db, sql`select count(*)::int as n from members where club_id = ${club.id}`)).toEqual({
    n: 45,
  });
  // A singer who comes and changes nothing.
  const quiet = singers[25] as Person;
  const devices = new Map<Person, ReturnType<PushService['subscribe']>>();
  for (const person of [...hosts, quiet]) {
    const device = service.subscribe();
    devices.set(person, device);
    await person.api.push.saveDevice(device);
  }
  const pushesTo = (person: Person) => service.messagesFor(devices.get(person) ?? { endpoint: '' });
  /** Waits until pushes are sent, as they are within seconds, so that each change has its own. */
  const pushed = () => expect.poll(() => all(w.db, sql`select from pushes`), { timeout: 30_000 }).toEqual([]);
  const before = new Map<Person, number>();
  for (const host of [...hosts, quiet]) before.set(host, (await mailsTo(host)).length);
  const textsTo = async (host: Person) =>
    (await mailsTo(host)).slice(before.get(host)).map(({ subject, text }) => `${subject} ${text}`);

  for (const singer of singers.slice(0, 30)) await answer(singer, 'going');
  for (const host of hosts) expect(await textsTo(host)).toEqual([]);
  const burst = async (from: number) => {
    for (const [nth, singer] of singers.slice(from, from + 5).entries()) {
      await (nth < 2 ? answer(singer, 'no') : answer(singer, 'going', { note: `Note of ${randomUUID()}` }));
      await pushed();
    }
  };
  await burst(0);
  for (const singer of singers.slice(20, 22)) {
    await singer.api.questions.ask({ event, question: 'Which entrance is open?' });
    await pushed();
  }
  for (const host of hosts) expect(await textsTo(host)).toHaveLength(2);
  await ada.api.updates.sendMessage({ event, content: 'We start with the Schütz.', to: ['going'] });
  await pushed();
  await burst(10);
  for (const host of hosts) {
    const texts = await textsTo(host);
    const wrote = host === ada ? 1 : 0;
    expect(texts).toHaveLength(4 - wrote);
    expect(texts.filter((text) => text.startsWith('5 changes: Tuesday run'))).toHaveLength(2);
    expect(texts.filter((text) => text.startsWith('2 questions: Tuesday run'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('We start with the Schütz.'))).toHaveLength(1 - wrote);
    expect(texts.join('').match(/can't come\./g)).toHaveLength(4);
    expect(texts.join('').match(/wrote a note\./g)).toHaveLength(6);
  }

  // Ten late changes are ten rows of the bell, six pushes and one notification on a device.
  for (const host of hosts) {
    const wrote = host === ada ? 1 : 0;
    const pushes = pushesTo(host);
    const lateChanges = pushes.filter(({ body }) => /can't come|a note/.test(body));
    expect(await noticesOf(host)).toHaveLength(10);
    expect(lateChanges).toHaveLength(6);
    expect(new Set(lateChanges.map(({ tag }) => tag)).size).toBe(1);
    expect(pushes.filter(({ body }) => body.includes('question'))).toHaveLength(2);
    expect(pushes).toHaveLength(9 - wrote);
    expect(new Set(pushes.map(({ tag }) => tag)).size).toBe(3 - wrote);
    expect(pushes.map(({ body }) => body).join(' ')).not.toContain('Note of');
  }
  // The singer gets an email that confirms the answer and one about the message, and a push about the message.
  expect(await textsTo(quiet)).toEqual([
    expect.stringMatching(/^You're going: Tuesday run/),
    expect.stringContaining('We start with the Schütz.'),
  ]);
  expect(pushesTo(quiet).map(({ title, body }) => `${title}: ${body}`)).toEqual([
    'Harbour Rowers: Ada wrote about “Tuesday run”.',
  ]);
  expect(service.errors).toEqual([]);
});
