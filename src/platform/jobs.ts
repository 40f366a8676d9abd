import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  run as startWorker,
  Logger,
  runMigrations,
  type Runner,
  type RunnerOptions,
  type Task,
  type WorkerEvents,
} from 'graphile-worker';
import pg from 'pg';
import { first, run, sql, type Db } from '#platform/db.ts';
import type { Log } from '#platform/log.ts';
import { inTime } from '#platform/patience.ts';
import type { Instant } from '#wire/instant.ts';

/** Work after the request, by name. A task may run twice: after a crash in the midst of it, or when a try took too long. */
export type Tasks = Record<string, (payload: never, attempt: Attempt) => Promise<void>>;

/** One try of a job. */
export interface Attempt {
  /** Does what must not happen twice: when an earlier try began it and the process died, nobody knows, and it stays so. */
  once(work: () => Promise<void>): Promise<void>;
}

/** Each pause is 2.7 times the one before, 6 hours at most: these take 22 hours, so that mail outlasts a bad day. */
const mostAttempts = 13;

export interface When {
  /** Seconds to wait. */
  after?: number;
  /** Jobs that can wait let all others pass. */
  canWait?: boolean;
}

/** Adds a job to the transaction of `db`: it exists if that commits, and starts right after, or so many seconds later. */
export async function enqueue(
  db: Db,
  task: string,
  payload: object,
  { after = 0, canWait = false }: When = {},
): Promise<void> {
  const json = JSON.stringify(payload);
  await run(
    db,
    sql`select graphile_worker.add_job(${task}, payload := ${json}::json,
        run_at := now() + make_interval(secs => ${after}), max_attempts := ${mostAttempts}, priority := ${canWait ? 1 : 0})`,
  );
}

/** Takes out of the queue what has this value in its payload, also what is just being tried. */
export const dropJobs = (db: Db, task: string, field: string, value: string) =>
  run(
    db,
    sql`delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
        where t.id = j.task_id and t.identifier = ${task} and j.payload ->> ${field}::text = ${value}`,
  );

/** Takes a field with this id out of the payload of whatever is in the queue. */
export const dropField = (db: Db, task: string, field: string, id: string) =>
  run(
    db,
    sql`update graphile_worker._private_jobs j set payload = (j.payload::jsonb - ${field}::text)::json
        from graphile_worker._private_tasks t
        where t.id = j.task_id and t.identifier = ${task} and j.payload -> ${field}::text ->> 'id' = ${id}`,
  );

/** Jobs that were tried as often as they may, the last time before `before`. */
export const dropFailedJobs = (db: Db, before: Instant) =>
  run(
    db,
    sql`delete from graphile_worker._private_jobs
        where attempts >= max_attempts and locked_at is null and updated_at < ${before}`,
  );

/** What still waits to be done, or is being done, as `addAgain` takes it: for a copy of the database. */
export const waitingJobs = `
  select json_build_object('task', t.identifier, 'payload', j.payload, 'run_at', j.run_at,
    'max_attempts', j.max_attempts, 'key', j.key, 'priority', j.priority)::text
  from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
  where j.attempts < j.max_attempts or j.locked_at is not null order by j.id`;

export const addAgain = (client: pg.Client, job: string) =>
  client.query(
    `select graphile_worker.add_job(task, payload, run_at := run_at, max_attempts := max_attempts, job_key := key,
       priority := priority)
     from json_to_record($1) as
       (task text, payload json, run_at timestamptz, max_attempts int, key text, priority int)`,
    [job],
  );

/** How many jobs wait for their turn, how many of those for another try, and how many were given up. */
export async function queueDepth(db: Db): Promise<{ waiting: number; retrying: number; dead: number }> {
  const row = await first(
    db,
    sql<{ waiting: number; retrying: number; dead: number }>`
      select count(*) filter (where attempts < max_attempts) as waiting,
        count(*) filter (where attempts between 1 and max_attempts - 1 and locked_at is null) as retrying,
        count(*) filter (where attempts >= max_attempts and locked_at is null) as dead
      from graphile_worker._private_jobs`,
  );
  return row ?? { waiting: 0, retrying: 0, dead: 0 };
}

/** Whether a task has met this error for 30 seconds and more, the last time within the last minute. */
export async function keepsFailing(db: Db, task: string, error: string): Promise<boolean> {
  // After a failure a job waits for so many seconds.
  const lastTry = sql`j.run_at - exp(least(j.attempts, 10)) * interval '1 second'`;
  const failing = sql`
    select 1 from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = ${task} and j.last_error ~ ${error} and j.attempts < j.max_attempts
    having min(j.created_at) < now() - interval '30 seconds' and max(${lastTry}) > now() - interval '1 minute'`;
  return (await first(db, failing)) !== undefined;
}

export async function migrateJobs(url: string, log: Log): Promise<void> {
  await runMigrations({ connectionString: url, logger: workerLog(log) });
}

/** Tasks that begin by themselves: with the process, and again after each so many seconds. */
export type Rhythm = Record<string, number>;

export interface Jobs {
  /** Finishes what is being done, and starts nothing more. */
  stop(): Promise<void>;
}

interface Work {
  tasks: Tasks;
  rhythm: Rhythm;
  /** Milliseconds after which a try has failed, so that none holds its place for ever; only tests have less patience. */
  longest?: number;
}

/** Works off the jobs; several processes on one database share them. Begins again whenever the database comes back. */
export function startJobs(url: string, { tasks, rhythm, longest = 30_000 }: Work, log: Log): Jobs {
  const pool = openPool(url, log);
  const options = workerOptions(pool, { tasks, longest }, log);
  const rests = [beginAgain(pool, rhythm, log), takeOver(pool, log)];
  const stopping = new AbortController();
  let runner: Runner | undefined;

  async function work(): Promise<void> {
    let last = '';
    while (!stopping.signal.aborted) {
      try {
        // What the last one could not give back, since the database was away.
        await pool.query(`${free} where locked_by = $1`, [last]);
        const events: WorkerEvents = new EventEmitter();
        events.once('pool:create', ({ workerPool }) => void (last = workerPool.id));
        runner = await startWorker({ ...options, events });
        const { stop } = runner;
        // What it could not learn when it started it never asks for again: after a failure a new one starts.
        events.once('worker:getJob:error', () => void stop().catch(() => {}));
        if (stopping.signal.aborted) await runner.stop();
        await runner.promise;
      } catch (error) {
        log.warn({ message: (error as Error).message }, 'jobs');
      }
      await sleep(1000, undefined, stopping).catch(() => {});
    }
  }

  const working = work();
  return {
    async stop() {
      stopping.abort();
      for (const rest of rests) rest();
      // A runner that ended by itself refuses to be stopped.
      await runner?.stop().catch(() => {});
      await working;
      await pool.end();
    },
  };
}

/** Several processes keep the same rhythm: a task that already waits is not added again. */
function beginAgain(pool: pg.Pool, rhythm: Rhythm, log: Log): () => void {
  const add = 'select graphile_worker.add_job($1::text, job_key := $1::text, max_attempts := $2)';
  const begin = (task: string) =>
    pool
      .query(add, [task, mostAttempts])
      .catch((error: Error) => log.warn({ message: error.message }, 'jobs'));
  const timers = Object.entries(rhythm).map(([task, seconds]) => {
    void begin(task);
    return setInterval(() => begin(task), seconds * 1000);
  });
  return () => timers.forEach((timer) => clearInterval(timer));
}

const free = 'update graphile_worker._private_jobs set locked_at = null, locked_by = null';

/** What a process that died was at belongs to it for hours otherwise. No try takes so long. */
function takeOver(pool: pg.Pool, log: Log): () => void {
  const look = () =>
    pool
      .query(`${free} where locked_at < now() - interval '2 minutes'`)
      .catch((error: Error) => log.warn({ message: error.message }, 'jobs'));
  void look();
  const timer = setInterval(look, 60_000);
  return () => clearInterval(timer);
}

const attemptOf = (pool: pg.Pool, job: string): Attempt => ({
  async once(work) {
    const jobs = 'update graphile_worker._private_jobs set payload =';
    const begin = `${jobs} jsonb_set(payload::jsonb, '{begun}', 'true') where id = $1 and payload -> 'begun' is null`;
    if ((await pool.query(begin, [job])).rowCount === 0) return;
    try {
      await work();
    } catch (error) {
      await pool.query(`${jobs} payload::jsonb - 'begun' where id = $1`, [job]);
      throw error;
    }
  },
});

/** A connection that breaks must end neither the process nor the pool, not even while it is being closed. */
function openPool(url: string, log: Log): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 5 });
  const note = (error: Error) => log.warn({ message: error.message }, 'jobs');
  pool.on('error', note);
  pool.on('connect', (client) => client.on('error', note));
  return pool;
}

const workerOptions = (
  pgPool: pg.Pool,
  { tasks, longest }: Required<Omit<Work, 'rhythm'>>,
  log: Log,
): RunnerOptions => ({
  pgPool,
  taskList: Object.fromEntries(
    Object.entries(tasks).map(([name, work]): [string, Task] => [
      name,
      (payload, { job }) =>
        inTime(work(payload as never, attemptOf(pgPool, job.id)), longest, 'It takes too long'),
    ]),
  ),
  concurrency: 4,
  noHandleSignals: true,
  pollInterval: 2000,
  logger: workerLog(log),
  // Only in batches does an end of a job that can't be noted end the worker, and not the process.
  preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
});

/** Only what goes wrong, and never a payload: letters are in there. */
const workerLog = (log: Log) =>
  new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') log.warn({ message }, 'jobs');
  });
