import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { deleteExpired } from '#features/account/jobs.ts';
import { outcomeOf, send } from '#test/calls.ts';
import { codeFor, eachRound, timeout } from '#test/races/people.ts';
import { sentEmails } from '#test/sent-emails.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let people: Record<'ada' | 'hal' | 'mia' | 'tim' | 'zoe', Person>;
let club: ClubHandle;
let event: { id: string; slug: string };

beforeAll(async () => {
  w = await world();
});
afterAll(() => w[Symbol.asyncDispose]());

/** An event of Ada, the admin, and Hal, a member, who is its first host. Mia and Tim are members, Zoe is an outsider. */
beforeEach(async () => {
  await run(w.db, sql`delete from rate_limits`);
  const [ada, hal, mia, tim, zoe] = (await Promise.all(
    ['Ada', 'Hal', 'Mia', 'Tim', 'Zoe'].map((name) => w.person(name)),
  )) as [Person, Person, Person, Person, Person];
  people = { ada, hal, mia, tim, zoe };
  club = await w.club([ada, hal, mia, tim]);
  event = await w.event(club, ada, { name: 'Tuesday run', startsIn: 48 });
  await ada.api.hosts.handOver({ event: event.id, user_id: hal.id });
  await ada.api.answers.answer({ event: event.id, answer: 'no' });
  await sentEmails(w);
});

const ask = (by: Person, question = 'Where do we meet?') =>
  by.api.questions.ask({ event: event.id, question });
const answer = (
  by: Person,
  { id }: { id: string },
  { answer = 'North gate', shared = false, version = undefined as number | undefined } = {},
) => by.api.questions.answer({ question: id, answer, shared }, version);
const remove = (by: Person, { id }: { id: string }) => by.api.questions.remove({ question: id });
const questionsFor = async ({ api }: Person) => (await api.events.get({ event: event.id })).questions;

const subjectsTo = async ({ email }: Person) =>
  (await sentEmails(w))
    .filter((mail) => mail.to?.[0]?.address === email && /question|answer/i.test(mail.subject ?? ''))
    .map(({ subject }) => subject);
const textsTo = async ({ email }: Person) =>
  (await sentEmails(w)).filter((mail) => mail.to?.[0]?.address === email).map(({ text }) => text ?? '');
const bellOf = async ({ api }: Person) =>
  (await api.notifications.list({}))
    .map(({ message }) => message)
    .filter((each) => each.includes('question'));
const later = (span: string) =>
  run(
    w.db,
    sql`update events set start_time = start_time - ${span}::interval, end_time = end_time - ${span}::interval,
          entry_until_time = entry_until_time - ${span}::interval where id = ${event.id}`,
  );

test('ask: 201 for members, 403 or 404 for outsiders, and refused for a cancelled event and after the end [ASK-01]', async () => {
  const { hal, mia, zoe } = people;
  const line = `POST /v1/events/${event.slug}/questions`;
  const body = { question: ' Where do we meet? ' };
  expect(await send(w, mia, line, body)).toMatchObject({
    status: 201,
    data: {
      question: 'Where do we meet?',
      answer: '',
      answered_at: null,
      shared: false,
      version: 0,
      is_mine: true,
      author: null,
    },
  });
  expect(await send(w, zoe, line, body)).toMatchObject({ status: 403, error: 'not_member' });
  await later('5 days');
  expect(await send(w, mia, line, body)).toMatchObject({ status: 409, error: 'event_ended' });
  event = await w.event(club, people.ada, { startsIn: 72 });
  await people.ada.api.events.cancel({ event: event.id });
  expect(await outcomeOf(ask(mia))).toBe('409 event_cancelled');
  expect(await questionsFor(hal)).toEqual([]);
});

test('answer: by runners, to the author alone or to everyone; runners see all questions, open ones first [ASK-02 ASK-03]', async () => {
  const { ada, hal, mia, tim, zoe } = people;
  const where = await ask(mia);
  w.later('1 minute');
  const when = await ask(tim, 'When?');
  expect(await outcomeOf(answer(mia, where))).toBe('403 not_runner');
  expect(await outcomeOf(answer(tim, where))).toBe('404 not_found');
  expect(await outcomeOf(answer(zoe, where))).toBe('404 not_found');
  expect(await answer(hal, where)).toMatchObject({
    answer: 'North gate',
    version: 1,
    author: { first_name: 'Mia' },
  });
  for (const runner of [ada, hal])
    expect(await questionsFor(runner)).toMatchObject([
      { question: 'When?', author: { first_name: 'Tim' } },
      { question: 'Where do we meet?', answer: 'North gate' },
    ]);
  expect(await questionsFor(mia)).toMatchObject([{ answer: 'North gate', is_mine: true, author: null }]);
  expect(await questionsFor(tim)).toMatchObject([{ question: 'When?', answer: '' }]);
  await answer(ada, where, { shared: true });
  expect(await outcomeOf(answer(tim, where))).toBe('403 not_runner');
  const [own, shared] = await questionsFor(tim);
  expect([own?.id, shared]).toMatchObject([
    when.id,
    { answer: 'North gate', shared: true, is_mine: false, author: null },
  ]);
  expect(JSON.stringify(shared)).not.toMatch(new RegExp(`Mia|${mia.id}`));
});

test('questions: nobody else sees anything of them, in the preview, the club or the search [ASK-03]', async () => {
  const { mia, tim, zoe } = people;
  const question = await ask(mia, 'Canary question');
  await answer(people.hal, question, { answer: 'Canary answer' });
  await sentEmails(w);
  for (const person of [tim, zoe])
    for (const path of [
      `/v1/events/${event.slug}`,
      `/v1/clubs/${club.slug}`,
      `/v1/updates/${club.slug}`,
      '/v1/notifications',
      `/v1/events/${event.slug}/calendar.ics`,
    ])
      expect(JSON.stringify(await send(w, person, `GET ${path}`).catch(() => ''))).not.toContain('Canary');
  expect((await textsTo(tim)).join('')).not.toContain('Canary');
});

test('a new question is told to the hosts, those of one minute in one email, and an answer to the author alone [ASK-04]', async () => {
  const { ada, hal, mia, tim } = people;
  const where = await ask(mia);
  await ask(tim, 'When?');
  expect(await subjectsTo(hal)).toEqual([
    expect.stringMatching(/^2 questions: Tuesday run, \w{3} \d+ \w{3}$/),
  ]);
  const text = (await textsTo(hal)).find((each) => each.includes('Where do we meet?'));
  expect(text).toMatch(/Mia has a question about “Tuesday run”\.[^]*Where do we meet\?[^]*Tim has[^]*When\?/);
  expect(await bellOf(hal)).toHaveLength(2);
  for (const other of [ada, mia, tim]) expect(await subjectsTo(other)).toEqual([]);
  await answer(hal, where, { shared: true });
  expect(await subjectsTo(mia)).toEqual([expect.stringMatching(/^Answer: Tuesday run, \w{3} \d+ \w{3}$/)]);
  expect(await bellOf(mia)).toEqual(['Hal answered your question about “Tuesday run”.']);
  for (const other of [ada, tim]) expect(await subjectsTo(other)).toEqual([]);
});

test('an email about a question that was deleted or answered meanwhile is not sent, and a former host reads it nowhere [ASK-04]', async () => {
  const { ada, hal, mia } = people;
  await remove(mia, await ask(mia));
  await answer(ada, await ask(mia, 'When?'));
  expect(await subjectsTo(hal)).toEqual([]);
  expect(await bellOf(hal)).toEqual(['Mia has a question about “Tuesday run”.']);
  await ask(mia, 'Why?');
  await ada.api.hosts.handOver({ event: event.id, user_id: ada.id });
  expect([await subjectsTo(hal), await bellOf(hal)]).toEqual([[], []]);
});

test(
  'of two hosts who answer at once with the same version, one gets 200 and the other 412 [ASK-05]',
  async () => {
    const { ada, hal, mia } = people;
    for (const nth of eachRound) {
      await run(w.db, sql`delete from rate_limits`);
      const question = await ask(mia, `Question ${nth}`);
      const outcomes = await Promise.all(
        [ada, hal].map((host) => outcomeOf(answer(host, question, { answer: `By ${host.id}`, version: 0 }))),
      );
      expect(outcomes.toSorted()).toEqual(['412 changed_meanwhile', 'ok']);
      await remove(ada, question);
    }
  },
  timeout,
);

test('an answer can be changed until thirty days after the end, and each changed text is told once [ASK-05]', async () => {
  const { ada, hal, mia } = people;
  const question = await ask(mia);
  await answer(hal, question);
  expect(await subjectsTo(mia)).toHaveLength(1);
  await answer(ada, question, { shared: true });
  await answer(ada, question, { shared: true });
  expect(await subjectsTo(mia)).toHaveLength(1);
  await answer(ada, question, { answer: 'South gate', shared: true });
  expect(await subjectsTo(mia)).toHaveLength(2);
  await later('31 days');
  expect(await outcomeOf(answer(hal, question, { answer: 'West gate' }))).toBe('ok');
  await later('2 days');
  expect(await outcomeOf(answer(hal, question, { answer: 'East gate' }))).toBe('409 message_closed');
});

test('limits: the sixth question of a person a day, a question while fifty are open, blank and long texts [ASK-06]', async () => {
  const { hal, mia, tim } = people;
  for (let n = 0; n < 5; n++) await ask(mia, `Question ${n}`);
  const line = `POST /v1/events/${event.id}/questions`;
  const refused = await send(w, mia, line, { question: 'Once more' });
  expect([refused.status, refused.error]).toEqual([429, 'too_often']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000);
  await run(
    w.db,
    sql`insert into questions (id, event_id, author_id, question, asked_at)
        select gen_random_uuid(), ${event.id}, ${mia.id}, 'Open', now() from generate_series(1, 45)`,
  );
  expect(await outcomeOf(ask(tim))).toBe('409 too_many_questions');
  await answer(hal, (await questionsFor(hal))[0] as { id: string });
  for (const question of ['', ' \n ', 'x'.repeat(501)])
    expect(await send(w, tim, line, { question })).toMatchObject({ status: 400, error: 'bad_input' });
  expect(await outcomeOf(ask(tim, 'x'.repeat(500)))).toBe('ok');
  const [open] = await questionsFor(tim);
  for (const text of ['', ' ', 'x'.repeat(1001)])
    expect(await outcomeOf(answer(hal, open as { id: string }, { answer: text }))).toBe('400 bad_input');
});

test('delete: by the author and by runners, 404 for all others [ASK-07]', async () => {
  const { ada, hal, mia, tim, zoe } = people;
  const question = await ask(mia);
  await answer(hal, question, { shared: true });
  for (const other of [tim, zoe]) expect(await outcomeOf(remove(other, question))).toBe('404 not_found');
  await remove(mia, question);
  await remove(ada, await ask(mia));
  expect(await questionsFor(ada)).toEqual([]);
});

test('questions are deleted thirty days after the end of their event, and with the membership or account of their author [ASK-07]', async () => {
  const { hal, mia, tim } = people;
  const count = async () =>
    (await all(w.db, sql`select 1 from questions where event_id = ${event.id}`)).length;
  await ask(mia);
  await ask(tim);
  await mia.api.members.leave({ club: club.id });
  expect(await count()).toBe(1);
  await tim.api.account.remove({ code: await codeFor(w, tim.email, 'ABCDEF', 'deletion') });
  expect(await count()).toBe(0);
  await ask(people.ada);
  await later('31 days');
  await deleteExpired(w.db, w.now());
  expect(await count()).toBe(1);
  await later('2 days');
  await deleteExpired(w.db, w.now());
  expect(await count()).toBe(0);
  expect(await bellOf(hal)).toEqual([]);
});

const exportOf = async (person: Person) =>
  (await person.api.account.export({
    code: await codeFor(w, person.email, 'ABCDEF', 'export'),
  })) as unknown as Record<string, unknown>;

test('the own export has the questions asked and the answers given [ASK-07]', async () => {
  const { hal, mia } = people;
  await answer(hal, await ask(mia));
  expect(await exportOf(mia)).toMatchObject({
    questions: [{ event_name: 'Tuesday run', question: 'Where do we meet?', answer: 'North gate' }],
    question_answers: [],
  });
  const { questions, question_answers } = await exportOf(hal);
  expect([questions, question_answers]).toMatchObject([
    [],
    [{ event_name: 'Tuesday run', answer: 'North gate' }],
  ]);
  expect(JSON.stringify(question_answers)).not.toContain('Where do we meet?');
});
