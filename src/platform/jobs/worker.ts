import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Attempt, Tasks } from '#platform/jobs/queue.ts';
import { startSchedule, type Schedule } from '#platform/jobs/schedule.ts';
import { openPool } from '#platform/db/connection.ts';
import { listen } from '#platform/db/listen.ts';
import { errorFields, type Log } from '#platform/log.ts';
import { withTimeout } from '#platform/timeout.ts';

export interface Jobs {
  /** Waits for the attempts under way and starts none. */
  stop(): Promise<void>;
}

interface JobOptions {
  tasks: Tasks;
  schedule: Schedule;
  /** Milliseconds after which an attempt counts as failed, so that no job blocks a worker for ever. */
  attemptTimeout?: number;
}

/** Jobs that a process runs at the same time. */
const concurrency = 4;

/** Runs the jobs of the queue, which several processes share. Keeps trying while the database is away. */
export function startJobs(
  url: string,
  { tasks, schedule, attemptTimeout = 30_000 }: JobOptions,
  log: Log,
): Jobs {
  const pool = openPool(
    {
      url,
      max: concurrency,
      connectionTimeoutMillis: 5000,
      // Otherwise a response lost on the network blocks until TCP times out after a quarter of an hour.
      query_timeout: attemptTimeout / 3,
    },
    ({ message }) => log.warn({ message }, 'jobs'),
  );
  const stopping = new AbortController();
  const idle = idleWorkers(stopping.signal);
  const options = { pool, tasks, attemptTimeout, log, idle, stopping: stopping.signal };
  const workers = Array.from({ length: concurrency }, () => work(options));
  const listener = listen(url, 'jobs', { onNotify: idle.wake, log });
  // Nothing notifies of a delayed job that is due now, or of one whose lock has expired.
  const poll = setInterval(idle.wake, 2000);
  const stopSchedule = startSchedule(pool, schedule, log);
  return {
    async stop() {
      stopSchedule();
      clearInterval(poll);
      stopping.abort();
      await Promise.all([...workers, listener.stop()]);
      await pool.end();
    },
  };
}

/** Workers without a job wait here. One is woken at a time, and wakes the next when it finds a job. */
function idleWorkers(stopping: AbortSignal) {
  const waiting: (() => void)[] = [];
  let wokenEarly = false;
  const wake = () => {
    const next = waiting.pop();
    wokenEarly = !next;
    next?.();
  };
  stopping.addEventListener('abort', () => waiting.splice(0).forEach((next) => next()));
  return {
    wake,
    async wait(): Promise<void> {
      if (!wokenEarly && !stopping.aborted) await new Promise<void>((resolve) => waiting.push(resolve));
      wokenEarly = false;
    },
  };
}

interface WorkerOptions extends Required<Omit<JobOptions, 'schedule'>> {
  pool: pg.Pool;
  log: Log;
  idle: ReturnType<typeof idleWorkers>;
  stopping: AbortSignal;
}

interface Job {
  id: string;
  name: string;
  payload: object;
  attempts: number;
}

/** Takes one job after the other, attempts it and records the outcome. */
async function work(options: WorkerOptions): Promise<void> {
  const worker = randomUUID();
  while (!options.stopping.aborted) {
    const job = await retry(options, (isRetry) => take(options, worker, isRetry));
    if (!job) {
      await options.idle.wait();
      continue;
    }
    options.idle.wake();
    const error = await attempt(options, job);
    await retry(options, () => finish(options.pool, { worker, job, error }));
  }
}

/** Repeats a statement once a second while the database is away, until it works or the process stops. */
async function retry<T>(
  { log, stopping }: WorkerOptions,
  query: (isRetry: boolean) => Promise<T>,
): Promise<T | undefined> {
  for (let isRetry = false; ; isRetry = true) {
    try {
      return await query(isRetry);
    } catch (error) {
      if (!isRetry) log.warn({ message: (error as Error).message }, 'jobs');
      if (stopping.aborted) return undefined;
    }
    await sleep(1000, undefined, { signal: stopping }).catch(() => {});
  }
}

const lockSeconds = 60;

async function take(
  { pool, tasks }: WorkerOptions,
  worker: string,
  isRetry: boolean,
): Promise<Job | undefined> {
  // The response to the last query was lost, possibly with a job.
  if (isRetry)
    await pool.query('update jobs set locked_until = null, locked_by = null where locked_by = $1', [worker]);
  const values = [worker, Object.keys(tasks), lockSeconds];
  const { rows } = await pool.query<Job>({ name: 'take', text: takeNext, values });
  return rows[0];
}

// Clears the key: a job that is enqueued from now on must not be merged with this attempt.
const takeNext = `
  update jobs set attempts = attempts + 1, key = null, locked_by = $1,
    locked_until = now() + make_interval(secs => $3)
  where id = (
    select id from jobs
    where attempts < max_attempts and run_at <= now() and (locked_until is null or locked_until < now())
      and name = any ($2)
    order by priority, run_at limit 1 for update skip locked)
  returning id, name, payload, attempts`;

/** Returns the message of the error if the attempt failed. The payload is never logged: it holds emails. */
async function attempt(
  { pool, tasks, attemptTimeout, log }: WorkerOptions,
  { id, name, payload, attempts }: Job,
): Promise<string | undefined> {
  try {
    const task = tasks[name] as Tasks[string];
    await withTimeout(task(payload as never, attemptAt(pool, id)), attemptTimeout, 'Timed out');
    return undefined;
  } catch (error) {
    log.warn({ task: name, attempts, error: errorFields(error as Error) }, 'jobs');
    return (error as Error).message || 'Failed';
  }
}

/** Deletes a finished job, even if another worker has locked it by now. A failed job backs off by a factor of 2.7, up to 6 hours. */
const finish = (
  pool: pg.Pool,
  { worker, job, error }: { worker: string; job: Job; error: string | undefined },
) =>
  error === undefined
    ? pool.query('delete from jobs where id = $1', [job.id])
    : pool.query(
        `update jobs set locked_until = null, locked_by = null, last_error = $3, failed_at = now(),
           run_at = greatest(now(), run_at) + exp(least(attempts, 10)) * interval '1 second'
         where id = $1 and locked_by = $2`,
        [job.id, worker, error],
      );

const attemptAt = (pool: pg.Pool, job: string): Attempt => ({
  async atMostOnce(work) {
    const begin = 'update jobs set begun_at = now() where id = $1 and begun_at is null';
    if ((await pool.query(begin, [job])).rowCount === 0) return;
    try {
      await work();
    } catch (error) {
      await pool.query('update jobs set begun_at = null where id = $1', [job]);
      throw error;
    }
  },
});
