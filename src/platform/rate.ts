import { first, run, sql, type Db } from '#platform/db.ts';
import { addSeconds, secondsBetween, type Instant } from '#wire/instant.ts';
import { Refused } from '#wire/refusal.ts';

interface Taken {
  taken: number;
  window_ends_at: Instant;
}

/** Counts `more` of `key`, in a window that ends at `until` if it starts with these. */
async function count(
  db: Db,
  key: string,
  { more, until, now }: { more: number; until: Instant; now: Instant },
): Promise<Taken> {
  // One that ends later than any could that begins now is left from before the clock was put back.
  const isOver = sql`(r.window_ends_at <= ${now} or r.window_ends_at > ${addSeconds(until, 60)})`;
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

/** Counts one more of `key` and refuses it when the window is full. Windows start with the first of their kind. */
export async function limit(
  db: Db,
  key: string,
  { most, seconds, now }: { most: number; seconds: number; now: Instant },
): Promise<void> {
  const until = addSeconds(now, seconds);
  const { taken, window_ends_at } = await count(db, key, { more: 1, until, now });
  if (taken > most) throw new Refused('too_often', { retryAfter: secondsBetween(now, window_ends_at) });
}

/** Refuses a request of a user who has sent too many in this minute. */
export type CountRequest = (user: string, now: Instant) => Promise<void>;

/** What a process knows of somebody's requests in this minute: what it has not reported yet is part of the sum. */
interface Tally {
  sum: number;
  unreported: number;
}

/**
 * Most people send a dozen requests a minute, so what is sent is noted here and goes to the database by tenths of the
 * limit: whoever stays below a tenth never costs a statement. The sum in the database is what counts. A process forgets
 * less than a tenth when it dies, and each further one lets a tenth more pass, and what is under way meanwhile.
 */
export function requestCounter(db: Db, most: number): CountRequest {
  const portion = Math.ceil(most / 10);
  let minute = '';
  let tallies = new Map<string, Tally>();

  return async (user, now) => {
    const isPutBack = secondsBetween(now, `${minute}:00.000Z`) > 60;
    if (now.slice(0, 16) > minute || isPutBack) [minute, tallies] = [now.slice(0, 16), new Map()];
    const tally = tallies.get(user) ?? { sum: 0, unreported: 0 };
    tallies.set(user, tally);
    const until = addSeconds(`${minute}:00.000Z`, 60);
    const refused = () => new Refused('too_often', { retryAfter: Math.max(1, secondsBetween(now, until)) });
    if (tally.sum >= most) throw refused();
    tally.sum++;
    tally.unreported++;
    if (tally.unreported < portion) return;
    const more = tally.unreported;
    tally.unreported = 0;
    const { taken } = await count(db, `requests:${user}`, { more, until, now });
    tally.sum = Math.max(tally.sum, taken + tally.unreported);
    if (taken > most) throw refused();
  };
}

/** Forgets what was counted for somebody: their id is a part of each of their keys. */
export const forgetLimits = (db: Db, id: string) =>
  run(db, sql`delete from rate_limits where position(${id} in key) > 0`);

export const forgetPastLimits = (db: Db, now: Instant) =>
  run(db, sql`delete from rate_limits where window_ends_at <= ${now}`);
