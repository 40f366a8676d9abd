import type pg from 'pg';
import type { Log } from '#platform/log.ts';

/** Jobs without a payload, each with the seconds between two runs. All of them also run when the process starts. */
export type TaskSchedule = Record<string, number>;

/**
 * Starts adding the jobs of the schedule and returns a function that stops it. Processes share a schedule: a job that
 * exists already is not added again.
 */
export function startSchedule(pool: pg.Pool, schedule: TaskSchedule, log: Log): () => void {
  const add = (name: string) =>
    pool
      .query(
        `select enqueue_job($1, '{}', priority => 1)
         where not exists (select from jobs where name = $1 and attempts < max_attempts)`,
        [name],
      )
      .catch((error: Error) => log.warn({ message: error.message }, 'jobs'));
  const timers = Object.entries(schedule).map(([name, seconds]) => {
    void add(name);
    return setInterval(() => void add(name), seconds * 1000);
  });
  return () => timers.forEach((timer) => clearInterval(timer));
}
