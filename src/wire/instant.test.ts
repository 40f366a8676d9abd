import { expect, test } from 'vitest';
import { Instant } from '#wire/instant.ts';

test.each([
  ['2027-01-01T10:00:00+01:00', '2027-01-01T09:00:00.000Z'],
  ['2027-01-01T10:00:00Z', '2027-01-01T10:00:00.000Z'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
])('instant: %s is normalised to %s', (sent, normalised) => {
  expect(Instant.parse(sent)).toBe(normalised);
});

test.each([
  '',
  'soon',
  '2027-02-30T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59-14:00',
])('instant: "%s" is invalid', (sent) => {
  expect(Instant.safeParse(sent).success).toBe(false);
});
