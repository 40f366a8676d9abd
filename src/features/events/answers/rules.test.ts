import { expect, test } from 'vitest';
import { answerTo, guestsLimit, needsExtraSeats, whyNoSeat } from '#features/events/answers/form-rules.ts';
import { isTooQuick, whoMovesUp, whyCannotAnswer, withAnswer } from '#features/events/answers/rules.ts';
import type { Event, EventCard } from '#features/events/contract.ts';

test.each([
  ['no request was sent', { inFlight: false }, 0, false],
  ['a request is in flight', { inFlight: true }, 60_000, true],
  ['a request is in flight long after a response', { inFlight: true, answeredAt: 0 }, 60_000, true],
  ['the response has just arrived', { inFlight: false, answeredAt: 5000 }, 5000, true],
  ['the response is 999 ms old', { inFlight: false, answeredAt: 5000 }, 5999, true],
  ['the response is one second old', { inFlight: false, answeredAt: 5000 }, 6000, false],
])('attend button: whether a click is ignored when %s [EVENT-37 TOAST-23]', (_when, pace, now, quick) => {
  expect(isTooQuick(pace, now)).toBe(quick);
});

const now = '2027-06-08T12:00:00.000Z';
const open = {
  deleted_at: null,
  polling: false,
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
const waitsWithTwo = { my_answer: 'waiting', my_guests: 2 } as const;

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
  ['after the cut-off, going while waiting', { ...closed, ...waitsWithTwo }, 'going', 2, undefined],
  ['after the cut-off, fewer guests while waiting', { ...closed, ...waitsWithTwo }, 'going', 0, undefined],
  [
    'after the cut-off, more guests while waiting',
    { ...closed, ...waitsWithTwo, my_guests: 1 },
    'going',
    2,
    'event_closed',
  ],
  ['after the cut-off, leaving the waitlist', { ...closed, ...waitsWithTwo }, 'no', 0, undefined],
  ['after the end', { ...closed, ...goesWithTwo, end_time: now }, 'no', 0, 'event_ended'],
  ['to a cancelled event', { ...open, deleted_at: now }, 'no', 0, 'event_cancelled'],
  ['the host, maybe [ANSWER-10]', { ...open, ...host }, 'maybe', 0, 'host_stays'],
  ["the host, can't go [ANSWER-10]", { ...open, ...host }, 'no', 0, 'host_stays'],
  ['the host, with guests [ANSWER-10]', { ...open, ...host }, 'going', 2, undefined],
] as const)('answer: %s', (_, event, answer, guests, code) => {
  expect(whyCannotAnswer(event, { answer, guests }, now)).toBe(code);
});

const unlimited = { ...open, seats_left: null, waiting_count: 0 };

test.each([
  ['as many as the event allows', unlimited, 2],
  ['as many as before, above a lowered limit', { ...unlimited, my_guests: 3 }, 3],
  ['as many as before, after the cut-off', { ...unlimited, ...closed, my_guests: 1 }, 1],
  [
    'as many as the event allows, for members who wait',
    { ...unlimited, ...waitsWithTwo, seats_left: 0, waiting_count: 1 },
    2,
  ],
  ['as many as there are free seats', { ...unlimited, ...goesWithTwo, my_guests: 0, seats_left: 1 }, 1],
  [
    'as many as before, while others wait',
    { ...unlimited, ...goesWithTwo, my_guests: 0, seats_left: 1, waiting_count: 1 },
    0,
  ],
] as const)('guests: may be %s [ANSWER-06 ANSWER-08]', (_, event, limit) => {
  expect(guestsLimit(event, now)).toBe(limit);
});

/** Twenty seats, of which 17 are taken: by 15 members and two guests. */
const seats = {
  capacity: 20,
  waitlist: true,
  user_count: 15,
  guest_count: 2,
  waiting_count: 0,
  my_answer: null,
  my_guests: 0,
} as const;
const full = { ...seats, user_count: 18 };
const goes = { my_answer: 'going', my_guests: 1 } as const;
const waits = { my_answer: 'waiting', my_guests: 1, waiting_count: 3 } as const;

test.each([
  ['without a limit', { ...full, capacity: null }, 9, 'going', undefined, false],
  ['with enough free seats [SEATS-02]', seats, 2, 'going', undefined, false],
  ['with too few free seats [SEATS-02]', seats, 3, 'waiting', undefined, true],
  [
    'with free seats that others wait for [SEATS-02]',
    { ...seats, waiting_count: 1 },
    0,
    'waiting',
    undefined,
    false,
  ],
  ['without a free seat [SEATS-02]', full, 0, 'waiting', undefined, true],
  [
    'without a free seat or a waitlist [SEATS-02]',
    { ...full, waitlist: false },
    0,
    'waiting',
    'event_full',
    true,
  ],
  ['of a member who is going, with the same guests', { ...full, ...goes }, 1, 'going', undefined, false],
  ['of a member who is going, with fewer guests', { ...full, ...goes }, 0, 'going', undefined, false],
  [
    'of a member who is going, with more guests that still fit [SEATS-09]',
    { ...seats, ...goes },
    4,
    'going',
    undefined,
    false,
  ],
  [
    'of a member who is going, with more guests than fit [SEATS-09]',
    { ...seats, ...goes },
    5,
    'going',
    'no_seats_left',
    true,
  ],
  [
    'of a member who is going, with more guests, while others wait for the seats [SEATS-09]',
    { ...seats, ...goes, waiting_count: 1 },
    2,
    'going',
    'no_seats_left',
    false,
  ],
  [
    'of a member who is going, above a lowered capacity [SEATS-10]',
    { ...full, ...goes, capacity: 5 },
    1,
    'going',
    undefined,
    false,
  ],
  ['of a member who waits, with the same guests', { ...full, ...waits }, 1, 'waiting', undefined, true],
  ['of a member who waits, while seats are free', { ...seats, ...waits }, 1, 'waiting', undefined, false],
  [
    'of a member who waits, after the waitlist was switched off [SEATS-11]',
    { ...full, ...waits, waitlist: false },
    2,
    'waiting',
    undefined,
    true,
  ],
] as const)('seats: a request to come %s', (_, event, guests, answer, code, needsExtra) => {
  const request = { answer: 'going', guests } as const;
  expect(answerTo(event, request)).toBe(answer);
  expect(whyNoSeat(event, request)).toBe(code);
  expect(needsExtraSeats(event, request)).toBe(needsExtra);
});

test.each(['maybe', 'no'] as const)('seats: the answer %s needs no seat', (answer) => {
  for (const event of [full, { ...full, ...goes }, { ...full, ...waits, waitlist: false }]) {
    const request = { answer, guests: 3 };
    expect([answerTo(event, request), whyNoSeat(event, request), needsExtraSeats(event, request)]).toEqual([
      answer,
      undefined,
      false,
    ]);
  }
});

/** A waitlist from the sizes of its parties. A party whose size is in brackets lets others pass. */
const parties = (sizes: string) =>
  sizes
    .split(' ')
    .filter(Boolean)
    .map((size, nth) => ({
      user_id: 'abcdef'.charAt(nth),
      guests: Number(size.replaceAll(/\D/g, '')) - 1,
      lets_pass: size.startsWith('('),
    }));

test.each([
  ['1 1 1', 2, 'ab'],
  ['1 1 1', 0, ''],
  ['1 1 1', -4, ''],
  ['2 3 1', 5, 'ab'],
  ['2 3 1', 4, 'a'],
  ['3 1 1', 2, ''],
  ['(3) 1 1 1', 2, 'bc'],
  ['(3) 2 1', 1, ''],
  ['(3) (2) 1', 1, 'c'],
  ['(3) 1', 4, 'ab'],
  ['9 9 1', null, 'abc'],
  ['', 5, ''],
] as const)(
  'waitlist: of parties of %s, with %s seats free, "%s" move up [SEATS-05 SEATS-06]',
  (sizes, free, who) => {
    expect(whoMovesUp(parties(sizes), free).join('')).toBe(who);
  },
);

const ada = { attendee_id: 'a', first_name: 'Ada', last_name: 'Byron', profile_picture_url: null };
const bob = { attendee_id: 'b', first_name: 'Bob', last_name: 'Ross', profile_picture_url: null };
/** Ada hosts and brings a guest; Bob has not answered. */
const event = {
  attendees: [{ ...ada, attendee_role: 'organiser', guests: 0 }],
  waiting: [],
  maybe: [],
  maybe_count: 0,
  user_count: 1,
  guest_count: 1,
  seats_left: null,
  waiting_count: 0,
  my_place: null,
  no_count: 0,
  silent_count: 1,
  my_role: null,
  my_answer: null,
  my_guests: 0,
  is_for_me: true,
} as unknown as Event;
const bobsAnswers = {
  going: withAnswer(event, bob, 'going', 2),
  maybe: withAnswer(event, bob, 'maybe', 2),
  no: withAnswer(event, bob, 'no'),
  null: event,
};
const people = ({ attendees, maybe }: Event) =>
  [attendees, maybe].map((list) => list.map((each) => each.first_name).join());

test.each([
  [
    'going',
    ['Ada,Bob', ''],
    { my_role: 'attendee', user_count: 2, guest_count: 3, no_count: 0, silent_count: 0 },
  ],
  ['maybe', ['Ada', 'Bob'], { my_role: null, user_count: 1, guest_count: 1, no_count: 0, silent_count: 0 }],
  ['no', ['Ada', ''], { my_role: null, user_count: 1, guest_count: 1, no_count: 1, silent_count: 0 }],
  [null, ['Ada', ''], { my_role: null, user_count: 1, guest_count: 1, no_count: 0, silent_count: 1 }],
] as const)(
  'withAnswer: %s moves the viewer to the list of that answer, from every other list [ANSWER-05]',
  (answer, lists, counts) => {
    const guests = answer === 'going' || answer === 'maybe' ? 2 : 0;
    for (const before of Object.values(bobsAnswers)) {
      const after = withAnswer(before, bob, answer, 2);
      expect(people(after)).toEqual(lists);
      expect(after).toMatchObject({ ...counts, my_answer: answer, my_guests: guests });
    }
  },
);

test('withAnswer: keeps the guests by default, and the place and role of a listed member, who is listed with the new number of guests [HOSTUX-06]', () => {
  expect(withAnswer(bobsAnswers.maybe, bob, 'going')).toMatchObject({ my_guests: 2, guest_count: 3 });
  const host: Event = { ...bobsAnswers.going, my_role: 'organiser', my_guests: 1 };
  const withTwo = withAnswer(host, ada, 'going', 2);
  expect(withTwo.attendees).toMatchObject([
    { first_name: 'Ada', attendee_role: 'organiser', guests: 2 },
    { first_name: 'Bob', attendee_role: 'attendee', guests: 2 },
  ]);
  expect(withTwo).toMatchObject({ my_role: 'organiser', user_count: 2, guest_count: 4 });
});

test('withAnswer: a member who wants to come to a full event joins the end of the waitlist [SEATS-13]', () => {
  const full = { ...event, seats_left: 0, waiting_count: 3 };
  const waits = withAnswer(full, bob, 'going', 1);
  expect(waits).toMatchObject({
    my_answer: 'waiting',
    my_place: 4,
    my_role: null,
    my_guests: 1,
    user_count: 1,
    guest_count: 1,
    waiting_count: 4,
    waiting: [{ first_name: 'Bob' }],
  });
  expect(withAnswer({ ...waits, my_place: 2 }, bob, 'waiting', 0)).toMatchObject({
    my_place: 2,
    waiting_count: 4,
  });
  expect(withAnswer(waits, bob, 'no')).toMatchObject({ my_place: null, waiting_count: 3, waiting: [] });
  const goes = { ...full, my_answer: 'going', my_role: 'attendee' } as const;
  expect(withAnswer(goes, bob, 'going', 0)).toMatchObject({ my_answer: 'going', waiting_count: 3 });
});

test('withAnswer: changes the faces and the number of a card', () => {
  const card = {
    faces: event.attendees,
    user_count: 1,
    waiting_count: 0,
    my_role: null,
    my_answer: null,
    must_confirm: false,
  } as unknown as EventCard;
  const going = withAnswer(card, bob, 'going');
  expect(going).toMatchObject({ user_count: 2, my_role: 'attendee', my_answer: 'going' });
  expect(going.faces.map((each) => each.first_name)).toEqual(['Ada', 'Bob']);
  expect(going).not.toHaveProperty('attendees');
  expect(withAnswer(going, bob, null)).toEqual(card);
});
