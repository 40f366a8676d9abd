import { expect, test } from 'vitest';
import { timesInWords, zoneWords } from './TimesInWords.tsx';

const berlin = 'Europe/Berlin';

test.each([
  [berlin, 'Berlin time'],
  ['America/Argentina/Buenos_Aires', 'Buenos Aires time'],
  ['UTC', 'UTC'],
  ['Etc/GMT+3', 'GMT+3'],
])('zone: %s is named %s [UX-17]', (zone, name) => {
  expect(zoneWords(zone)).toBe(name);
});

test.each([
  ['2026-12-24T19:30', 'Thursday 24 December 2026, 7:30 pm – 8:30 pm (Berlin time)'],
  ['2026-12-24T18:30', 'Thursday 24 December 2026, 7:30 pm (Berlin time)'],
  ['2026-12-25T00:30', 'Thursday 24 December 2026, 7:30 pm – Friday 25 December 2026, 1:30 am (Berlin time)'],
])('times in words: an event that ends at %s reads "%s" [UX-14]', (end, text) => {
  const [start_time, end_time] = ['2026-12-24T18:30:00.000Z', `${end}:00.000Z`];
  expect(timesInWords({ start_time, end_time, time_zone: berlin })).toBe(text);
});
