import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Tasks } from '#platform/jobs/queue.ts';
import { startSchedule, type TaskSchedule } from '#platform/jobs/schedule.ts';
import { openPool } from '#platform/db/connection.ts';
import { listen } from '#platform/db/listen.ts';
import { errorFields, type Log } from '#platform/log.ts';
import { withTimeout } from '#platform/timeout.ts';

export interface Jobs {
  /** Starts no further attempts and waits for the running ones. After `timeout` milliseconds it aborts them. */
  stop(options?: { timeout?: number }): Promise<void>;
}

/** Workers for some kinds of jobs. Slow jobs do not delay the jobs of other groups. */
export interface WorkerGroup {
  tasks: Tasks;
  workers: number;
  /** Takes only jobs without low priority. */
  isUrgent?: boolean;
  /** Milliseconds after which an attempt counts as failed, so that no job blocks a worker for ever. */
  attemptTimeout?: number;
}

interface JobOptions {
  groups: WorkerGroup[];
  schedule: TaskSchedule;
  /** The seconds after which other workers may take the job of a worker that died. A running attempt renews its lock. */
  lockSeconds?: number;
}

const defaultTimeout = 30_000;

/** The priority of jobs for which nobody waits, such as weekly emails. Urgent jobs have 0, other emails 1. */
const lowest = 2;

/** Connections of a process for the queue. Workers need one only to take a job and to record its outcome. */
const connections = 4;

/** Runs the jobs of the queue, which several processes share. Keeps trying while the database is unavailable. */
export function startJobs(url: string, { groups, schedule, lockSeconds = 60 }: JobOptions, log: Log): Jobs {
  const timeouts = groups.map(({ attemptTimeout = defaultTimeout }) => attemptTimeout);
  const pool = openPool(
    {
      url,
      max: connections,
      connectionTimeoutMillis: 5000,
      // Without it, a response lost on the network would block its worker for the 15 minutes until TCP times out.
      query_timeout: Math.min(...timeouts) / 3,
    },
    ({ message }) => log.warn({ message }, 'jobs'),
  );
  const stopping = new AbortController();
  const ending = new AbortController();
  const signals = { stopping: stopping.signal, ending: ending.signal };
  const started = groups.map((group) => {
    const idle = idleWorkers(stopping.signal);
    const options = {
      attemptTimeout: defaultTimeout,
      isUrgent: false,
      ...group,
      pool,
      log,
      lockSeconds,
      idle,
      ...signals,
    };
    return { idle, workers: Array.from({ length: group.workers }, () => work(options)) };
  });
  const wake = () => started.forEach(({ idle }) => idle.wake());
  const listener = listen(url, 'jobs', { onNotify: wake, log });
  // There is no notification when a delayed job becomes due or a lock expires.
  const poll = setInterval(wake, 2000);
  const stopSchedule = startSchedule(pool, schedule, log);
  return {
    async stop({ timeout = 0 } = {}) {
      stopSchedule();
      clearInterval(poll);
      stopping.abort();
      const timer = setTimeout(() => ending.abort(), timeout);
      await Promise.all([...started.flatMap(({ workers }) => workers), listener.stop()]);
      clearTimeout(timer);
      await pool.end();
    },
  };
}

/** Workers without a job wait here. One worker is woken at a time, and wakes the next when it finds a job. */
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

interface WorkerOptions extends Required<Omit<WorkerGroup, 'workers'>> {
  pool: pg.Pool;
  log: Log;
  lockSeconds: number;
  idle: ReturnType<typeof idleWorkers>;
  stopping: AbortSignal;
  ending: AbortSignal;
}

interface Job {
  id: string;
  name: string;
  payload: object;
  attempts: number;
  begun: boolean;
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
    const error = await attempt(options, worker, job);
    await retry(options, () => finish(options.pool, { worker, job, error }));
  }
}

/** Repeats a statement once a second while the database is unavailable, until it succeeds or the process stops. */
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

async function take(
  { pool, tasks, isUrgent, lockSeconds }: WorkerOptions,
  worker: string,
  isRetry: boolean,
): Promise<Job | undefined> {
  // The response to the last query was lost, possibly with a job, so release that job.
  if (isRetry)
    await pool.query('update jobs set locked_until = null, locked_by = null where locked_by = $1', [worker]);
  const values = [worker, Object.keys(tasks), lockSeconds, isUrgent ? 0 : lowest];
  const { rows } = await pool.query<Job>({ name: 'take', text: takeNext, values });
  return rows[0];
}

// Clears the key: a job that is enqueued from now on must not be merged with this attempt.
const takeNext = `
  update jobs set attempts = attempts + 1, key = null, locked_by = $1, started_at = now(),
    locked_until = now() + make_interval(secs => $3)
  where id = (
    select id from jobs
    where attempts < max_attempts and run_at <= now() and (locked_until is null or locked_until < now())
      and name = any ($2) and priority <= $4
    order by priority, run_at limit 1 for update skip locked)
  returning id, name, payload, attempts, begun_at is not null as begun`;

const timedOut = 'Timed out';

/** Returns the message of the error if the attempt failed. The payload is never logged: it holds emails. */
async function attempt(
  { pool, tasks, attemptTimeout, lockSeconds, log, ending }: WorkerOptions,
  worker: string,
  { id, name, payload, attempts, begun }: Job,
): Promise<string | undefined> {
  const own = async (change: string, ...values: unknown[]) =>
    (await pool.query(`update jobs set ${change} where id = $1 and locked_by = $2`, [id, worker, ...values]))
      .rowCount === 1;
  const renewal = setInterval(
    () => void own('locked_until = now() + make_interval(secs => $3)', lockSeconds).catch(() => {}),
    (lockSeconds * 1000) / 3,
  );
  try {
    const task = tasks[name] as Tasks[string];
    const begin = () => own('begun_at = now()');
    await withTimeout(task(payload as never, { begun, begin, stopping: ending }), attemptTimeout, timedOut);
    return undefined;
  } catch (error) {
    log.warn({ task: name, attempts, error: errorFields(error as Error) }, 'jobs');
    return (error as Error).message || 'Failed';
  } finally {
    clearInterval(renewal);
  }
}

/**
 * Deletes a finished job, even if another worker has locked it by now. A failed job backs off by a factor of 2.7, up to
 * 6 hours. An attempt that timed out may still be running, so its `begun` mark stays.
 */
const finish = (
  pool: pg.Pool,
  { worker, job, error }: { worker: string; job: Job; error: string | undefined },
) =>
  error === undefined
    ? pool.query('delete from jobs where id = $1', [job.id])
    : pool.query(
        `update jobs set locked_until = null, locked_by = null, last_error = $3, failed_at = now(),
           begun_at = case when $3 = '${timedOut}' then begun_at end,
           run_at = greatest(now(), run_at) + exp(least(attempts, 10)) * interval '1 second'
         where id = $1 and locked_by = $2`,
        [job.id, worker, error],
      );
