import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Connection } from '#platform/db/connection.ts';
import type { Log } from '#platform/log.ts';

export interface Listener {
  stop(): Promise<void>;
}

/**
 * Listens on a PostgreSQL channel with a dedicated connection, and reconnects when it breaks. Also calls `onNotify` after
 * each connect, because notifications may have been missed.
 */
export function listen(
  url: string,
  channel: string,
  { onNotify, log }: { onNotify(payload?: string): void; log: Log },
): Listener {
  const stopping = new AbortController();
  const logError = (error: Error) => log.warn({ message: error.message }, 'listening');

  async function listenOnce(): Promise<void> {
    const client = new Connection({ url, connectionTimeoutMillis: 5000, application_name: 'muster live' });
    client.on('error', logError).on('notification', ({ payload }) => onNotify(payload));
    try {
      await client.connect();
      await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      onNotify();
      await once(client, 'end', stopping).catch(() => {});
    } finally {
      await client.end();
    }
  }

  async function reconnect(): Promise<void> {
    while (!stopping.signal.aborted) {
      await listenOnce().catch(logError);
      await sleep(1000, undefined, stopping).catch(() => {});
    }
  }

  const stopped = reconnect();
  return {
    async stop() {
      stopping.abort();
      await stopped;
    },
  };
}
