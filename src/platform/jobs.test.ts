import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { all, sql } from '#platform/db.ts';
import { enqueue, startJobs, type Tasks } from '#platform/jobs.ts';
import { createLog } from '#platform/log.ts';
import { ownWorld, type World } from '#test/world.ts';

const work = (w: World, tasks: Tasks, limit?: { longest: number }) =>
  startJobs(w.databaseUrl, { tasks, rhythm: {}, ...limit }, createLog('silent'));

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

test('what a worker could not give back, since the database was away, is done soon after it is there again', async () => {
  await using w = await ownWorld();
  const [begun, again] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const gone = Promise.withResolvers<void>();
  let tries = 0;
  const jobs = work(w, {
    async knit() {
      if (++tries > 1) return again.resolve();
      begun.resolve();
      await gone.promise;
    },
  });
  await enqueue(w.db, 'knit', {});
  await begun.promise;
  const end = await outageOf(w);
  gone.resolve();
  await sleep(1000);
  await end();
  const back = Date.now();
  await again.promise;
  expect(Date.now() - back).toBeLessThan(8000);
  await jobs.stop();
}, 20_000);

test('jobs that never end fail one after the other, and hold up nobody for ever', async () => {
  await using w = await ownWorld();
  const done = Promise.withResolvers<void>();
  const endless: Promise<void>[] = [];
  const tasks: Tasks = {
    wait: () => (endless.push(new Promise(() => {})), endless.at(-1) as Promise<void>),
    knit: async () => done.resolve(),
  };
  for (let job = 0; job < 8; job++) await enqueue(w.db, 'wait', {});
  await enqueue(w.db, 'knit', {}, { canWait: true });
  const jobs = work(w, tasks, { longest: 200 });
  await done.promise;
  expect(endless.length).toBeGreaterThanOrEqual(8);
  // What failed is written down a moment later.
  const failed = sql`select from graphile_worker._private_jobs where last_error = 'It takes too long'`;
  await expect.poll(async () => (await all(w.db, failed)).length).toBeGreaterThanOrEqual(5);
  await jobs.stop();
});
