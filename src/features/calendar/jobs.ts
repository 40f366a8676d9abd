import type { Db } from '#platform/db/client.ts';
import type { Log } from '#platform/log.ts';
import { writeFetches } from '#features/calendar/store.ts';

const minute = 60_000;

/**
 * Writes the fetches of feeds that this process has in memory, once a minute. `write` does so at once; call it after
 * `stop`, when the last fetch has been served.
 */
export function writeFetchesEachMinute({ db, lookups, log }: { db: Db; lookups: Db; log: Log }) {
  const write = () =>
    writeFetches(db, lookups).catch((error: Error) => log.warn({ message: error.message }, 'feed fetches'));
  const timer = setInterval(() => void write(), minute);
  return { write, stop: () => clearInterval(timer) };
}
