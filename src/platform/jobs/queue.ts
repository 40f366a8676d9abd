import { first, run, sql, type Db } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';

/**
 * The background tasks, by the name of their job. A task may run twice: after a crash halfway through, or when an
 * attempt timed out.
 */
export type Tasks = Record<string, (payload: never, attempt: Attempt) => Promise<void>>;

/** One attempt at a job. */
export interface Attempt {
  /**
   * Whether an earlier attempt called `begin` and its outcome is unknown: its process died, or the attempt timed out.
   */
  begun: boolean;
  /**
   * Records that this attempt begins work that may be repeated only if the attempt throws. Returns false if the work
   * must not begin, because the job was deleted or another worker has it.
   */
  begin(): Promise<boolean>;
  /** Aborted when the process stops and cannot wait for the attempt any longer. */
  stopping: AbortSignal;
}

interface EnqueueOptions {
  delaySeconds?: number;
  /** Runs after all jobs without this flag. */
  lowPriority?: boolean;
  maxAttempts?: number;
}

/** Adds a job in the transaction of `db`: the job exists only if the transaction commits. */
export async function enqueue(
  db: Db,
  name: string,
  payload: object,
  { delaySeconds = 0, lowPriority = false, maxAttempts = 13 }: EnqueueOptions = {},
): Promise<void> {
  await run(
    db,
    sql`insert into jobs (name, payload, run_at, priority, max_attempts)
        values (${name}, ${JSON.stringify(payload)}::jsonb, now() + make_interval(secs => ${delaySeconds}),
          ${lowPriority ? 1 : 0}, ${maxAttempts})`,
  );
}

/** Deletes the jobs that were added in the transaction of `db`. */
export const discardNewJobs = (db: Db) => run(db, sql`delete from jobs where created_at = now()`);

/** Deletes the jobs with this value in their payload, even if an attempt is under way. */
export const deleteJobs = (db: Db, name: string, field: string, value: string) =>
  run(db, sql`delete from jobs where name = ${name} and payload ->> ${field}::text = ${value}`);

/** Removes a field from the payload of every job of this name if the field is an object with this id. */
export const removePayloadField = (db: Db, name: string, field: string, id: string) =>
  run(
    db,
    sql`update jobs set payload = payload - ${field}::text
        where name = ${name} and payload -> ${field}::text ->> 'id' = ${id}`,
  );

/** Deletes jobs that have no attempts left and whose last attempt failed, or ended with a crash, before this time. */
export const deleteFailedJobs = (db: Db, before: Instant) =>
  run(
    db,
    sql`delete from jobs where attempts >= max_attempts and greatest(failed_at, locked_until) < ${before}`,
  );

/** The number of waiting jobs, how many of them wait after a failed attempt, and the number without attempts left. */
export async function queueDepth(db: Db): Promise<{ waiting: number; retrying: number; dead: number }> {
  const row = await first(
    db,
    sql<{ waiting: number; retrying: number; dead: number }>`
      select count(*) filter (where attempts < max_attempts) as waiting,
        count(*) filter (where attempts between 1 and max_attempts - 1 and locked_until is null) as retrying,
        count(*) filter (where attempts >= max_attempts and coalesce(locked_until < now(), true)) as dead
      from jobs`,
  );
  return row ?? { waiting: 0, retrying: 0, dead: 0 };
}

/**
 * Whether jobs of these names are stuck: they have failed with this error (a regular expression) for at least 30
 * seconds and within the last minute, or an attempt started more than 30 seconds ago and has not called `begin`.
 */
export async function keepsFailing(db: Db, names: readonly string[], error: string): Promise<boolean> {
  const stuck = sql`
    select from jobs where name = any(${names}::text[]) and attempts < max_attempts and begun_at is null
      and locked_until > now() and started_at < now() - interval '30 seconds'`;
  const failing = sql`
    select from jobs where name = any(${names}::text[]) and last_error ~ ${error} and attempts < max_attempts
    having min(created_at) < now() - interval '30 seconds' and max(failed_at) > now() - interval '1 minute'`;
  return (await first(db, sql`select where exists (${stuck}) or exists (${failing})`)) !== undefined;
}
