import { expect, test } from 'vitest';
import { Day } from '#wire/day.ts';

test.each(['2000-01-01', '2028-02-29', '2200-12-31'])('day: %s is valid [T44]', (day) => {
  expect(Day.parse(day)).toBe(day);
});

test.each([
  '',
  '2027-02-29',
  '0000-01-01',
  '0206-05-01',
  '1999-12-31',
  '2201-01-01',
  '9999-12-31',
  '2027-1-1',
])('day: "%s" is invalid [T44]', (day) => {
  expect(Day.safeParse(day).success).toBe(false);
});
