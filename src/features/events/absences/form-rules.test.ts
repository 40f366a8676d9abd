import { expect, test } from 'vitest';
import { dayProblems } from './form-rules.ts';

const today = '2026-11-27';

test.each([
  ['one day', '2026-12-01', '2026-12-01', {}],
  ['367 days', '2026-12-01', '2027-12-02', {}],
  ['368 days', '2026-12-01', '2027-12-03', { last_on: 'too_long' }],
  ['the earliest and the latest day', '2025-11-27', '2025-11-27', {}],
  ['the latest day', '2028-11-27', '2028-11-27', {}],
  ['a first day that is too early', '2025-11-26', '2026-12-01', { first_on: 'out_of_range' }],
  ['a first day with a mistyped year', '0206-12-01', '', { first_on: 'out_of_range', last_on: 'missing' }],
  ['a last day that is too late', '2028-11-01', '2028-11-28', { last_on: 'out_of_range' }],
  ['a last day before the first', '2026-12-02', '2026-12-01', { last_on: 'before_first' }],
  ['no days', '', '', { first_on: 'missing', last_on: 'missing' }],
  ['no first day', '', '2026-12-01', { first_on: 'missing' }],
  ['no last day', '2026-12-01', '', { last_on: 'missing' }],
])('days of an absence: %s [AWAY-06]', (_, first_on, last_on, problems) => {
  expect(dayProblems({ first_on, last_on }, today)).toEqual(problems);
});

test('days of an absence: a year and two years are counted from 29 February [AWAY-06]', () => {
  const problems = ['2027-02-28', '2027-03-01', '2030-02-28', '2030-03-01'].map(
    (on) => dayProblems({ first_on: on, last_on: on }, '2028-02-29').first_on,
  );
  expect(problems).toEqual(['out_of_range', undefined, undefined, 'out_of_range']);
});
