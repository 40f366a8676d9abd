import pg from 'pg';

interface Settings extends pg.ClientConfig {
  url: string;
}

/** Error codes of a server that has become a standby or is shutting down. The next connection may reach another server. */
const hasStepped = new Set(['25006', '57P01']);

/**
 * A connection to the server at a URL. It closes itself when the server no longer accepts writes. All connections of the
 * app are opened by this module.
 */
export class Connection extends pg.Client {
  constructor({ url, ...settings }: Settings) {
    // A server that vanishes without closing its connections is noticed after 20 seconds.
    const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
    super({ ...settings, ...keepAlive, connectionString: url });
    this.connection.on('errorMessage', ({ code = '' }: { code?: string }) => {
      if (hasStepped.has(code)) this.terminate('the server no longer accepts writes');
    });
  }

  /** Closes the connection if a statement got no response in time, because later statements would wait behind it. */
  terminateIfOverdue(error: Error | undefined): void {
    if (error?.message === 'Query read timeout') this.terminate('the server does not respond');
  }

  /** Closes the connection at once. */
  terminate(reason: string): void {
    this.connection.stream.destroy(new Error(`Connection terminated: ${reason}`));
  }
}

/** Opens a pool of connections. A connection that breaks ends neither the process nor the pool. */
export function openPool(
  settings: Settings & { max: number; Client?: new (settings: Settings) => unknown },
  onError: (error: Error) => void,
): pg.Pool {
  const pool = new pg.Pool({ Client: Connection, ...settings } as unknown as pg.PoolConfig);
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  pool.on('release', (error, client) => (client as unknown as Connection).terminateIfOverdue(error));
  return pool;
}
