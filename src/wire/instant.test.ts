import { expect, test } from 'vitest';
import { addSeconds, firstInstant, Instant, lastInstant } from '#wire/instant.ts';

test.each([
  ['2027-01-01T10:00:00+01:00', '2027-01-01T09:00:00.000Z'],
  ['2027-01-01T10:00:00Z', '2027-01-01T10:00:00.000Z'],
  ['2000-01-01T00:00:00Z', '2000-01-01T00:00:00.000Z'],
  ['2201-01-01T13:59:59.999+14:00', '2200-12-31T23:59:59.999Z'],
])('instant: %s is normalised to %s [T44]', (sent, normalised) => {
  expect(Instant.parse(sent)).toBe(normalised);
});

test.each([
  '',
  'soon',
  '2027-02-30T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+14:00',
  '1999-12-31T23:59:59.999Z',
  '2000-01-01T00:00:00+00:01',
  '2200-12-31T23:59:59-00:01',
  '2201-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '9999-12-31T23:59:59-14:00',
  `2027-01-01T00:00:00.${'0'.repeat(65_000)}Z`,
])('instant: "$0" is invalid [T44]', (sent) => {
  expect(Instant.safeParse(sent).success).toBe(false);
});

test('addSeconds: stays within the valid years [T44]', () => {
  expect(addSeconds(lastInstant, 1)).toBe(lastInstant);
  expect(addSeconds(firstInstant, -1)).toBe(firstInstant);
  expect(addSeconds(lastInstant, 1e12)).toBe(lastInstant);
  expect(addSeconds(firstInstant, 1)).toBe('2000-01-01T00:00:01.000Z');
});
