import { first, run, sql, type Db } from '#platform/db.ts';
import { addSeconds, secondsBetween, type Instant } from '#wire/instant.ts';
import { Refused } from '#wire/refusal.ts';

/** Counts one more of `key` and refuses it when the window is full. Windows start with the first of their kind. */
export async function limit(
  db: Db,
  key: string,
  { most, seconds, now }: { most: number; seconds: number; now: Instant },
): Promise<void> {
  const row = await first(
    db,
    sql<{ taken: number; window_ends_at: Instant }>`
      insert into rate_limits as r (key, window_ends_at, taken) values (${key}, ${addSeconds(now, seconds)}, 1)
      on conflict (key) do update set
        taken = case when r.window_ends_at <= ${now} then 1 else r.taken + 1 end,
        window_ends_at = case when r.window_ends_at <= ${now} then excluded.window_ends_at else r.window_ends_at end
      returning taken, window_ends_at`,
  );
  if (row && row.taken > most)
    throw new Refused('too_often', { retryAfter: secondsBetween(now, row.window_ends_at) });
}

/** Forgets what was counted for somebody: their id is a part of each of their keys. */
export const forgetLimits = (db: Db, id: string) =>
  run(db, sql`delete from rate_limits where position(${id} in key) > 0`);

export const forgetPastLimits = (db: Db, now: Instant) =>
  run(db, sql`delete from rate_limits where window_ends_at <= ${now}`);
