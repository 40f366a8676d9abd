import { expect, test } from 'vitest';
import { isTooQuick, whyCannotAnswer, withAttendance } from '#features/answers/rules.ts';
import type { Event } from '#features/events/contract.ts';

test.each([
  ['no request was sent', { inFlight: false }, 0, false],
  ['a request is in flight', { inFlight: true }, 60_000, true],
  ['a request is in flight long after a response', { inFlight: true, answeredAt: 0 }, 60_000, true],
  ['the response has just arrived', { inFlight: false, answeredAt: 5000 }, 5000, true],
  ['the response is 999 ms old', { inFlight: false, answeredAt: 5000 }, 5999, true],
  ['the response is one second old', { inFlight: false, answeredAt: 5000 }, 6000, false],
])('attend button: a click when %s [EVENT-37 TOAST-23]', (_when, pace, now, quick) => {
  expect(isTooQuick(pace, now)).toBe(quick);
});

const now = '2027-06-08T12:00:00.000Z';
const open = {
  deleted_at: null,
  entry_until_time: '2027-06-08T18:00:00.000Z',
  end_time: '2027-06-08T20:00:00.000Z',
  guests_max: 2,
  my_role: null,
  my_answer: null,
  my_guests: 0,
} as const;
const closed = { ...open, entry_until_time: now };
const goesWithTwo = { my_role: 'attendee', my_answer: 'going', my_guests: 2 } as const;
const host = { my_role: 'organiser', my_answer: 'going' } as const;

test.each([
  ['before the cut-off, going', open, 'going', 0, undefined],
  ['before the cut-off, maybe', open, 'maybe', 2, undefined],
  ["before the cut-off, can't go", { ...open, ...goesWithTwo }, 'no', 0, undefined],
  ['more guests than the event allows [ANSWER-06]', open, 'going', 3, 'too_many_guests'],
  [
    'as many guests as before the limit was lowered [ANSWER-06]',
    { ...open, ...goesWithTwo, guests_max: 0 },
    'going',
    2,
    undefined,
  ],
  [
    'more guests than before, above a lowered limit [ANSWER-06]',
    { ...open, ...goesWithTwo, guests_max: 1 },
    'going',
    3,
    'too_many_guests',
  ],
  ['after the cut-off, going [ANSWER-08]', closed, 'going', 0, 'event_closed'],
  ['after the cut-off, maybe [ANSWER-08]', closed, 'maybe', 0, 'event_closed'],
  [
    'after the cut-off, maybe instead of going [ANSWER-08]',
    { ...closed, ...goesWithTwo },
    'maybe',
    0,
    'event_closed',
  ],
  ["after the cut-off, can't go [ANSWER-08]", { ...closed, ...goesWithTwo }, 'no', 0, undefined],
  ['after the cut-off, fewer guests [ANSWER-08]', { ...closed, ...goesWithTwo }, 'going', 1, undefined],
  [
    'after the cut-off, more guests [ANSWER-08]',
    { ...closed, ...goesWithTwo, my_guests: 1 },
    'going',
    2,
    'event_closed',
  ],
  ['after the end', { ...closed, ...goesWithTwo, end_time: now }, 'no', 0, 'event_ended'],
  ['cancelled', { ...open, deleted_at: now }, 'no', 0, 'event_cancelled'],
  ['the host, maybe [ANSWER-10]', { ...open, ...host }, 'maybe', 0, 'host_stays'],
  ["the host, can't go [ANSWER-10]", { ...open, ...host }, 'no', 0, 'host_stays'],
  ['the host, with guests [ANSWER-10]', { ...open, ...host }, 'going', 2, undefined],
] as const)('answer: %s', (_, event, answer, guests, code) => {
  expect(whyCannotAnswer(event, { answer, guests }, now)).toBe(code);
});

const ada = { attendee_id: 'a', first_name: 'Ada', last_name: 'Byron', profile_picture_url: null };
const bob = { attendee_id: 'b', first_name: 'Bob', last_name: 'Ross', profile_picture_url: null };
const event = {
  attendees: [{ ...ada, attendee_role: 'organiser' }],
  user_count: 1,
  my_role: null,
} as unknown as Event;

test('withAttendance: adds the viewer once and removes them again', () => {
  const going = withAttendance(event, bob, true);
  expect(going).toMatchObject({ user_count: 2, my_role: 'attendee' });
  expect(going.attendees.map((each) => each.first_name)).toEqual(['Ada', 'Bob']);
  expect(withAttendance(going, bob, true)).toEqual(going);
  expect(withAttendance(going, bob, false)).toEqual(event);
  expect(withAttendance(event, bob, false)).toEqual(event);
});

test('withAttendance: changes the faces of a card in the same way', () => {
  const { attendees: faces, ...counts } = event;
  const card = { faces, ...counts };
  const going = withAttendance(card, bob, true);
  expect(going).toMatchObject({ user_count: 2, my_role: 'attendee' });
  expect(going.faces.map((each) => each.first_name)).toEqual(['Ada', 'Bob']);
  expect(going).not.toHaveProperty('attendees');
  expect(withAttendance(going, bob, false)).toEqual(card);
});
