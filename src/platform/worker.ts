import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { mostAttempts, type Attempt, type Tasks } from '#platform/jobs.ts';
import { listen } from '#platform/listen.ts';
import { faultOf, type Log } from '#platform/log.ts';
import { inTime } from '#platform/patience.ts';

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

/** How many jobs a process does at the same time. */
const hands = 4;

/** Works off the jobs; several processes on one database share them. Goes on whenever the database comes back. */
export function startJobs(url: string, { tasks, rhythm, longest = 30_000 }: Work, log: Log): Jobs {
  const pool = openPool(url, { longest, log });
  const stopping = new AbortController();
  const bench = openBench(stopping.signal);
  const hand = { pool, tasks, longest, log, bench, stopping: stopping.signal };
  const working = Array.from({ length: hands }, () => workOn(hand));
  const lookout = listen(url, 'jobs:insert', { heard: bench.wake, log });
  // Nobody notifies of a job whose time has come.
  const poll = setInterval(bench.wake, 2000);
  const rests = [beginAgain(pool, rhythm, log), takeOver(pool, log), () => clearInterval(poll)];
  return {
    async stop() {
      for (const rest of rests) rest();
      stopping.abort();
      await Promise.all([...working, lookout.stop()]);
      await pool.end();
    },
  };
}

/** Where hands rest that have nothing to do. One is woken at a time, and wakes the next when there was something. */
function openBench(stopping: AbortSignal) {
  const resting: (() => void)[] = [];
  let isMissed = false;
  const wake = () => {
    const next = resting.pop();
    isMissed = !next;
    next?.();
  };
  stopping.addEventListener('abort', () => resting.splice(0).forEach((next) => next()));
  return {
    wake,
    async rest(): Promise<void> {
      if (!isMissed && !stopping.aborted) await new Promise<void>((woken) => resting.push(woken));
      isMissed = false;
    },
  };
}

interface Hand extends Required<Omit<Work, 'rhythm'>> {
  pool: pg.Pool;
  log: Log;
  bench: ReturnType<typeof openBench>;
  stopping: AbortSignal;
}

interface Job {
  id: string;
  task: string;
  payload: object;
  attempts: number;
}

/** Takes a job, tries it and notes how that went, one after the other. */
async function workOn(hand: Hand): Promise<void> {
  const name = randomUUID();
  while (!hand.stopping.aborted) {
    const job = await insist(hand, (isAgain) => take(hand, name, isAgain));
    if (!job) {
      await hand.bench.rest();
      continue;
    }
    hand.bench.wake();
    const error = await attempt(hand, job);
    await insist(hand, () => note(hand.pool, name, job, error));
  }
}

/** Tries once a second, as the database may be away, until it works or the process ends. */
async function insist<T>(
  { log, stopping }: Hand,
  work: (isAgain: boolean) => Promise<T>,
): Promise<T | undefined> {
  for (let isAgain = false; ; isAgain = true) {
    try {
      return await work(isAgain);
    } catch (error) {
      if (!isAgain) log.warn({ message: (error as Error).message }, 'jobs');
      if (stopping.aborted) return undefined;
    }
    await sleep(1000, undefined, { signal: stopping }).catch(() => {});
  }
}

const free = 'update graphile_worker._private_jobs set locked_at = null, locked_by = null';

async function take({ pool, tasks }: Hand, name: string, isAgain: boolean): Promise<Job | undefined> {
  // The last answer was lost, and maybe a job with it.
  if (isAgain) await pool.query(`${free} where locked_by = $1`, [name]);
  const values = [name, Object.keys(tasks)];
  const { rows } = await pool.query<Job>({ name: 'take', text: taking, values });
  return rows[0];
}

const taking = `
  update graphile_worker._private_jobs j set attempts = j.attempts + 1, locked_at = now(), locked_by = $1
  from graphile_worker._private_tasks t
  where t.id = j.task_id and j.id = (
    select id from graphile_worker._private_jobs
    where is_available and run_at <= now()
      and task_id = any (array(select id from graphile_worker._private_tasks where identifier = any ($2)))
    order by priority, run_at limit 1 for update skip locked)
  returning j.id, t.identifier as task, j.payload, j.attempts`;

/** Answers why it failed, if it did. The payload never gets into the log: letters are in there. */
async function attempt(
  { pool, tasks, longest, log }: Hand,
  { id, task, payload, attempts }: Job,
): Promise<string | undefined> {
  try {
    const work = tasks[task] as Tasks[string];
    await inTime(work(payload as never, attemptOf(pool, id)), longest, 'It takes too long');
    return undefined;
  } catch (error) {
    log.warn({ task, attempts, error: faultOf(error as Error) }, 'jobs');
    return (error as Error).message || 'It failed';
  }
}

/** What is done is gone, whoever has it by now; what failed waits, each time 2.7 times as long. */
const note = (pool: pg.Pool, name: string, { id }: Job, error: string | undefined) =>
  error === undefined
    ? pool.query('delete from graphile_worker._private_jobs where id = $1', [id])
    : pool.query(
        `${free}, last_error = $3, updated_at = now(),
           run_at = greatest(now(), run_at) + exp(least(attempts, 10)) * interval '1 second'
         where id = $1 and locked_by = $2`,
        [id, name, error],
      );

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

/** What a process that died was at belongs to it for ever otherwise. No try takes so long, nor to note how it went. */
function takeOver(pool: pg.Pool, log: Log): () => void {
  const look = () =>
    pool
      .query(`${free} where locked_at < now() - interval '1 minute'`)
      .catch((error: Error) => log.warn({ message: error.message }, 'jobs'));
  void look();
  const timer = setInterval(look, 15_000);
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
function openPool(url: string, { longest, log }: { longest: number; log: Log }): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: hands,
    connectionTimeoutMillis: 5000,
    // An answer that was lost on the way would be waited for until the system gives the connection up, a quarter of an hour.
    query_timeout: longest / 3,
  });
  const note = (error: Error) => log.warn({ message: error.message }, 'jobs');
  pool.on('error', note);
  pool.on('connect', (client) => client.on('error', note));
  return pool;
}
