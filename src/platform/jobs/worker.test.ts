import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { deleteJobs, enqueue, queueDepth, type Attempt, type Tasks } from '#platform/jobs/queue.ts';
import { createLog } from '#platform/log.ts';
import { startJobs } from '#platform/jobs/worker.ts';
import { openTcpProxy } from '#test/tcp-proxy.ts';
import { isolatedWorld, type World } from '#test/world.ts';

/** Starts workers that stop at the end of the test, before its database is dropped. */
function work(
  { databaseUrl }: { databaseUrl: string },
  tasks: Tasks,
  { lockSeconds, ...limit }: { attemptTimeout?: number; lockSeconds?: number } = {},
) {
  const groups = [{ tasks, workers: 4, ...limit }];
  const options = { groups, schedule: {}, ...(lockSeconds && { lockSeconds }) };
  const jobs = startJobs(databaseUrl, options, createLog('silent'));
  return { stop: jobs.stop, [Symbol.asyncDispose]: () => jobs.stop() };
}

/** Blocks connections to the database of a world. Returns a function that allows them again. */
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

/** The queued jobs of this name. */
const queued = (w: World, task: string) =>
  all(
    w.db,
    sql`select j.id from jobs j
        where j.name = ${task}`,
  );

test('jobs: the outcomes of attempts that end during a database outage are recorded afterwards, and new jobs run', async () => {
  await using w = await isolatedWorld();
  const gone = Promise.withResolvers<void>();
  const tries: string[] = [];
  await using _jobs = work(w, {
    async knit({ piece }: { piece: string }) {
      tries.push(piece);
      await gone.promise;
      if (piece === 'sock' && tries.filter((tried) => tried === piece).length === 1)
        throw new Error('Failed');
    },
  });
  for (const piece of ['scarf', 'sock']) await enqueue(w.db, 'knit', { piece });
  await expect.poll(() => tries.length).toBe(2);
  const endOutage = await outageOf(w);
  gone.resolve();
  // Idle workers poll every two seconds, even during the outage.
  await sleep(3000);
  await endOutage();
  await enqueue(w.db, 'knit', { piece: 'hat' });
  await expect.poll(() => queued(w, 'knit'), { timeout: 8000 }).toEqual([]);
  expect(tries.toSorted()).toEqual(['hat', 'scarf', 'sock', 'sock']);
}, 30_000);

test('jobs: a lost connection while outcomes are recorded neither stops workers nor repeats jobs', async () => {
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
  // Lock only these jobs: the app has its own jobs.
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

test('jobs: a job is taken again if the response that assigned it to a worker was lost', async () => {
  await using w = await isolatedWorld();
  await using proxy = await openTcpProxy(w.databaseUrl);
  const done = new Set<number>();
  // One job per worker, so that the lost response contained a job, whichever worker it was for.
  const pieces = [1, 2, 3, 4];
  for (const piece of pieces) await enqueue(w.db, 'knit', { piece });
  const lost = proxy.loseAnswerTo('for update skip locked');
  const tasks = { knit: async ({ piece }: { piece: number }) => void done.add(piece) };
  await using _jobs = work({ databaseUrl: proxy.url }, tasks, { attemptTimeout: 3000 });
  await lost;
  await expect.poll(() => [...done].toSorted(), { timeout: 8000 }).toEqual(pieces);
}, 30_000);

test('jobs: attempts that never settle time out and free their workers', async () => {
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
  // Another worker may have taken the eighth of them just before, and not have called its task yet.
  await expect.poll(() => endless.length).toBeGreaterThanOrEqual(8);
  // Failures are recorded asynchronously.
  const failed = sql`select from jobs where last_error = 'Timed out'`;
  await expect.poll(async () => (await all(w.db, failed)).length).toBeGreaterThanOrEqual(5);
});

test('jobs: malformed jobs are given up and counted as dead, and delay no other jobs', async () => {
  await using w = await isolatedWorld();
  for (const [name, payload] of [
    ['send_email', '{}'],
    ['send_email', 'null'],
    ['send_email', '[1, 2]'],
    ['send_email', `{"id": "${'x'.repeat(2 ** 20)}"}`],
    ['send_notice', '{"id": "no id"}'],
    // This job finds no email to send and succeeds.
    ['send_notice', '7'],
  ])
    await run(w.db, sql`select enqueue_job(${name}, ${payload}::jsonb)`);
  const retryNow = () =>
    run(
      w.db,
      sql`with due as (update jobs set run_at = now() where locked_until is null)
          select pg_notify('jobs', '')`,
    );
  for (let round = 0; round < 15; round++) {
    const email = `round-${round}@example.org`;
    const started = Date.now();
    await w.anyone.auth.login({ email });
    await w.mail(email);
    expect(Date.now() - started).toBeLessThan(5000);
    await retryNow();
  }
  const depth = async () => {
    await retryNow();
    return queueDepth(w.db);
  };
  await expect.poll(depth, { timeout: 60_000 }).toEqual({ waiting: 0, retrying: 0, dead: 5 });
  // Time for another attempt, which must not happen.
  await sleep(200);
  expect(await all(w.db, sql`select distinct attempts from jobs`)).toEqual([{ attempts: 13 }]);
}, 90_000);

test('jobs: an attempt that outlasts its lock keeps the job, and may take longer than attempts of other groups', async () => {
  await using w = await isolatedWorld();
  const finish = Promise.withResolvers<void>();
  let tries = 0;
  const knit = async () => {
    tries++;
    await finish.promise;
  };
  await using _jobs = work(w, { knit }, { lockSeconds: 1, attemptTimeout: 60_000 });
  await using _others = work(w, { knit }, { lockSeconds: 1, attemptTimeout: 60_000 });
  await enqueue(w.db, 'knit', {});
  await expect.poll(() => tries).toBe(1);
  // Idle workers look for a job whose lock has expired every two seconds.
  await sleep(5000);
  expect(tries).toBe(1);
  finish.resolve();
  await expect.poll(() => queued(w, 'knit')).toEqual([]);
});

test('jobs: a job that was deleted or taken by another worker must not begin', async () => {
  await using w = await isolatedWorld();
  const proceed = { deleted: Promise.withResolvers<void>(), taken: Promise.withResolvers<void>() };
  const begun: Record<string, boolean[]> = { deleted: [], taken: [], kept: [] };
  await using _jobs = work(w, {
    async knit({ piece }: { piece: keyof typeof proceed }, { begin }: Attempt) {
      await proceed[piece]?.promise;
      begun[piece]?.push(await begin());
    },
  });
  for (const piece of ['deleted', 'taken', 'kept']) await enqueue(w.db, 'knit', { piece });
  // Otherwise the statement below could take this job too.
  await expect.poll(() => begun['kept']?.length).toBe(1);
  const locked = sql`select from jobs where name = 'knit' and locked_by is not null`;
  await expect.poll(async () => (await all(w.db, locked)).length).toBe(2);
  await deleteJobs(w.db, 'knit', 'piece', 'deleted');
  await run(w.db, sql`update jobs set locked_by = gen_random_uuid() where name = 'knit'`);
  for (const { resolve } of Object.values(proceed)) resolve();
  await expect.poll(() => Object.values(begun).flat().length).toBe(3);
  expect(begun).toEqual({ deleted: [false], taken: [false], kept: [true] });
});

test('jobs: `begun` is true only if an earlier attempt called `begin` and its outcome is unknown', async () => {
  await using w = await isolatedWorld();
  const seen: Record<string, boolean[]> = { throws: [], hangs: [] };
  await using _jobs = work(
    w,
    {
      async knit({ piece }: { piece: string }, { begun, begin }: Attempt) {
        seen[piece]?.push(begun);
        if (seen[piece]?.length === 2) return;
        await begin();
        if (piece === 'throws') throw new Error('Nothing was done');
        await new Promise(() => {});
      },
    },
    { attemptTimeout: 300 },
  );
  for (const piece of Object.keys(seen)) await enqueue(w.db, 'knit', { piece });
  await expect.poll(() => queued(w, 'knit'), { timeout: 20_000 }).toEqual([]);
  expect(seen).toEqual({ throws: [false, false], hangs: [false, true] });
});

test('jobs: `stop` aborts running attempts after its timeout, and waits for them to end', async () => {
  await using w = await isolatedWorld();
  const begun = Promise.withResolvers<void>();
  let isReleased = false;
  const jobs = work(w, {
    async knit(_: object, { stopping }: Attempt) {
      begun.resolve();
      await new Promise((resolve) => stopping.addEventListener('abort', resolve));
      isReleased = true;
      throw new Error('Stopped');
    },
  });
  await enqueue(w.db, 'knit', {});
  await begun.promise;
  const stopped = jobs.stop({ timeout: 500 });
  await sleep(100);
  expect(isReleased).toBe(false);
  await stopped;
  expect(isReleased).toBe(true);
  expect(await all(w.db, sql`select from jobs where name = 'knit' and locked_by is null`)).toHaveLength(1);
});
