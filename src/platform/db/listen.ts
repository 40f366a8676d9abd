import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '#platform/log.ts';

export interface Listener {
  stop(): Promise<void>;
}

/**
 * Hears what is notified on a channel of the database, by a connection of its own that is opened again whenever it
 * breaks. `heard` is also called each time it begins to listen: something may have been missed before.
 */
export function listen(
  url: string,
  channel: string,
  { onNotify, log }: { onNotify(): void; log: Log },
): Listener {
  const stopping = new AbortController();
  const note = (error: Error) => log.warn({ message: error.message }, 'listening');

  async function untilItBreaks(): Promise<void> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: 5000,
      keepAlive: true,
      application_name: 'muster live',
    });
    client.on('error', note).on('notification', onNotify);
    try {
      await client.connect();
      await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      onNotify();
      await once(client, 'end', stopping).catch(() => {});
    } finally {
      await client.end();
    }
  }

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      await untilItBreaks().catch(note);
      await sleep(1000, undefined, stopping).catch(() => {});
    }
  }

  const working = work();
  return {
    async stop() {
      stopping.abort();
      await working;
    },
  };
}
