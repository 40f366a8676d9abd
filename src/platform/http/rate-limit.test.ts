import { afterAll, beforeAll, expect, test } from 'vitest';
import { counter, limit } from '#platform/http/rate-limit.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { world, type World } from '#test/world.ts';

let w: World;
beforeAll(async () => void (w = await world()));
afterAll(() => w[Symbol.asyncDispose]());

const noon = '2030-01-01T12:00:00.000Z';
const take = (key: string, now: Instant = noon, max = 3) =>
  limit(w.db, key, { max, seconds: 60, now }).then(
    () => 'taken',
    (error: { code: string; retryAfter: number }) => `${error.code} ${error.retryAfter}`,
  );

test('rate limit: above the limit, fails with too_often and the seconds until the next window', async () => {
  expect([await take('a'), await take('a'), await take('a')]).toEqual(['taken', 'taken', 'taken']);
  expect(await take('a', addSeconds(noon, 20))).toBe('too_often 40');
  expect(await take('a', addSeconds(noon, 59))).toBe('too_often 1');
  expect(await take('b', addSeconds(noon, 59))).toBe('taken');
  expect(await take('a', addSeconds(noon, 60))).toBe('taken');
});

test('rate limit: concurrent calls are counted exactly', async () => {
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => take('crowd', noon, 10)));
  expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(10);
});

test('rate limit: starts a new window when the clock is set back by an hour', async () => {
  for (let turn = 0; turn < 3; turn++) await take('clock');
  expect(await take('clock', addSeconds(noon, -5))).toMatch('too_often');
  expect(await take('clock', addSeconds(noon, -3600))).toBe('taken');

  const count = counter(w.db, { what: 'requests', max: 10, seconds: 60 });
  const ask = (now: Instant) =>
    count('ada', now).then(
      () => 'taken',
      () => 'rejected',
    );
  for (let turn = 0; turn < 10; turn++) await ask(noon);
  expect([await ask(noon), await ask(addSeconds(noon, -1))]).toEqual(['rejected', 'rejected']);
  expect(await ask(addSeconds(noon, -3600))).toBe('taken');
});

test('rate limit: accepts any text as a key', async () => {
  const hostile = `codes:' or 1=1 -- ${'x'.repeat(500)} 日本`;
  expect([await take(hostile, noon, 1), await take(hostile, noon, 1)]).toEqual(['taken', 'too_often 60']);
});
