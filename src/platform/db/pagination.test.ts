import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ApiError } from '#wire/errors.ts';
import { cursorOf, keyIn, pageSize, pageOf } from './pagination.ts';

const Key = z.tuple([z.int(), z.string()]);

test('a cursor brings back what it was made from, in letters that an address takes', () => {
  fc.assert(
    fc.property(fc.tuple(fc.integer(), fc.string({ unit: 'grapheme' })), (key) => {
      const cursor = cursorOf(key);
      expect(cursor).toMatch(/^[\w-]+$/);
      expect(keyIn(Key, cursor)).toEqual(key);
    }),
  );
});

test('without a cursor a list begins at its beginning', () => {
  expect(keyIn(Key, undefined)).toBeUndefined();
});

test.each([
  ['nothing', ''],
  ['no JSON', 'abc'],
  ['other letters', '%%%'],
  ['no list', cursorOf({ length: 2 } as unknown as unknown[])],
  ['too short a list', cursorOf([1])],
  ['too long a list', cursorOf([1, 'a', 'b'])],
  ['other types', cursorOf(['1', 'a'])],
])('a cursor of %s is bad input', (_what, cursor) => {
  expect(() => keyIn(Key, cursor)).toThrow(new ApiError('bad_input'));
});

test('whatever stands in a cursor, it is a key or refused', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (cursor) => {
      try {
        expect(Key.safeParse(keyIn(Key, cursor)).success).toBe(true);
      } catch (failure) {
        expect(failure).toMatchObject({ code: 'bad_input' });
      }
    }),
  );
});

const rows = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));
const keyOf = ({ n }: { n: number }) => [n];

test.each([0, 1, pageSize - 1, pageSize])('%i rows are all there is', (count) => {
  expect(pageOf(rows(count), keyOf)).toEqual({ rows: rows(count), more: null });
});

test('one row more than fits says that there is more, behind the last that fits', () => {
  expect(pageOf(rows(pageSize + 1), keyOf)).toEqual({
    rows: rows(pageSize),
    more: cursorOf([pageSize - 1]),
  });
});
