import { expect, test } from 'vitest';
import { firstInstant, lastInstant } from '#wire/instant.ts';
import { dateIn } from '#wire/wall-time.ts';

test('dateIn: the day in the time zone', () => {
  expect([
    dateIn('Europe/Berlin', '2026-11-24T23:30:00.000Z'),
    dateIn('UTC', '2026-11-24T23:30:00.000Z'),
  ]).toEqual(['2026-11-25', '2026-11-24']);
});

test('dateIn: the day in the time zone at the limits of instants [T43]', () => {
  expect([firstInstant, lastInstant].map((time) => dateIn('Europe/Berlin', time))).toEqual([
    '2000-01-01',
    '2201-01-01',
  ]);
  expect([firstInstant, lastInstant].map((time) => dateIn('America/New_York', time))).toEqual([
    '1999-12-31',
    '2200-12-31',
  ]);
});
