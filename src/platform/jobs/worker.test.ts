import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { all, sql } from '#platform/db/client.ts';
import { enqueue, type Tasks } from '#platform/jobs/queue.ts';
import { createLog } from '#platform/log.ts';
import { startJobs } from '#platform/jobs/worker.ts';
import { openTcpProxy } from '#test/tcp-proxy.ts';
import { isolatedWorld, type World } from '#test/world.ts';

/** Stops when the test is over, however it ends: before its database goes. */
function work({ databaseUrl }: { databaseUrl: string }, tasks: Tasks, limit?: { attemptTimeout: number }) {
  const jobs = startJobs(databaseUrl, { tasks, schedule: {}, ...limit }, createLog('silent'));
  return { [Symbol.asyncDispose]: () => jobs.stop() };
}

/** Lets nobody reach the database of a world, and then everybody again. */
async function outageOf(w: World) {
  const server = new pg.Client({ connectionString: inject('databaseServer') });
  await server.connect();
  const name = new URL(w.databaseUrl).pathname.slice(1);
  await server.query(`alter database ${name} allow_connections false`);
  await server.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  return async () => {
    await server.query(`alter database ${name} allow_connections true`);
    await server.end();
  };
}

/** What is in the queue of this task. */
const queued = (w: World, task: string) =>
  all(
    w.db,
    sql`select j.id from jobs j
        where j.name = ${task}`,
  );

test('what is finished while the database is away is noted when it is back, and what comes then is done', async () => {
  await using w = await isolatedWorld();
  const gone = Promise.withResolvers<void>();
  const tries: string[] = [];
  await using _jobs = work(w, {
    async knit({ piece }: { piece: string }) {
      tries.push(piece);
      await gone.promise;
      if (piece === 'sock' && tries.filter((tried) => tried === piece).length === 1)
        throw new Error('A stitch fell');
    },
  });
  for (const piece of ['scarf', 'sock']) await enqueue(w.db, 'knit', { piece });
  await expect.poll(() => tries.length).toBe(2);
  const end = await outageOf(w);
  gone.resolve();
  // Long enough for those who rest to have looked and found nobody.
  await sleep(5000);
  await end();
  await enqueue(w.db, 'knit', { piece: 'hat' });
  await expect.poll(() => queued(w, 'knit'), { timeout: 8000 }).toEqual([]);
  expect(tries.toSorted()).toEqual(['hat', 'scarf', 'sock', 'sock']);
}, 30_000);

test('jobs whose ends are lost at the same moment end nobody, and are not done twice', async () => {
  await using w = await isolatedWorld();
  const finish = Promise.withResolvers<void>();
  const tries: number[] = [];
  await using _jobs = work(w, {
    async knit({ piece }: { piece: number }) {
      tries.push(piece);
      await finish.promise;
      await sleep(piece * 20);
    },
  });
  for (const piece of [1, 2, 3]) await enqueue(w.db, 'knit', { piece });
  await expect.poll(() => tries.length).toBe(3);
  const other = new pg.Client({ connectionString: w.databaseUrl });
  await other.connect();
  await other.query('begin');
  // Theirs alone: the app has jobs of its own.
  await other.query(`select from jobs j
    where j.name = 'knit' for update of j`);
  finish.resolve();
  const waiting = sql`
    from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'delete from %'`;
  await expect
    .poll(async () => (await all(w.db, sql`select pid ${waiting}`)).length)
    .toBeGreaterThanOrEqual(3);
  await all(w.db, sql`select pg_terminate_backend(pid) ${waiting}`);
  await other.query('commit');
  await other.end();
  await enqueue(w.db, 'knit', { piece: 4 });
  await expect.poll(() => queued(w, 'knit'), { timeout: 8000 }).toEqual([]);
  expect(tries.toSorted()).toEqual([1, 2, 3, 4]);
}, 30_000);

test('a job that was handed out and never arrived is handed out again', async () => {
  await using w = await isolatedWorld();
  await using proxy = await openTcpProxy(w.databaseUrl);
  const done = new Set<number>();
  // As many as a process does at the same time, so that whichever question is lost had a job for its answer.
  const pieces = [1, 2, 3, 4];
  for (const piece of pieces) await enqueue(w.db, 'knit', { piece });
  const lost = proxy.loseAnswerTo('for update skip locked');
  const tasks = { knit: async ({ piece }: { piece: number }) => void done.add(piece) };
  await using _jobs = work({ databaseUrl: proxy.url }, tasks, { attemptTimeout: 3000 });
  await lost;
  await expect.poll(() => [...done].toSorted(), { timeout: 8000 }).toEqual(pieces);
}, 30_000);

test('jobs that never end fail one after the other, and hold up nobody for ever', async () => {
  await using w = await isolatedWorld();
  const done = Promise.withResolvers<void>();
  const endless: Promise<void>[] = [];
  const tasks: Tasks = {
    wait: () => (endless.push(new Promise(() => {})), endless.at(-1) as Promise<void>),
    knit: async () => done.resolve(),
  };
  for (let job = 0; job < 8; job++) await enqueue(w.db, 'wait', {});
  await enqueue(w.db, 'knit', {}, { lowPriority: true });
  await using _jobs = work(w, tasks, { attemptTimeout: 200 });
  await done.promise;
  expect(endless.length).toBeGreaterThanOrEqual(8);
  // What failed is written down a moment later.
  const failed = sql`select from jobs where last_error = 'Timed out'`;
  await expect.poll(async () => (await all(w.db, failed)).length).toBeGreaterThanOrEqual(5);
});
