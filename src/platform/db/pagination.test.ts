import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ApiError } from '#wire/errors.ts';
import { cursorOf, keyIn, pageSize, pageOf } from './pagination.ts';

const Key = z.tuple([z.int(), z.string()]);

test('cursor: URL-safe and decodes to its key', () => {
  fc.assert(
    fc.property(fc.tuple(fc.integer(), fc.string({ unit: 'grapheme' })), (key) => {
      const cursor = cursorOf(key);
      expect(cursor).toMatch(/^[\w-]+$/);
      expect(keyIn(Key, cursor)).toEqual(key);
    }),
  );
});

test('cursor: no cursor, as in a request for the first page, decodes to no key', () => {
  expect(keyIn(Key, undefined)).toBeUndefined();
});

test.each([
  ['an empty string', ''],
  ['invalid JSON', 'abc'],
  ['invalid characters', '%%%'],
  ['an object', cursorOf({ length: 2 } as unknown as unknown[])],
  ['too short an array', cursorOf([1])],
  ['too long an array', cursorOf([1, 'a', 'b'])],
  ['wrong types', cursorOf(['1', 'a'])],
])('cursor: bad_input for %s', (_what, cursor) => {
  expect(() => keyIn(Key, cursor)).toThrow(new ApiError('bad_input'));
});

test('cursor: any text is either a valid key or bad_input', () => {
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

test.each([0, 1, pageSize - 1, pageSize])('page: %i rows fit on one page', (count) => {
  expect(pageOf(rows(count), keyOf)).toEqual({ rows: rows(count), more: null });
});

test('page: an extra row yields a cursor after the last row of the page', () => {
  expect(pageOf(rows(pageSize + 1), keyOf)).toEqual({
    rows: rows(pageSize),
    more: cursorOf([pageSize - 1]),
  });
});
