import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { run, sql } from '#platform/db/client.ts';
import type { AnswerList } from '#features/events/answers/contract.ts';
import type { EventFields } from '#features/events/field-contract.ts';
import { outcomeOf } from '#test/calls.ts';
import { newSeries } from '#test/new-series.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
/** Ada is the admin and hosts all events. Eve is no member of the club. */
let people: Record<'ada' | 'bob' | 'cyd' | 'dan' | 'eve', Person>;
let club: ClubHandle;

beforeAll(async () => {
  w = await world();
  const [ada, bob, cyd, dan, eve] = (await Promise.all(
    ['Ada', 'Bob', 'Cyd', 'Dan', 'Eve'].map((name) => w.person(name)),
  )) as [Person, Person, Person, Person, Person];
  people = { ada, bob, cyd, dan, eve };
  club = await w.club([ada, bob, cyd, dan]);
});
beforeEach(() => run(w.db, sql`delete from rate_limits`));
afterAll(() => w[Symbol.asyncDispose]());

const menu = { question: 'Which menu?', choices: ['Vegetarian', 'Vegan'] };

type Asked = Pick<EventFields, 'question' | 'choices'>;
const eventWith = (asked: Partial<Asked> = {}) => w.event(club, people.ada, asked);
const edit = (event: string, asked: Partial<Asked>) =>
  people.ada.api.events.edit({ event, club: club.id, ...asked });
const reply = ({ api }: Person, event: string, text: string) =>
  api.answers.answer({ event, answer: 'going', reply: text });
const myReply = async ({ api }: Person, event: string) => (await api.events.get({ event })).my_reply;

const comes = ['going', 'waiting', 'maybe'] as const;
const listOf = async (event: string, state: AnswerList) =>
  (await people.ada.api.answers.list({ event, state })).answers;

/** The sums that the host reads, and the sums counted from the lists. */
async function sumsOf(event: string, { choices }: Pick<Asked, 'choices'>) {
  const { reply_counts } = await people.ada.api.events.get({ event });
  const rows = (await Promise.all(comes.map((state) => listOf(event, state)))).flat();
  const counted = Map.groupBy(rows, (row) =>
    row.reply === '' || choices.includes(row.reply) ? row.reply : null,
  );
  const order = [...choices, null, ''];
  return {
    read: reply_counts,
    counted: order.flatMap((key) => {
      const n = counted.get(key)?.length ?? 0;
      return n > 0 ? [{ reply: key, n }] : [];
    }),
  };
}

describe('question', () => {
  test('is empty at first, and is created, edited and removed with its choices [REPLY-01]', async () => {
    const { id: plain } = await eventWith();
    expect(await people.bob.api.events.get({ event: plain })).toMatchObject({ question: '', choices: [] });
    const { id } = await eventWith(menu);
    expect(await people.bob.api.events.get({ event: id })).toMatchObject(menu);
    await edit(id, { choices: ['Meat', 'Vegan'] });
    expect(await people.bob.api.events.get({ event: id })).toMatchObject({
      question: menu.question,
      choices: ['Meat', 'Vegan'],
      changes: [{ before: { choices: menu.choices }, after: { choices: ['Meat', 'Vegan'] } }],
    });
    await edit(id, { question: '', choices: [] });
    expect(await people.bob.api.events.get({ event: id })).toMatchObject({ question: '', choices: [] });
    expect(await outcomeOf(people.bob.api.events.edit({ event: id, club: club.id, ...menu }))).toBe(
      '403 not_admin',
    );
  });

  const tooMany = Array.from({ length: 9 }, (_, n) => `Menu ${n}`);
  test.each<[string, object]>([
    ['a question of 121 characters', { question: 'x'.repeat(121) }],
    ['a question of two lines', { question: 'One\nTwo' }],
    ['nine choices', { question: 'Which?', choices: tooMany }],
    ['an empty choice', { question: 'Which?', choices: ['A', ' '] }],
    ['a choice of 41 characters', { question: 'Which?', choices: ['x'.repeat(41)] }],
    ['the same choice twice', { question: 'Which?', choices: ['A', ' A '] }],
    ['choices without a question', { choices: ['A'] }],
  ])('%s is bad input, also in an edit and in a series [REPLY-01]', async (_, asked) => {
    const { id } = await eventWith();
    const { ada } = people;
    expect(await outcomeOf(eventWith(asked))).toBe('400 bad_input');
    expect(await outcomeOf(edit(id, asked))).toBe('400 bad_input');
    expect(await outcomeOf(ada.api.series.plan({ club: club.id, ...newSeries, ...asked }))).toBe(
      '400 bad_input',
    );
  });

  test('may have 120 characters and eight choices of 40 [REPLY-01]', async () => {
    const choices = tooMany.slice(1).map((choice) => choice.padEnd(40, 'x'));
    const { id } = await eventWith({ question: 'x'.repeat(120), choices });
    expect(await people.ada.api.events.get({ event: id })).toMatchObject({ choices });
  });

  test('cannot be removed while it has choices, and an edit with the same choices changes nothing [REPLY-01]', async () => {
    const { id } = await eventWith(menu);
    expect(await outcomeOf(edit(id, { question: '' }))).toBe('400 bad_input');
    await edit(id, menu);
    expect((await people.ada.api.events.get({ event: id })).changes).toEqual([]);
  });

  test('undo restores the question and its choices [REPLY-01]', async () => {
    const { id } = await eventWith(menu);
    await edit(id, { question: '', choices: [] });
    const { undo } = await people.ada.api.events.get({ event: id });
    await people.ada.api.events.undo({ event: id, change: undo?.change ?? '' });
    expect(await people.ada.api.events.get({ event: id })).toMatchObject(menu);
  });

  test('dates of a series have it, and a date with a question of its own keeps both parts of it [REPLY-01]', async () => {
    const { ada } = people;
    const { id: series } = await ada.api.series.plan({ club: club.id, ...newSeries, ...menu });
    const dates = (await ada.api.series.get({ series })).events.slice(0, 3).map(({ id }) => id);
    const questions = () =>
      Promise.all(
        dates.map(async (event) => {
          const { question, choices } = await ada.api.events.get({ event });
          return [question, ...choices];
        }),
      );
    const [old] = await questions();
    expect(await questions()).toEqual([old, old, old]);
    expect(old).toEqual([menu.question, ...menu.choices]);
    await edit(dates[1] ?? '', { choices: ['Fish'] });
    await ada.api.series.edit({ series, question: 'Shirt size?', choices: ['M', 'L'] });
    const shirts = ['Shirt size?', 'M', 'L'];
    expect(await questions()).toEqual([shirts, ['Which menu?', 'Fish'], shirts]);
    expect(await outcomeOf(ada.api.series.edit({ series, question: '' }))).toBe('400 bad_input');
    await ada.api.series.edit({ series, question: '', choices: [] });
    expect(await questions()).toEqual([[''], ['Which menu?', 'Fish'], ['']]);
  });
});

describe('reply', () => {
  test('is saved with the answer, replaced and removed, and stays if the answer comes without one [REPLY-02]', async () => {
    const { bob } = people;
    const { id } = await eventWith(menu);
    await bob.api.answers.answer({ event: id, answer: 'maybe', note: 'Late', reply: 'Vegan' });
    expect(await bob.api.events.get({ event: id })).toMatchObject({ my_reply: 'Vegan', my_note: 'Late' });
    await bob.api.answers.answer({ event: id, answer: 'going' });
    expect(await myReply(bob, id)).toBe('Vegan');
    await reply(bob, id, 'Vegetarian');
    expect(await bob.api.events.get({ event: id })).toMatchObject({
      my_reply: 'Vegetarian',
      my_note: 'Late',
    });
    await reply(bob, id, '');
    expect(await myReply(bob, id)).toBe('');
  });

  test('must be one of the choices, if there are any [REPLY-02]', async () => {
    const { ada, bob } = people;
    const { id } = await eventWith(menu);
    expect(await outcomeOf(reply(bob, id, 'Fish'))).toBe('400 no_such_choice');
    expect(await outcomeOf(reply(bob, id, 'vegan'))).toBe('400 no_such_choice');
    expect(await bob.api.events.get({ event: id })).toMatchObject({ my_answer: null, my_reply: '' });
    const answerFor = (text: string) =>
      ada.api.answers.answerFor({ event: id, user: bob.id, answer: 'going', reply: text });
    expect(await outcomeOf(answerFor('Fish'))).toBe('400 no_such_choice');
    await answerFor('Vegan');
    expect(await myReply(bob, id)).toBe('Vegan');
  });

  test('is a line of at most 200 characters without choices [REPLY-02]', async () => {
    const { bob } = people;
    const { id } = await eventWith({ question: 'Allergies?' });
    await reply(bob, id, 'x'.repeat(200));
    expect(await myReply(bob, id)).toBe('x'.repeat(200));
    for (const text of ['x'.repeat(201), 'One\nTwo'])
      expect(await outcomeOf(reply(bob, id, text))).toBe('400 bad_input');
  });

  test('can be given after the cut-off, and not after the end [REPLY-02]', async () => {
    const { bob } = people;
    const { id } = await eventWith(menu);
    await bob.api.answers.attend({ event: id });
    await run(w.db, sql`update events set entry_until_time = now() - interval '1 minute' where id = ${id}`);
    await reply(bob, id, 'Vegan');
    expect(await myReply(bob, id)).toBe('Vegan');
    await run(
      w.db,
      sql`update events set start_time = now() - interval '2 hours', end_time = now() - interval '1 minute' where id = ${id}`,
    );
    expect(await outcomeOf(reply(bob, id, 'Vegetarian'))).toBe('409 event_ended');
  });

  test('to an event without a question is bad input; removing the question hides replies and keeps them [REPLY-04]', async () => {
    const { ada, bob } = people;
    const { id } = await eventWith(menu);
    await reply(bob, id, 'Vegan');
    await edit(id, { question: '', choices: [] });
    expect(await outcomeOf(reply(bob, id, 'Vegan'))).toBe('400 bad_input');
    const answerFor = { event: id, user: bob.id, answer: 'going' as const };
    expect(await outcomeOf(ada.api.answers.answerFor({ ...answerFor, reply: '' }))).toBe('400 bad_input');
    expect(await ada.api.events.get({ event: id })).toMatchObject({ reply_counts: null });
    expect((await listOf(id, 'going')).map((row) => row.reply)).toEqual(['', '']);
    expect(await myReply(bob, id)).toBe('');
    await bob.api.answers.answer({ event: id, answer: 'maybe' });
    await edit(id, menu);
    expect(await myReply(bob, id)).toBe('Vegan');
    expect(await listOf(id, 'maybe')).toMatchObject([{ id: bob.id, reply: 'Vegan' }]);
  });

  test('changes neither the version of the event nor what the others see [REPLY-04]', async () => {
    const { bob, cyd } = people;
    const { id } = await eventWith(menu);
    await bob.api.answers.attend({ event: id });
    const seen = async () => JSON.stringify(await cyd.api.events.get({ event: id }));
    const before = await seen();
    await reply(bob, id, 'Vegan');
    expect(await seen()).toBe(before);
  });

  test('stands in no response to other members or outsiders, no feed, preview and notice [REPLY-04]', async () => {
    const { ada, bob, cyd, eve } = people;
    const { id, slug } = await w.event(club, ada, { question: 'Allergies?' });
    const secret = 'Allergic to walnuts';
    await reply(bob, id, secret);
    // A new place notifies everybody who comes.
    await ada.api.events.edit({ event: id, club: club.id, location_name: 'Hall' });
    await bob.api.answers.answer({ event: id, answer: 'no' });
    await bob.api.answers.answer({ event: id, answer: 'going' });
    await w.hurry();
    const feed = (await bob.api.clubs.get({ club: club.id })).ical_feed_url_id;
    const seen = [
      await cyd.api.events.get({ event: id }),
      await cyd.api.events.ofClub({ club: club.id }),
      await cyd.api.answers.people({ event: id }),
      await cyd.api.clubs.get({ club: club.id }),
      await eve.api.events.get({ event: id }),
      await bob.api.calendar.clubFeed({ club: club.id, secret: feed }),
      await ada.api.notifications.list({}),
      await cyd.api.notifications.list({}),
      (await fetch(`${w.origin}/app/events/${slug}`)).text(),
    ];
    const emails = (await w.outbox()).map(({ subject, text, html }) => [subject, text, html]);
    expect(JSON.stringify([await Promise.all(seen), emails])).not.toContain(secret);
    expect(await outcomeOf(cyd.api.answers.list({ event: id }))).toBe('403 not_runner');
    expect(await cyd.api.events.get({ event: id })).toMatchObject({ my_reply: '', reply_counts: null });
    // Outsiders do not see the question either.
    const outside = { question: '', choices: [], my_reply: '', reply_counts: null };
    expect(await eve.api.events.get({ event: id })).toMatchObject(outside);
  });

  test('sums: of those who are going, waiting or maybe, equal to a count of the lists [REPLY-03]', async () => {
    const { bob, cyd, dan } = people;
    const { id } = await w.event(club, people.ada, { ...menu, capacity: 2 });
    expect(await sumsOf(id, menu)).toEqual({ read: [{ reply: '', n: 1 }], counted: [{ reply: '', n: 1 }] });
    await reply(bob, id, 'Vegan');
    await reply(cyd, id, 'Vegetarian');
    await dan.api.answers.answer({ event: id, answer: 'maybe', reply: 'Vegan' });
    expect((await cyd.api.events.get({ event: id })).my_answer).toBe('waiting');
    const sums = await sumsOf(id, menu);
    expect(sums.read).toEqual([
      { reply: 'Vegetarian', n: 1 },
      { reply: 'Vegan', n: 2 },
      { reply: '', n: 1 },
    ]);
    expect(sums.counted).toEqual(sums.read);
    await dan.api.answers.answer({ event: id, answer: 'no' });
    expect(await listOf(id, 'no')).toMatchObject([{ id: dan.id, reply: '' }]);
    expect((await sumsOf(id, menu)).read).toEqual((await sumsOf(id, menu)).counted);
    expect((await sumsOf(id, menu)).read).toContainEqual({ reply: 'Vegan', n: 1 });
  });

  test('sums: replies that are no choice any more count as one other, and so do all without choices [REPLY-03]', async () => {
    const { bob, cyd, dan } = people;
    const { id } = await eventWith(menu);
    await reply(bob, id, 'Vegan');
    await reply(cyd, id, 'Vegetarian');
    const choices = ['Fish', 'Vegan'];
    await edit(id, { choices });
    await reply(dan, id, 'Fish');
    const sums = await sumsOf(id, { choices });
    expect(sums.read).toEqual([
      { reply: 'Fish', n: 1 },
      { reply: 'Vegan', n: 1 },
      { reply: null, n: 1 },
      { reply: '', n: 1 },
    ]);
    expect(sums.counted).toEqual(sums.read);
    expect(await myReply(cyd, id)).toBe('Vegetarian');
    // The earlier reply does not keep the member from answering.
    await cyd.api.answers.answer({ event: id, answer: 'maybe' });
    await edit(id, { choices: [] });
    expect((await sumsOf(id, { choices: [] })).read).toEqual([
      { reply: null, n: 3 },
      { reply: '', n: 1 },
    ]);
  });
});
