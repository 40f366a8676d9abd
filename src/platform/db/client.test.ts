import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { all, first, inTransaction, isUnavailable, openDatabase, run, sql } from '#platform/db/client.ts';
import { openTcpProxy } from '#test/tcp-proxy.ts';
import { asInProduction, isolatedWorld, world } from '#test/world.ts';

test('transaction: fails as unavailable when its connection breaks, and the pool recovers', async () => {
  await using w = await world();
  const outcome = await inTransaction(w.db, async (db) => {
    const { pid } = (await first(db, sql<{ pid: number }>`select pg_backend_pid() as pid`)) ?? { pid: 0 };
    await run(w.db, sql`select pg_terminate_backend(${pid})`);
    await sleep(100);
    await run(db, sql`select 1`);
  }).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(Error);
  expect(isUnavailable(outcome)).toBe(true);
  expect(await all(w.db, sql`select 1 as one`)).toEqual([{ one: 1 }]);
});

test('transaction: retried after a deadlock', async () => {
  await using w = await world();
  await run(w.db, sql`create table numbers (id int primary key, count int not null)`);
  await run(w.db, sql`insert into numbers values (1, 0), (2, 0)`);
  const raise = (ids: number[]) =>
    inTransaction(w.db, async (db) => {
      for (const id of ids) {
        await run(db, sql`update numbers set count = count + 1 where id = ${id}`);
        await sleep(50);
      }
    });
  await Promise.all([raise([1, 2]), raise([2, 1])]);
  expect(await all(w.db, sql`select count from numbers`)).toEqual([{ count: 2 }, { count: 2 }]);
});

test('transaction: the wait for a connection shortens the lock timeout', async () => {
  asInProduction();
  await using w = await isolatedWorld();
  await run(w.db, sql`create table numbers (id int primary key)`);
  const triedFor = async (waited: number) => {
    const started = performance.now();
    const outcome = await inTransaction(
      w.db,
      (db) => run(db, sql`lock table numbers`),
      started - waited,
    ).catch((error: unknown) => error);
    expect(isUnavailable(outcome)).toBe(true);
    return performance.now() - started;
  };
  await inTransaction(w.db, async (db) => {
    await run(db, sql`lock table numbers`);
    const [prompt, delayed] = await Promise.all([triedFor(0), triedFor(1700)]);
    expect(prompt).toBeGreaterThan(1800);
    expect(delayed).toBeLessThan(1500);
  });
});

test('transaction: does not run after its caller has timed out', async () => {
  asInProduction();
  await using w = await world();
  const { db, close } = openDatabase(w.databaseUrl, { size: 1, onError: () => {} });
  const free = Promise.withResolvers<void>();
  const earlier = inTransaction(db, () => free.promise);
  let isDone = false;
  const delayed = inTransaction(db, async () => void (isDone = true), performance.now() - 1700);
  expect(isUnavailable(await delayed.catch((error: unknown) => error))).toBe(true);
  free.resolve();
  await earlier;
  await run(db, sql`select 1`);
  expect(isDone).toBe(false);
  await close();
});

test('pool: closes a connection that stops responding', async () => {
  asInProduction({ statement: 1000 });
  await using w = await world();
  await using proxy = await openTcpProxy(w.databaseUrl);
  const { db, close } = openDatabase(proxy.url, { size: 1, onError: () => {} });
  const pid = sql<{ pid: number }>`select pg_backend_pid() as pid`;
  const before = await first(db, pid);
  const resume = proxy.fallSilent();
  const overdue = await first(db, pid).catch((error: unknown) => error);
  expect(isUnavailable(overdue)).toBe(true);
  resume();
  const after = await first(db, pid);
  expect(after?.pid).toBeGreaterThan(0);
  expect(after).not.toEqual(before);
  await close();
}, 15_000);

test('isUnavailable: true for outages, false for errors of the request', () => {
  const outages = [
    '57P01',
    '57P03',
    '08006',
    '53300',
    '55P03',
    'ECONNREFUSED',
    'ENOENT',
    'EAI_AGAIN',
    'ENOTFOUND',
    'EHOSTUNREACH',
  ];
  const others = ['22P02', '23505', '23514', '42601', '40001', 'EACCES', undefined];
  expect(outages.filter((code) => !isUnavailable({ code }))).toEqual([]);
  expect(others.filter((code) => isUnavailable({ code }))).toEqual([]);
  expect(isUnavailable(undefined)).toBe(false);
});
