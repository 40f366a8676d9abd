import { setImmediate as tick, setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { isUnavailable } from '#platform/db/client.ts';
import { batchLoader } from '#platform/db/batch-loader.ts';

afterEach(() => vi.useRealTimers());

test('batch loader: one load for the keys of a tick, and each caller gets the value of its key', async () => {
  const loads: number[][] = [];
  const square = batchLoader(async (keys: readonly number[]) => {
    loads.push([...keys]);
    return keys.map((key) => key * key);
  });
  expect(await Promise.all([3, 1, 3, 2].map(square))).toEqual([9, 1, 9, 4]);
  expect(await square(5)).toBe(25);
  expect(loads).toEqual([[3, 1, 3, 2], [5]]);
});

test('batch loader: at most two concurrent loads; later keys join the next load', async () => {
  const gates: (() => void)[] = [];
  const sizes: number[] = [];
  const ask = batchLoader(async (keys: readonly string[]) => {
    sizes.push(keys.length);
    await new Promise<void>((resolve) => gates.push(resolve));
    return keys;
  });
  const loads: Promise<string>[] = [];
  for (let round = 0; round < 20; round++) {
    loads.push(ask(`in round ${round}`), ask(`and again in round ${round}`));
    await tick();
  }
  expect(sizes).toEqual([2, 2]);
  gates[1]?.();
  await expect.poll(() => sizes).toEqual([2, 2, 36]);
  for (const open of gates) open();
  const values = await Promise.all(loads);
  expect(values.slice(-2)).toEqual(['in round 19', 'and again in round 19']);
});

test('batch loader: an error rejects all keys of its load and no others', async () => {
  let isBroken = true;
  const ask = batchLoader(async (keys: readonly string[]) => {
    if (isBroken) throw new Error('no database');
    return keys;
  });
  const both = await Promise.allSettled([ask('a'), ask('b')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isBroken = false;
  expect(await ask('c')).toBe('c');
});

test('batch loader: rejects all keys when the load returns too few values', async () => {
  const ask = batchLoader(async (keys: readonly string[]) => keys.slice(1));
  const both = await Promise.allSettled([ask('a'), ask('b')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('batch loader: a load that never settles times out and frees its slot', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let isLost = true;
  const ask = batchLoader(async (keys: readonly string[]) => (isLost ? new Promise<never>(() => {}) : keys));
  const lost: Promise<unknown>[] = [];
  for (const key of ['a', 'b']) {
    lost.push(ask(key).catch((error: unknown) => error));
    await tick();
  }
  // Both slots are taken, so this key is rejected after the database timeout.
  lost.push(ask('c').catch((error: unknown) => error));
  isLost = false;
  await vi.advanceTimersByTimeAsync(8000);
  expect((await Promise.all(lost)).map(isUnavailable)).toEqual([true, true, true]);
  expect(await ask('d')).toBe('d');
});

const asking = fc.record({ key: fc.nat(9), after: fc.integer({ min: 0, max: 4 }) });
const loading = fc.record({ takes: fc.integer({ min: 0, max: 4 }), fails: fc.boolean() });

test('batch loader: in any interleaving, a caller gets the value of its key, from a load that started after its request', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(asking, { maxLength: 30 }),
      fc.array(loading, { minLength: 1 }),
      async (asks, plans) => {
        let clock = 0;
        let running = 0;
        let count = 0;
        const ask = batchLoader(async (keys: readonly number[]) => {
          const begun = clock++;
          const { takes, fails } = plans[count++ % plans.length] as (typeof plans)[number];
          expect(++running).toBeLessThanOrEqual(2);
          for (let ticks = 0; ticks < takes; ticks++) await tick();
          running--;
          if (fails) throw new Error('broken');
          return keys.map((key) => ({ key, begun }));
        });
        const values: Promise<void>[] = [];
        for (const { key, after } of asks) {
          for (let ticks = 0; ticks < after; ticks++) await tick();
          const askedAt = clock++;
          const check = (value: { key: number; begun: number }) => {
            expect(value.key).toBe(key);
            expect(value.begun).toBeGreaterThan(askedAt);
          };
          values.push(
            ask(key).then(check, (error: Error) => {
              expect(error.message).toBe('broken');
            }),
          );
        }
        await Promise.race([Promise.all(values), sleep(5000).then(() => Promise.reject(new Error('stuck')))]);
      },
    ),
    { numRuns: 200 },
  );
});
