import { expect, test } from 'vitest';
import { ordinal } from '#ui/ordinal.ts';

test.each([
  [1, '1st'],
  [2, '2nd'],
  [3, '3rd'],
  [4, '4th'],
  [11, '11th'],
  [12, '12th'],
  [21, '21st'],
  [112, '112th'],
])('ordinal: %i is %s', (n, text) => {
  expect(ordinal(n)).toBe(text);
});
