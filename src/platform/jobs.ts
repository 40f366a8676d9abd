import { Logger, runMigrations } from 'graphile-worker';
import type pg from 'pg';
import { first, run, sql, type Db } from '#platform/db.ts';
import type { Log } from '#platform/log.ts';
import type { Instant } from '#wire/instant.ts';

/** Work after the request, by name. A task may run twice: after a crash in the midst of it, or when a try took too long. */
export type Tasks = Record<string, (payload: never, attempt: Attempt) => Promise<void>>;

/** One try of a job. */
export interface Attempt {
  /** Does what must not happen twice: when an earlier try began it and the process died, nobody knows, and it stays so. */
  once(work: () => Promise<void>): Promise<void>;
}

/** Each pause is 2.7 times the one before, 6 hours at most: these take 22 hours, so that mail outlasts a bad day. */
export const mostAttempts = 13;

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

/** The tables of the queue. */
export async function migrateJobs(url: string, log: Log): Promise<void> {
  const logger = new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') log.warn({ message }, 'jobs');
  });
  await runMigrations({ connectionString: url, logger });
}
