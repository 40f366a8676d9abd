import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { all, first, isUnavailable, openDatabase, run, sql, type Db } from '#platform/db/client.ts';
import { openTcpProxy } from '#test/tcp-proxy.ts';
import { asInProduction, world } from '#test/world.ts';

const open = (url: string) => openDatabase(url, { size: 5, onError: () => {} });
const pidOf = async (db: Db) => (await first(db, sql<{ pid: number }>`select pg_backend_pid() as pid`))?.pid;
const outcomeOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);

test('read pipeline: statements of one tick share a connection', async () => {
  await using w = await world();
  const { reads, pool, close } = open(w.databaseUrl);
  const pids = await Promise.all(Array.from({ length: 50 }, () => pidOf(reads)));
  expect(new Set(pids).size).toBe(1);
  expect(pool.totalCount).toBe(0);
  await close();
});

test('read pipeline: each statement gets its own result or error', async () => {
  await using w = await world();
  const { reads, close } = open(w.databaseUrl);
  const queries = fc.array(fc.record({ value: fc.integer({ min: -99, max: 99 }), later: fc.boolean() }));
  await fc.assert(
    fc.asyncProperty(queries, async (asks) => {
      const results = asks.map(async ({ value, later }) => {
        if (later) await sleep(1);
        return first(reads, sql<{ part: number }>`select 100 / ${value}::int as part`);
      });
      const outcomes = await Promise.all(results.map(outcomeOf));
      for (const [index, { value }] of asks.entries())
        expect(outcomes[index]).toEqual(
          value === 0 ? expect.objectContaining({ code: '22012' }) : { part: Math.trunc(100 / value) },
        );
    }),
    { numRuns: 50 },
  );
  await close();
});

test('read pipeline: a slow statement delays only statements of the same tick', async () => {
  asInProduction();
  await using w = await world();
  const { reads, close } = open(w.databaseUrl);
  await run(reads, sql`select 1`);
  const slowOne = () => run(reads, sql`select pg_sleep(1.5)`).then(() => performance.now());
  const slow = Array.from({ length: 3 }, slowOne);
  for (let turn = 0; turn < 4; turn++) {
    await sleep(15);
    slow.push(slowOne());
  }
  await sleep(15);
  await Promise.all(Array.from({ length: 30 }, () => run(reads, sql`select 1`)));
  const ended = performance.now();
  expect(Math.min(...(await Promise.all(slow)))).toBeGreaterThan(ended);
  await close();
}, 15_000);

test('read pipeline: pending statements fail when the connection breaks, and the next statement reconnects', async () => {
  await using w = await world();
  const { reads, close } = open(w.databaseUrl);
  const pid = await pidOf(reads);
  const slow = Promise.all(
    [sql`select pg_sleep(10)`, sql`select 1`].map((statement) => outcomeOf(run(reads, statement))),
  );
  await sleep(50);
  await run(w.db, sql`select pg_terminate_backend(${pid})`);
  expect((await slow).map(isUnavailable)).toEqual([true, true]);
  await expect.poll(() => outcomeOf(pidOf(reads))).toEqual(expect.any(Number));
  await close();
});

test('read pipeline: replaces a connection that stops responding, and late events of the old connection do not close the new one', async () => {
  asInProduction({ statement: 1000 });
  await using w = await world();
  await using proxy = await openTcpProxy(w.databaseUrl);
  const { reads, close } = open(proxy.url);
  const before = await pidOf(reads);
  const resume = proxy.fallSilent();
  expect(isUnavailable(await outcomeOf(pidOf(reads)))).toBe(true);
  resume();
  const after = await pidOf(reads);
  expect(after).toEqual(expect.any(Number));
  expect(after).not.toBe(before);
  expect(await pidOf(reads)).toBe(after);
  await close();
}, 15_000);

test('read pipeline: rejects transactions, which would include statements of other requests', async () => {
  await using w = await world();
  const { reads, close } = open(w.databaseUrl);
  const outcome = await outcomeOf(
    reads.transaction().execute((transaction) => all(transaction, sql`select 1`)),
  );
  expect(outcome).toEqual(new Error('A transaction needs a connection.'));
  await close();
});

test('read pipeline: fails as unavailable when the database cannot be reached', async () => {
  asInProduction();
  const { reads, close } = open('postgresql://muster@127.0.0.1:1/muster');
  expect(isUnavailable(await outcomeOf(run(reads, sql`select 1`)))).toBe(true);
  await close();
});
