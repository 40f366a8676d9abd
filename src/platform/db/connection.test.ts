import { expect, test } from 'vitest';
import { first, isUnavailable, openDatabase, run, sql, timeouts, type Db } from '#platform/db/client.ts';
import { sql as execute } from '#test/postgres.ts';
import { openReplicated } from '#test/replicated.ts';
import { openTcpProxy } from '#test/tcp-proxy.ts';
import { asInProduction, isolatedWorld, world } from '#test/world.ts';

const open = (url: string, size = 1) => openDatabase(url, { size, onError: () => {} });
const pidOf = async (db: Db) => (await first(db, sql<{ pid: number }>`select pg_backend_pid() as pid`))?.pid;
const outcomeOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);

test('connection: closed when its server has become read-only, and the statement fails as unavailable', async () => {
  await using w = await world();
  const { db, pool, close } = open(w.databaseUrl);
  const before = await pidOf(db);
  await run(db, sql`set default_transaction_read_only = on`);
  expect(await pidOf(db)).toBe(before);
  const refused = await outcomeOf(run(db, sql`create table t ()`));
  expect(refused).toMatchObject({ code: '25006' });
  expect(isUnavailable(refused)).toBe(true);
  await expect.poll(() => pool.totalCount).toBe(0);
  await run(db, sql`create table t ()`);
  await run(db, sql`drop table t`);
  await close();
});

test('connection: closed when its server shuts down, and the statement fails as unavailable', async () => {
  await using w = await isolatedWorld();
  const { db, pool, close } = open(w.databaseUrl, 2);
  const [pid, ended] = [await pidOf(db), await pidOf(w.db)];
  expect(pid).not.toBe(ended);
  const waiting = outcomeOf(run(db, sql`select pg_sleep(60)`));
  await run(w.db, sql`select pg_terminate_backend(${pid}::int)`);
  const lost = await waiting;
  expect(isUnavailable(lost)).toBe(true);
  await expect.poll(() => pool.totalCount).toBe(0);
  expect(await pidOf(db)).toEqual(expect.any(Number));
  await close();
});

test('connection: replaced when it stops responding, in the pool and in the read pipeline', async () => {
  asInProduction();
  timeouts.statement = 100;
  await using w = await isolatedWorld();
  await using proxy = await openTcpProxy(w.databaseUrl);
  const { db, reads, close } = open(proxy.url, 3);
  await Promise.all([pidOf(reads), pidOf(db)]);
  const resume = proxy.fallSilent();
  for (const silent of [reads, db]) expect(isUnavailable(await outcomeOf(pidOf(silent)))).toBe(true);
  resume();
  for (const back of [reads, db]) await expect.poll(() => outcomeOf(pidOf(back))).toEqual(expect.any(Number));
  await close();
});

const add = (to: Db) => run(to, sql`insert into counted values (${1})`);

test('commit: fails as unavailable while the standbys do not show it, and succeeds once they do', async () => {
  asInProduction();
  timeouts.statement = 300;
  await using servers = await openReplicated();
  const { db, lookups, close } = open(servers.primary.url);
  await run(db, sql`create table counted (n int)`);
  const control = (verb: string) =>
    Promise.all(servers.alive.map(({ url }) => execute(url, `select pg_wal_replay_${verb}()`)));
  await control('pause');
  const outcomes = await Promise.all(
    [add(lookups), add(db), db.transaction().execute(add)].map((work) => outcomeOf(work)),
  );
  expect(outcomes.map(isUnavailable)).toEqual([true, true, true]);
  await control('resume');
  expect(await db.transaction().execute(add)).toBe(1);
  expect(await add(lookups)).toBe(1);
  await close();
});

test('database: reads use the address of the standbys, writes and look-ups the address of the primary', async () => {
  await using w = await isolatedWorld();
  await using standbys = await openTcpProxy(w.databaseUrl);
  const { db, lookups, reads, close } = openDatabase(w.databaseUrl, {
    readUrl: standbys.url,
    size: 1,
    onError: () => {},
  });
  expect(await standbys.count(() => Promise.all([pidOf(db), pidOf(lookups)]))).toBe(0);
  expect(await standbys.count(() => pidOf(reads))).toBe(1);
  await close();
});
