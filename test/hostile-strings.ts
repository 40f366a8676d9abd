import fc from 'fast-check';

/** Values that often break parsers and validation. */
export const hostileStrings = fc.constantFrom<unknown>(
  '',
  'a\0b',
  '\ud800',
  '\uFEFF',
  '..',
  '%00',
  "'",
  'NaN',
  '__proto__',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59-14:00',
  '2027-02-30T00:00:00Z',
  'x'.repeat(5001),
  -0,
  1e308,
  2 ** 53,
  null,
  true,
  [],
  [[]],
  { length: 1 },
  { toString: 1 },
  { constructor: null },
);
