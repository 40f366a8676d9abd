import type { Db } from '#platform/db/client.ts';
import type { Log } from '#platform/log.ts';
import { writeFetches } from '#features/calendar/store.ts';

const minute = 60_000;

/**
 * Once a minute, writes the feed fetches that this process has in memory to the database. `write` does so at once; call
 * it after `stop`, when the last fetch has been served.
 */
export function writeFetchesEachMinute({ db, lookups, log }: { db: Db; lookups: Db; log: Log }) {
  const write = () =>
    writeFetches(db, lookups).catch((error: Error) => log.warn({ message: error.message }, 'feed fetches'));
  const timer = setInterval(() => void write(), minute);
  return { write, stop: () => clearInterval(timer) };
}
