import { first, sql, type Db } from '#platform/db/client.ts';
import type { Request } from '#platform/http/reply.ts';
import { counter, type Count } from '#platform/http/rate-limit.ts';
import { ApiError } from '#wire/errors.ts';
import type { Instant } from '#wire/instant.ts';

/** The minimum size of a write in kilobytes: its rows with their indexes, jobs and notices. */
const minimum = 4;

/** Counts the kilobytes that each user has written in this hour. */
export const writtenCounter = (db: Db, megabytes: number): Count =>
  counter(db, { what: 'written', max: megabytes * 1024, seconds: 60 * 60 });

/** Estimates the kilobytes that a request writes if it writes only few rows. Uploads have a limit of their own. */
export function kilobytesOf({ body }: Request): number {
  const bytes = Buffer.isBuffer(body) ? 0 : Buffer.byteLength(JSON.stringify(body ?? {}));
  return Math.max(minimum, Math.ceil(bytes / 1024));
}

/**
 * Estimates the kilobytes that this connection has written. The counters of PostgreSQL include the last transactions
 * before this one, so the caller computes the difference within its transaction. Long texts are stored in chunks of
 * 2 KB (relkind 't').
 */
export async function kilobytesBy(transaction: Db): Promise<number> {
  const row = await first(
    transaction,
    sql<{ kilobytes: number }>`
      select ceil(sum((pg_stat_get_xact_tuples_inserted(oid) + pg_stat_get_xact_tuples_updated(oid))
        * case relkind when 't' then 2 else 0.5 end))::float as kilobytes
      from pg_class where relkind in ('r', 't')`,
  );
  return row?.kilobytes ?? 0;
}

/** Counts what a request has already written. If that exceeds the limit, the next request is rejected. */
export const countAfterwards = (count: Count, user: string, now: Instant, kilobytes: number): Promise<void> =>
  count(user, now, kilobytes).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
  });
