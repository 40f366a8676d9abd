import { cleanup, render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { TimesInWords, timesInWords, zoneWords } from './TimesInWords.tsx';

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

const shownFor = (day: string) => {
  cleanup();
  const [start_time, end_time] = [`${day}T18:30:00.000Z`, `${day}T19:30:00.000Z`];
  render(<TimesInWords start_time={start_time} end_time={end_time} time_zone="UTC" />);
  return screen.getByRole('status').textContent;
};

test('times in words: say that the month is first where the date of the field could be read both ways [UX-14]', () => {
  expect(shownFor('2027-03-02')).toMatch(/^Tuesday 2 March 2027, .* · month first/);
  for (const day of ['2027-03-03', '2027-03-13']) expect(shownFor(day)).not.toContain('month first');
});
