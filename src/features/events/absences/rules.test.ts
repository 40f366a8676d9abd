import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  givenAnswers,
  turns,
  type EventToAnswer,
  type Given,
  type Standing,
} from '#features/events/absences/rules.ts';
import type { Answer } from '#features/events/choice-contract.ts';

const answersTo = (...input: Parameters<typeof givenAnswers>) => [...givenAnswers(...input)].flat();

const dateOf = (event_id: string, more: Partial<EventToAnswer> = {}): EventToAnswer => ({
  event_id,
  section_ids: [],
  capacity: null,
  waitlist: true,
  guests_max: 0,
  is_closed: false,
  taken: 1,
  last_place: 0,
  answers: [],
  away: [],
  on: '2027-06-08',
  ...more,
});
const standingOf = (user_id: string, guests = 0): Standing => ({
  user_id,
  answer: 'going',
  guests,
  section_ids: [],
});
const answerOf = (user_id: string, answer: Answer, more: Partial<EventToAnswer['answers'][number]> = {}) => ({
  user_id,
  answer,
  guests: 0,
  place: answer === 'waiting' ? 1 : null,
  via: 'standing',
  is_own: false,
  ...more,
});
const declines: Standing = { user_id: 'ada', answer: 'no', guests: 0, section_ids: [] };

test.each<[what: string, date: Partial<EventToAnswer>, standing: Standing, expected: object | undefined]>([
  ['answers a date without limit', {}, standingOf('ada'), { answer: 'going', guests: 0, place: null }],
  [
    'brings at most the allowed guests',
    { guests_max: 2 },
    standingOf('ada', 5),
    { answer: 'going', guests: 2 },
  ],
  ['takes the last seat', { capacity: 2 }, standingOf('ada'), { answer: 'going' }],
  ['waits when all seats are taken', { capacity: 1 }, standingOf('ada'), { answer: 'waiting', place: 1 }],
  [
    'waits behind members who already wait',
    { capacity: 5, last_place: 3 },
    standingOf('ada'),
    { answer: 'waiting', place: 4 },
  ],
  [
    'gives no answer to a full date without a waitlist',
    { capacity: 1, waitlist: false },
    standingOf('ada'),
    undefined,
  ],
  ['gives no answer after the cut-off', { is_closed: true }, standingOf('ada'), undefined],
  ['declines after the cut-off', { is_closed: true }, declines, { answer: 'no' }],
  ['declines a full date', { capacity: 1 }, declines, { answer: 'no', place: null }],
  [
    'keeps an answer that the member gave to the date alone',
    { answers: [answerOf('ada', 'maybe', { is_own: true })] },
    standingOf('ada'),
    undefined,
  ],
  ['does not repeat the answer going', { answers: [answerOf('ada', 'going')] }, standingOf('ada'), undefined],
  ['does not repeat the answer no', { answers: [answerOf('ada', 'no')] }, declines, undefined],
  [
    'does not join the waitlist again',
    { capacity: 1, answers: [answerOf('ada', 'waiting')] },
    standingOf('ada'),
    undefined,
  ],
  [
    'replaces an earlier standing answer',
    { answers: [answerOf('ada', 'going')] },
    declines,
    { answer: 'no' },
  ],
  [
    'keeps the seat when more guests do not fit',
    { capacity: 3, taken: 3, guests_max: 5, answers: [answerOf('ada', 'going')] },
    standingOf('ada', 1),
    undefined,
  ],
  [
    'gives back the seats of guests on an overbooked date',
    { capacity: 2, taken: 5, guests_max: 5, answers: [answerOf('ada', 'going', { guests: 3 })] },
    standingOf('ada', 1),
    { answer: 'going', guests: 1 },
  ],
  [
    'keeps the place on the waitlist with fewer guests',
    {
      capacity: 2,
      last_place: 3,
      guests_max: 5,
      answers: [answerOf('ada', 'waiting', { guests: 3, place: 2 })],
    },
    standingOf('ada', 1),
    { answer: 'waiting', guests: 1, place: 2 },
  ],
  [
    'loses the place on the waitlist with more guests',
    { capacity: 2, last_place: 3, guests_max: 5, answers: [answerOf('ada', 'waiting', { place: 2 })] },
    standingOf('ada', 1),
    { answer: 'waiting', guests: 1, place: 4 },
  ],
])('standing answer: %s [STAND-02, STAND-05]', (_, date, standing, expected) => {
  const [given, ...more] = answersTo([dateOf('run', date)], [standing], []);
  expect(more).toEqual([]);
  if (expected) expect(given).toMatchObject({ event_id: 'run', user_id: 'ada', ...expected });
  else expect(given).toBeUndefined();
});

const seatsOf = (given: readonly Given[]) => {
  const seated = given.filter(({ answer }) => answer === 'going');
  return Map.groupBy(seated, ({ user_id }) => user_id);
};

test('standing answers: seats go first to members who had a seat on the fewest of the last twelve dates, then to the oldest standing answer [STAND-05]', () => {
  const standing = ['ada', 'cyd', 'bob'].map((name) => standingOf(name));
  const earlier = [['cyd'], ...Array.from({ length: 11 }, () => ['ada'])];
  const [first, second] = ['one', 'two'].map((name) => dateOf(name, { capacity: 3 }));
  const given = answersTo([first, second] as EventToAnswer[], standing, earlier);
  const order = (id: string) =>
    given.filter(({ event_id }) => event_id === id).map(({ user_id, place }) => `${user_id} ${place}`);
  expect(order('one')).toEqual(['bob null', 'cyd null', 'ada 1']);
  // Cyd's first seat is thirteen dates before this one, so it no longer counts.
  expect(order('two')).toEqual(['cyd null', 'bob null', 'ada 1']);
});

test('standing answers: equal members of a full series take turns over its first twelve dates [STAND-05]', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 2, max: 30 }), (people, capacity) => {
      const standing = Array.from({ length: people }, (_, n) => standingOf(`member ${n}`));
      const dates = Array.from({ length: turns }, (_, n) => dateOf(`date ${n}`, { capacity }));
      const seats = seatsOf(answersTo(dates, standing, []));
      const counts = standing.map(({ user_id }) => seats.get(user_id)?.length ?? 0);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    }),
  );
});

test('standing answers: after dates on which some members held the seats, all members get equally many seats on the next twelve dates [STAND-05]', () => {
  const anyNumber = fc.integer({ min: 1, max: 30 });
  fc.assert(
    fc.property(anyNumber, fc.integer({ min: 2, max: 30 }), anyNumber, (people, capacity, before) => {
      const standing = Array.from({ length: people }, (_, n) => standingOf(`member ${n}`));
      const holders = standing.slice(0, capacity - 1).map(({ user_id }) => user_id);
      const earlier = Array.from({ length: Math.min(before, turns) }, () => holders);
      const dates = Array.from({ length: turns }, (_, n) => dateOf(`date ${n}`, { capacity }));
      const seats = seatsOf(answersTo(dates, standing, earlier));
      const counts = standing.map(({ user_id }) => seats.get(user_id)?.length ?? 0);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    }),
  );
});

test('standing answers: parties never overbook a date, and nobody overtakes a party that waits [STAND-05]', () => {
  const parties = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(parties, fc.integer({ min: 1, max: 40 }), (guests, capacity) => {
      const standing = guests.map((count, n) => standingOf(`member ${n}`, count));
      const given = answersTo([dateOf('run', { capacity, guests_max: 9 })], standing, []);
      const seated = given.filter(({ answer }) => answer === 'going');
      expect(seated.reduce((sum, party) => sum + 1 + party.guests, 1)).toBeLessThanOrEqual(capacity);
      expect(given.slice(0, seated.length)).toEqual(seated);
      expect(given.length).toBe(guests.length);
    }),
  );
});
