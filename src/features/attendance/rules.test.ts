import { expect, test } from 'vitest';
import { isTooQuick, withAttendance } from '#features/attendance/rules.ts';
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
