import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { first, isUnavailable, openDatabase, run, sql, timeouts, type Db } from '#platform/db/client.ts';
import { Connection } from '#platform/db/connection.ts';
import { listen } from '#platform/db/listen.ts';
import { createLog } from '#platform/log.ts';
import { openTcpProxy } from '#test/tcp-proxy.ts';
import { asInProduction, isolatedWorld, world, type World } from '#test/world.ts';

/** Two addresses of the database of a world. */
async function twoServers(w: World) {
  const [one, other] = [await openTcpProxy(w.databaseUrl), await openTcpProxy(w.databaseUrl)];
  const { host } = new URL(other.url);
  return {
    one,
    other,
    url: one.url.replace(/(@[^/]*)/, `$1,${host}`),
    async [Symbol.asyncDispose]() {
      for (const proxy of [one, other]) await proxy[Symbol.asyncDispose]();
    },
  };
}

const open = (url: string, size = 1) => openDatabase(url, { size, onError: () => {} });
const pidOf = async (db: Db) => (await first(db, sql<{ pid: number }>`select pg_backend_pid() as pid`))?.pid;
const outcomeOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);

/** Connects and returns the error. */
async function errorOf(url: string, connectionTimeoutMillis?: number): Promise<unknown> {
  const connection = new Connection({ url, connectionTimeoutMillis });
  const error = await connection.connect().then(
    () => undefined,
    (reason: Error) => reason.message,
  );
  await connection.end();
  return error;
}

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

test('connection: opened only to a server that accepts writes, if there are several', async () => {
  await using w = await isolatedWorld();
  await using servers = await twoServers(w);
  const name = sql.ref(new URL(w.databaseUrl).pathname.slice(1));
  expect(await errorOf(servers.url)).toBeUndefined();
  await run(w.db, sql`alter database ${name} set default_transaction_read_only = on`);
  const readOnly = 'Connection terminated: the server is read-only';
  for (const accept of ['primary', 'any'])
    expect(await errorOf(`${servers.url}&target_session_attrs=${accept}`)).toBeUndefined();
  expect(await errorOf(`${w.databaseUrl}&target_session_attrs=read-write`)).toBe(readOnly);
  expect(await errorOf(w.databaseUrl)).toBeUndefined();
  expect(await errorOf(servers.url.replace(/(@[^,]*),/, '$1,127.0.0.1:1,'), 1000)).toMatch(
    /^No database server is available: 127.0.0.1:\d+ \(.*\), 127.0.0.1:1 \(.*ECONNREFUSED.*\), 127.0.0.1:\d+ \(.*\)$/,
  );
});

test('connection: those to a server that stops responding are closed as soon as another one is found', async () => {
  asInProduction();
  timeouts.statement = 100;
  await using w = await isolatedWorld();
  await using servers = await twoServers(w);
  const ofOther = servers.other.fallSilent();
  const { db, reads, pool, close } = open(servers.url, 3);
  let notified = 0;
  const listener = listen(servers.url, 'test', { onNotify: () => notified++, log: createLog('silent') });
  const [before] = await Promise.all([pidOf(reads), pidOf(db), pidOf(db), pidOf(db)]);
  await expect.poll(() => notified).toBe(1);
  expect(pool.idleCount).toBe(3);
  ofOther();
  servers.one.fallSilent();
  expect(isUnavailable(await outcomeOf(pidOf(reads)))).toBe(true);
  expect(pool.idleCount).toBe(3);
  await expect.poll(() => outcomeOf(pidOf(reads))).toEqual(expect.any(Number));
  expect(await pidOf(reads)).not.toBe(before);
  await expect.poll(() => pool.idleCount).toBe(0);
  expect(await pidOf(db)).toEqual(expect.any(Number));
  await expect.poll(() => notified).toBe(2);
  await run(db, sql`notify test`);
  await expect.poll(() => notified).toBe(3);
  await Promise.all([listener.stop(), close()]);
});

test('connection: another server is used at once when the first one closes its connections', async () => {
  await using w = await world();
  await using servers = await twoServers(w);
  const ofOther = servers.other.fallSilent();
  const { db, pool, close } = open(servers.url);
  await pidOf(db);
  ofOther();
  await servers.one[Symbol.asyncDispose]();
  await expect.poll(() => pool.totalCount).toBe(0);
  expect(await pidOf(db)).toEqual(expect.any(Number));
  await close();
});

test('connection: the server of earlier connections is not trusted when none is open any more', async () => {
  await using w = await world();
  await using servers = await twoServers(w);
  const ofOther = servers.other.fallSilent();
  expect(await errorOf(servers.url)).toBeUndefined();
  ofOther();
  await servers.one[Symbol.asyncDispose]();
  expect(await errorOf(servers.url)).toBeUndefined();
});

test('connection: waits while no server accepts writes', async () => {
  await using w = await isolatedWorld();
  await using servers = await twoServers(w);
  const name = sql.ref(new URL(w.databaseUrl).pathname.slice(1));
  const change = (how: string) =>
    run(w.db, sql`begin read write; alter database ${name} ${sql.raw(how)}; commit`);
  await change('set default_transaction_read_only = on');
  const error = errorOf(servers.url);
  await sleep(200);
  await change('reset default_transaction_read_only');
  expect(await error).toBeUndefined();
});
