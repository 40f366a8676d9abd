import { expect, test } from 'vitest';
import { suggestedStarts, usualZone } from './useSuggestedStarts.ts';

/** Monday 23 November 2026, 10:00 in Berlin. */
const now = '2026-11-23T09:00:00.000Z';
const berlin = 'Europe/Berlin';
const event = (start_time: string, deleted_at: string | null = null, time_zone = berlin) => ({
  start_time: `${start_time}:00.000Z`,
  time_zone,
  deleted_at,
  location_name: 'Pier 3',
});

const lastWeek = {
  tuesday: event('2026-11-17T18:30'),
  thursday: event('2026-11-19T17:00'),
  saturday: event('2026-11-21T09:00'),
};

test.each([
  ['the latest first', Object.values(lastWeek), ['Sat 10 am 2026-11-28T09:00', 'Thu 6 pm 2026-11-26T17:00']],
  [
    'one for each weekday and time',
    [event('2026-11-10T18:30'), lastWeek.tuesday, event('2026-11-12T17:00')],
    ['Tue 7:30 pm 2026-11-24T18:30', 'Thu 6 pm 2026-11-26T17:00'],
  ],
  [
    'except cancelled events',
    [lastWeek.tuesday, event('2026-11-19T17:00', now)],
    ['Tue 7:30 pm 2026-11-24T18:30'],
  ],
  [
    'on the next date on which the club has no event',
    [lastWeek.tuesday, event('2026-11-24T18:30'), event('2026-12-01T18:30', now)],
    ['Tue 7:30 pm 2026-12-01T18:30'],
  ],
  [
    'at the same local time after a clock change',
    [event('2026-10-20T17:30')],
    ['Tue 7:30 pm 2026-11-24T18:30'],
  ],
  ['today if the time has not passed', [event('2026-11-16T09:01')], ['Mon 10:01 am 2026-11-23T09:01']],
  ['next week if the time is now', [event('2026-11-16T09:00')], ['Mon 10 am 2026-11-30T09:00']],
  [
    'past events first, then the nearest upcoming events',
    [event('2026-12-11T18:00'), lastWeek.tuesday, event('2026-12-03T17:00')],
    ['Tue 7:30 pm 2026-11-24T18:30', 'Thu 6 pm 2026-11-26T17:00'],
  ],
])('suggested starts: repeat the last two different events, %s [UX-16]', (_which, events, expected) => {
  const suggested = suggestedStarts(events, now, berlin);
  const asLastTime = suggested.slice(0, -2);
  expect(suggested.slice(-2)).toEqual([
    { label: 'Today 7 pm', start: '2026-11-23T18:00:00.000Z' },
    { label: 'Tomorrow 7 pm', start: '2026-11-24T18:00:00.000Z' },
  ]);
  expect(
    asLastTime.map(({ label, start }) => `${label.replace(', as last time', '')} ${start.slice(0, 16)}`),
  ).toEqual(expected);
});

test.each([
  ['the latest past event', [event('2026-11-20T09:00', null, 'Asia/Tokyo'), lastWeek.tuesday], 'Asia/Tokyo'],
  [
    'the nearest upcoming event if there is no past event',
    [event('2027-01-01T09:00', null, 'Asia/Tokyo'), event('2026-12-01T09:00')],
    berlin,
  ],
  [
    'the latest event that is not cancelled',
    [event('2026-11-20T09:00', now, 'Asia/Tokyo'), lastWeek.tuesday],
    berlin,
  ],
  ['the browser if there is no event', [], Intl.DateTimeFormat().resolvedOptions().timeZone],
])('usual zone: that of %s [UX-17]', (_which, events, zone) => {
  expect(usualZone(events, now)).toBe(zone);
});
