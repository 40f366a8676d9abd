import { setTimeout as sleep } from 'node:timers/promises';
import { callbackify } from 'node:util';
import pg from 'pg';
import { withTimeout } from '#platform/timeout.ts';
import { readDatabaseUrl, type DatabaseServer, type DatabaseServers } from '#platform/config.ts';

/** Milliseconds of a connection without a timeout of its own. */
const defaultTimeout = 20_000;

interface Settings extends pg.ClientConfig {
  url: string;
  /** Connects to this one of the servers, without a search. */
  server?: DatabaseServer;
}

/**
 * A connection to the server of a URL, or to the accepted one of several. It closes itself when the server has become a
 * standby. All connections of the app are opened by this module.
 */
export class Connection extends pg.Client {
  server: DatabaseServer | undefined;
  readonly #isPinned: boolean;
  readonly #servers: Servers;
  readonly #searchTimeout: number;
  /** Settings that the server has reported. */
  readonly #reported: Record<string, string> = {};

  constructor({ url, server, ...settings }: Settings) {
    const servers = serversAt(url);
    // A server that vanishes without closing its connections is noticed after 20 seconds.
    const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
    super({ ...settings, ...keepAlive, connectionString: servers.settings.url });
    this.server = server;
    this.#isPinned = server !== undefined;
    this.#servers = servers;
    this.#searchTimeout = (settings.connectionTimeoutMillis ?? defaultTimeout) / 2;
    this.on('error', () => servers.invalidate(this.server));
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) => {
      this.#reported[String(parameterName)] = String(parameterValue);
    });
    this.connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === readOnly) this.terminate('the server is a standby');
    });
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<this> | void {
    if (!callback) return this.#connect();
    callbackify(() => this.#connect())(callback);
  }

  async #connect(): Promise<this> {
    this.server ??= await this.#servers.find(this.#searchTimeout);
    Object.assign(this, this.server);
    try {
      await super.connect();
      this.#requireAccepted();
    } catch (error) {
      this.#servers.invalidate(this.server);
      throw error;
    }
    if (!this.#isPinned) this.#servers.add(this);
    return this;
  }

  /** PostgreSQL reports these settings before the first statement, from version 14 on. Poolers may not forward them. */
  #requireAccepted(): void {
    const { accept } = this.#servers.settings;
    const { in_hot_standby, default_transaction_read_only } = this.#reported;
    if (accept === 'any' || (in_hot_standby === 'off' && accept === 'primary')) return;
    if (in_hot_standby === 'off' && default_transaction_read_only === 'off') return;
    void this.end();
    throw new Error(
      `Connection terminated: the server is ${in_hot_standby === 'on' ? 'a standby' : 'read-only'}`,
    );
  }

  /** A statement without a response would delay later ones. */
  terminateIfOverdue(error: Error | undefined): void {
    if (error?.message === 'Query read timeout') this.terminate('the server does not respond');
  }

  /** Closes the connection at once, and makes the next one search for the server. */
  terminate(reason: string): void {
    this.#servers.invalidate(this.server);
    this.connection.stream.destroy(new Error(`Connection terminated: ${reason}`));
  }
}

/** The error code of a write on a standby. */
const readOnly = '25006';

/** A pool of connections. One that breaks ends neither the process nor the pool. */
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

/** The servers of a URL. All connections of the process share one object, so that what one notices helps all. */
class Servers {
  readonly settings: DatabaseServers;
  readonly #url: string;
  readonly #open = new Set<Connection>();
  /** The accepted server of the last search, until a connection to it fails. */
  #current: DatabaseServer | undefined;
  #probing: Promise<DatabaseServer> | undefined;
  /** When nobody waits for the search any more. */
  #probingUntil = 0;

  constructor(url: string) {
    this.#url = url;
    this.settings = readDatabaseUrl(url);
  }

  /** The accepted one of several servers. Concurrent calls share one search, which lasts while one of them waits. */
  async find(timeout: number): Promise<DatabaseServer | undefined> {
    if (this.settings.servers.length === 0) return undefined;
    if (this.#current) return this.#current;
    this.#probingUntil = Math.max(this.#probingUntil, performance.now() + timeout);
    this.#probing ??= this.#probeAll().finally(() => (this.#probing = undefined));
    return withTimeout(this.#probing, timeout + 100, unavailable);
  }

  invalidate(server: DatabaseServer | undefined): void {
    if (server === this.#current) this.#current = undefined;
  }

  add(connection: Connection): void {
    this.#open.add(connection);
    connection.once('end', () => {
      this.#open.delete(connection);
      // Without a connection, nothing would notice that the server has failed.
      if (this.#open.size === 0) this.#current = undefined;
    });
  }

  /** Probes all servers at once until one is accepted, and closes the connections to the others. */
  async #probeAll(): Promise<DatabaseServer> {
    const probing = new AbortController();
    try {
      const found = await Promise.any(
        this.settings.servers.map((server) => this.#probe(server, probing.signal)),
      );
      this.#current = found;
      for (const connection of this.#open)
        if (connection.server !== found) connection.terminate('another server is used now');
      return found;
    } catch (error) {
      const reasons = (error as AggregateError).errors.map(({ message }: Error) => message);
      throw new Error(`${unavailable}: ${reasons.join(', ')}`, { cause: error });
    } finally {
      probing.abort();
    }
  }

  async #probe(server: DatabaseServer, probing: AbortSignal): Promise<DatabaseServer> {
    const left = () => this.#probingUntil - performance.now();
    for (let delay = 50; ; delay = Math.min(2 * delay, 400)) {
      const connectionTimeoutMillis = Math.max(100, left());
      const connection = new Connection({ url: this.#url, server, connectionTimeoutMillis });
      try {
        await connection.connect();
        return server;
      } catch (error) {
        const reason = `${server.host}:${server.port} (${(error as Error).message})`;
        if (probing.aborted || delay > left()) throw new Error(reason, { cause: error });
      } finally {
        void connection.end();
      }
      await sleep(delay);
    }
  }
}

const unavailable = 'No database server is available';
const serversByUrl = new Map<string, Servers>();

function serversAt(url: string): Servers {
  const servers = serversByUrl.get(url) ?? new Servers(url);
  serversByUrl.set(url, servers);
  return servers;
}
