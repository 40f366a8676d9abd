import { all, first, run, sql, type Db } from '#platform/db/client.ts';
import { addSeconds, instant, secondsBetween, type Instant } from '#wire/instant.ts';
import { ApiError } from '#wire/errors.ts';

interface Taken {
  taken: number;
  window_ends_at: Instant;
}

/** One that ends later than any could that begins now is left from before the clock was put back. */
const overAt = (now: Instant, until: Instant) =>
  sql`(r.window_ends_at <= ${now} or r.window_ends_at > ${addSeconds(until, 60)})`;

/** Counts `more` of `key`, in a window that ends at `until` if it starts with these. */
async function count(
  db: Db,
  key: string,
  { more, until, now }: { more: number; until: Instant; now: Instant },
): Promise<Taken> {
  const isOver = overAt(now, until);
  const row = await first(
    db,
    sql<Taken>`
      insert into rate_limits as r (key, window_ends_at, taken) values (${key}, ${until}, ${more})
      on conflict (key) do update set
        taken = case when ${isOver} then excluded.taken else r.taken + excluded.taken end,
        window_ends_at = case when ${isOver} then excluded.window_ends_at else r.window_ends_at end
      returning taken, window_ends_at`,
  );
  return row as Taken;
}

interface Limit {
  max: number;
  seconds: number;
  now: Instant;
}

/** Counts one more of `key` and refuses it when the window is full. Windows start with the first of their kind. */
export async function limit(db: Db, key: string, { max, seconds, now }: Limit): Promise<void> {
  const until = addSeconds(now, seconds);
  const { taken, window_ends_at } = await count(db, key, { more: 1, until, now });
  if (taken > max) throw new ApiError('too_often', { retryAfter: secondsBetween(now, window_ends_at) });
}

/** The keys that were not counted yet in a window of `seconds`. They are now; in sorted order, so that no two callers deadlock. */
export async function firstInWindow(
  db: Db,
  keys: readonly string[],
  { seconds, now }: { seconds: number; now: Instant },
): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const until = addSeconds(now, seconds);
  const rows = await all(
    db,
    sql<{ key: string }>`
      insert into rate_limits as r (key, window_ends_at, taken)
      select distinct key, ${until}::timestamptz, 1 from unnest(${keys}::text[]) as key order by key
      on conflict (key) do update set window_ends_at = excluded.window_ends_at, taken = 1 where ${overAt(now, until)}
      returning key`,
  );
  return new Set(rows.map(({ key }) => key));
}

/** The same where nobody is to notice that the window is full: says whether there was room. */
export async function isWithinLimit(db: Db, key: string, { max, seconds, now }: Limit): Promise<boolean> {
  return (await count(db, key, { more: 1, until: addSeconds(now, seconds), now })).taken <= max;
}

/** Counts one more of somebody, and refuses it when there were too many in this window. */
export type Count = (who: string, now: Instant) => Promise<void>;

/** What a process knows of somebody in this window: what it has not reported yet is part of the sum. */
interface LocalCount {
  sum: number;
  unreported: number;
}

interface Window {
  /** What is counted, as a part of the keys. */
  what: string;
  max: number;
  seconds: number;
}

/**
 * Counts what is asked for too often to be written down each time. Most people stay far below the limit, so what they do
 * is noted here and goes to the database by tenths of it: whoever stays below a tenth never costs a statement. The sum in
 * the database is what counts. A process forgets less than a tenth when it dies, and each further one lets a tenth more
 * pass, and what is under way meanwhile. Windows begin at the full minute or hour.
 */
export function counter(db: Db, { what, max, seconds }: Window): Count {
  const flushThreshold = Math.ceil(max / 10);
  /** The times that count here: a clock that is put back a little is still in this window. */
  let [from, until]: [Instant, Instant] = ['', ''];
  let localCounts = new Map<string, LocalCount>();

  return async (who, now) => {
    if (now < from || until <= now) {
      const begin = floor(now, seconds);
      [from, until, localCounts] = [addSeconds(begin, -60), addSeconds(begin, seconds), new Map()];
    }
    const localCount = localCounts.get(who) ?? { sum: 0, unreported: 0 };
    localCounts.set(who, localCount);
    const refused = () => new ApiError('too_often', { retryAfter: Math.max(1, secondsBetween(now, until)) });
    if (localCount.sum >= max) throw refused();
    localCount.sum++;
    localCount.unreported++;
    if (localCount.unreported < flushThreshold) return;
    const more = localCount.unreported;
    localCount.unreported = 0;
    const { taken } = await count(db, `${what}:${who}`, { more, until, now });
    localCount.sum = Math.max(localCount.sum, taken + localCount.unreported);
    if (taken > max) throw refused();
  };
}

/** The last moment that is a whole number of these windows after the beginning of time. */
const floor = (now: Instant, seconds: number): Instant =>
  instant(Math.floor(Date.parse(now) / 1000 / seconds) * seconds * 1000);

/** Forgets what was counted for somebody: their id is a part of each of their keys. */
export const forgetLimits = (db: Db, id: string) =>
  run(db, sql`delete from rate_limits where position(${id} in key) > 0`);

export const forgetPastLimits = (db: Db, now: Instant) =>
  run(db, sql`delete from rate_limits where window_ends_at <= ${now}`);
