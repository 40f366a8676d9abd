import type { Socket } from 'node:net';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';

/** Reads are short, and each connection occupies a server process: more connections would only compete for the CPUs. */
const connectionCount = 2;
/** Milliseconds. A connection whose oldest statement waits longer gets no further statements. */
const busyThreshold = 20;

interface Statement {
  text: string;
  values: unknown[];
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Runs the statements that the pipeline does not take. */
type Pool = Pick<pg.Pool, 'connect'>;

/**
 * Connections in pipeline mode for independent reads. Statements of the same tick are sent in one write, which saves
 * both sides a wake-up per statement: a wake-up costs more than a look-up by key. Transactions are not supported. While
 * all connections are busy, statements run on the `pool`.
 */
export function openReadPipeline(open: () => pg.Client, pool: Pool): PostgresPool & { end(): Promise<void> } {
  const all = Array.from({ length: connectionCount }, () => new PipelinedConnection(open));
  let waiting: Statement[] = [];

  function flush(): void {
    const statements = waiting;
    waiting = [];
    const now = performance.now();
    const [connection] = all.toSorted((one, other) => one.waitedFor(now) - other.waitedFor(now)) as [
      PipelinedConnection,
    ];
    if (connection.waitedFor(now) < busyThreshold) return void connection.send(statements, now);
    for (const statement of statements) void queryPool(pool, statement);
  }

  const client = {
    query: (text: string, values: readonly unknown[]) =>
      new Promise((resolve, reject) => {
        if (/^(begin|start transaction)/i.test(text)) throw new Error('A transaction needs a connection.');
        waiting.push({ text, values: [...values], resolve, reject });
        // nextTick runs after the code that awaited the results just received, so that the write also includes the
        // statements of that code.
        if (waiting.length === 1) process.nextTick(flush);
      }),
    release() {},
  } as unknown as PostgresPoolClient;
  return {
    options: {},
    connect: async () => client,
    end: async () => void (await Promise.all(all.map((connection) => connection.close()))),
  };
}

async function queryPool(pool: Pool, { text, values, resolve, reject }: Statement): Promise<void> {
  const result = pool.connect().then((client) => client.query(text, values).finally(() => client.release()));
  await result.then(resolve, reject);
}

/** A connection that opens on first use and reopens after an error. */
class PipelinedConnection {
  readonly #open: () => pg.Client;
  #current: { client: pg.Client; ready: Promise<pg.Client> } | undefined;
  /** When each pending statement was sent, oldest first. Results arrive in this order. */
  #sentAt: number[] = [];

  constructor(open: () => pg.Client) {
    this.#open = open;
  }

  /** Milliseconds since the oldest pending statement was sent. Negative when none is pending. */
  waitedFor(now: number): number {
    const [first = now + 1] = this.#sentAt;
    return now - first;
  }

  async send(statements: readonly Statement[], now: number): Promise<void> {
    for (const _ of statements) this.#sentAt.push(now);
    try {
      const client = await this.#connected();
      const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
      stream.cork();
      for (const statement of statements) void this.#query(client, statement);
      stream.uncork();
    } catch (error) {
      this.#sentAt.splice(0, statements.length);
      for (const { reject } of statements) reject(error);
    }
  }

  async close(): Promise<void> {
    await (await this.#current?.ready.catch(() => undefined))?.end();
  }

  async #query(client: pg.Client, { text, values, resolve, reject }: Statement): Promise<void> {
    await client.query(text, values).then(resolve, (error: { code?: unknown }) => {
      // Errors of the server have a code. Any other error is a connection error: do not reuse the connection.
      if (error.code === undefined) this.#forget(client);
      reject(error);
    });
    this.#sentAt.shift();
  }

  #connected(): Promise<pg.Client> {
    if (this.#current) return this.#current.ready;
    const client = this.#open();
    const forget = () => this.#forget(client);
    client.on('end', forget).on('error', forget);
    const ready = client.connect().then(() => client);
    ready.catch(forget);
    this.#current = { client, ready };
    return ready;
  }

  /** Forgets the current connection. Ignores late events of an earlier one. */
  #forget(client: pg.Client): void {
    if (this.#current?.client === client) this.#current = undefined;
  }
}
