import { expect, test } from 'vitest';
import { responseCache } from '#platform/http/response-cache.ts';

interface Page {
  name: string;
  version: string;
  size: number;
  from: string;
  until: string;
}

const always = { from: '2026-01-01', until: '2026-12-31' };
const now = '2026-06-01';

/** Opens a cache and records the pages that it creates in `made`. */
function openCache(max = 1000) {
  const cache = responseCache<Page>(max);
  const made: string[] = [];
  const get = (
    key: string,
    options: Partial<{ version: string; found: string; now: string; size: number; from: string }> = {},
  ) => {
    const { version = '1', found = version, now: at = now, size = 1, from = always.from } = options;
    const make = async () => {
      made.push(`${key} ${found}`);
      await Promise.resolve();
      return { ...always, name: `${key} ${found}`, version: found, size, from };
    };
    return cache({ key, version, now: at, make });
  };
  return { cache, get, made };
}

test('response cache: creates a response once per version, even for concurrent requests', async () => {
  const { get, made } = openCache();
  await Promise.all([get('a'), get('a'), get('b')]);
  await get('a');
  expect(made).toEqual(['a 1', 'b 1']);
});

test('response cache: keeps a response under the version that it contains', async () => {
  const { get, made } = openCache();
  // The database that the page is read from may be behind the one that returned the version, or ahead of it.
  for (const found of ['1', '3']) expect((await get('a', { version: '2', found })).name).toBe(`a ${found}`);
  await get('a', { version: '3' });
  await get('a', { version: '2' });
  expect(made).toEqual(['a 1', 'a 3', 'a 2']);
});

test('response cache: creates the response again outside its period of validity', async () => {
  const { get, made } = openCache();
  for (const at of ['2026-01-01', '2026-12-30', '2026-12-31', '2025-12-31']) await get('a', { now: at });
  expect(made).toEqual(['a 1', 'a 1', 'a 1']);
});

test('response cache: does not cache a failure', async () => {
  const { cache, get, made } = openCache();
  const broken = { key: 'a', version: '1', now, make: () => Promise.reject(new Error('broken')) };
  const both = await Promise.allSettled([cache(broken), get('a')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await get('a');
  expect(made).toEqual(['a 1']);
});

test('response cache: evicts the least recently used response above the size limit', async () => {
  const { get, made } = openCache(10);
  for (const key of ['a', 'b', 'a', 'c']) await get(key, { size: 4 });
  for (const key of ['a', 'c', 'b']) await get(key, { size: 4 });
  expect(made).toEqual(['a 1', 'b 1', 'c 1', 'b 1']);
});

test('response cache: returns but does not keep a response above the size limit', async () => {
  const { get, made } = openCache(10);
  expect((await get('a', { size: 11 })).size).toBe(11);
  await get('a', { size: 11 });
  expect(made).toEqual(['a 1', 'a 1']);
});
