import type { RawBuilder } from 'kysely';
import type { Context } from '#platform/context.ts';
import { first, run, sql, type Db } from '#platform/db/client.ts';
import { addSeconds, instant, secondsBetween, type Instant } from '#wire/instant.ts';
import { ApiError } from '#wire/errors.ts';

interface WindowCount {
  taken: number;
  window_ends_at: Instant;
}

/** A key, or a query that returns at most one row with a `key`. */
type Key = string | RawBuilder<unknown>;

/** Adds `more` to the count of `key`. A new window ends at `until`. Nothing is counted if a query finds no key. */
async function count(
  db: Db,
  key: Key,
  { more, until, now }: { more: number; until: Instant; now: Instant },
): Promise<WindowCount> {
  // If a window ends later than a new one could, it was started before the clock was set back.
  const isOver = sql`(r.window_ends_at <= ${now} or r.window_ends_at > ${addSeconds(until, 60)})`;
  const keys = typeof key === 'string' ? sql`select ${key}::text as key` : key;
  const row = await first(
    db,
    sql<WindowCount>`
      insert into rate_limits as r (key, window_ends_at, taken)
      select key, ${until}::timestamptz, ${more}::int from (${keys}) as k
      on conflict (key) do update set
        taken = case when ${isOver} then excluded.taken else r.taken + excluded.taken end,
        window_ends_at = case when ${isOver} then excluded.window_ends_at else r.window_ends_at end
      returning taken, window_ends_at`,
  );
  return row ?? { taken: 0, window_ends_at: until };
}

interface Limit {
  max: number;
  seconds: number;
  now: Instant;
}

/** Counts one call of `key` and throws `too_often` above the limit. A window starts with its first call. */
export async function limit(db: Db, key: Key, { max, seconds, now }: Limit): Promise<void> {
  const until = addSeconds(now, seconds);
  const { taken, window_ends_at } = await count(db, key, { more: 1, until, now });
  if (taken > max) throw new ApiError('too_often', { retryAfter: secondsBetween(now, window_ends_at) });
}

/**
 * Counts a look-up of a secret in an address, such as an invite. At most sixty a minute of one kind from one network, so
 * that nobody can try many.
 */
export async function limitLookups(
  { db, now, config, caller }: Pick<Context, 'db' | 'now' | 'config' | 'caller'>,
  kind: string,
): Promise<void> {
  if (config.limitsPerAddress) await limit(db, `${kind}:${caller.ip}`, { max: 60, seconds: 60, now });
}

/** Like `limit`, but returns the result instead of throwing. */
export async function isWithinLimit(db: Db, key: string, { max, seconds, now }: Limit): Promise<boolean> {
  return (await count(db, key, { more: 1, until: addSeconds(now, seconds), now })).taken <= max;
}

/** Counts calls of `who`, by default one, and throws `too_often` above the limit. */
export type Count = (who: string, now: Instant, more?: number) => Promise<void>;

/** The count of one caller in this process. `unreported` calls are not in the database yet; `sum` includes them. */
interface LocalCount {
  sum: number;
  unreported: number;
}

interface Window {
  /** Prefix of the keys. */
  what: string;
  max: number;
  seconds: number;
}

/**
 * A rate limit for calls that are too frequent to run a statement for each. Counts are kept in memory and flushed to
 * the database in steps of a tenth of the limit, so callers below a tenth cost no statement. The sum in the database
 * decides. A crash loses less than a tenth of the limit. Each further process lets up to a tenth more calls pass, plus
 * the calls in flight. Windows are aligned to full minutes or hours.
 */
export function counter(db: Db, { what, max, seconds }: Window): Count {
  const flushThreshold = Math.ceil(max / 10);
  /** The current window. It tolerates a clock that is set back by up to a minute. */
  let [from, until]: [Instant, Instant] = ['', ''];
  let localCounts = new Map<string, LocalCount>();

  return async (who, now, calls = 1) => {
    if (now < from || until <= now) {
      const start = windowStart(now, seconds);
      [from, until, localCounts] = [addSeconds(start, -60), addSeconds(start, seconds), new Map()];
    }
    const localCount = localCounts.get(who) ?? { sum: 0, unreported: 0 };
    localCounts.set(who, localCount);
    const tooOften = () => new ApiError('too_often', { retryAfter: Math.max(1, secondsBetween(now, until)) });
    if (localCount.sum >= max) throw tooOften();
    localCount.sum += calls;
    localCount.unreported += calls;
    if (localCount.unreported < flushThreshold) return;
    const more = localCount.unreported;
    localCount.unreported = 0;
    const { taken } = await count(db, `${what}:${who}`, { more, until, now });
    localCount.sum = Math.max(localCount.sum, taken + localCount.unreported);
    if (taken > max) throw tooOften();
  };
}

/** Rounds down to a multiple of `seconds` since the epoch. */
const windowStart = (now: Instant, seconds: number): Instant =>
  instant(Math.floor(Date.parse(now) / 1000 / seconds) * seconds * 1000);

/** Deletes the counts of a user. Each of their keys contains their id. */
export const forgetLimits = (db: Db, id: string) =>
  run(db, sql`delete from rate_limits where position(${id} in key) > 0`);

export const forgetPastLimits = (db: Db, now: Instant) =>
  run(db, sql`delete from rate_limits where window_ends_at <= ${now}`);
