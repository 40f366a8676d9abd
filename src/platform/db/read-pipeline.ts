import type { Socket } from 'node:net';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';

/** More would only take the processors from one another: what reads is quick, and each lane keeps a server process busy. */
const connections = 2;
/** Milliseconds. Where somebody has waited so long for an answer, nobody else has to wait behind them. */
const timeouts = 20;

interface Statement {
  text: string;
  values: unknown[];
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Connections for statements that stand for themselves. All that is asked in one moment goes to the server in one piece,
 * and is answered in its order, so neither side is woken for each: that costs more than a look-up by key. A transaction
 * can't be had here. When both lanes are slow, statements take connections of the `pool` as any others do.
 */
export function openReadPipeline(open: () => pg.Client, pool: pg.Pool): PostgresPool {
  const all = Array.from({ length: connections }, () => new PipelinedConnection(open));
  let waiting: Statement[] = [];

  function flush(): void {
    const statements = waiting;
    waiting = [];
    const now = performance.now();
    const [connection] = all.toSorted((one, other) => one.waitedFor(now) - other.waitedFor(now)) as [
      PipelinedConnection,
    ];
    if (connection.waitedFor(now) < timeouts) return void connection.send(statements, now);
    for (const statement of statements) void askAlone(pool, statement);
  }

  const client = {
    query: (text: string, values: readonly unknown[]) =>
      new Promise((resolve, reject) => {
        if (/^(begin|start transaction)/i.test(text)) throw new Error('A transaction needs a connection.');
        waiting.push({ text, values: [...values], resolve, reject });
        // This comes after everything that the answer to an earlier statement, or to a batch of them, sets off.
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

async function askAlone(pool: pg.Pool, { text, values, resolve, reject }: Statement): Promise<void> {
  const asking = pool.connect().then((client) => client.query(text, values).finally(() => client.release()));
  await asking.then(resolve, reject);
}

/** One connection, opened when it is needed, and anew when it broke. */
class PipelinedConnection {
  readonly #open: () => pg.Client;
  #line: { client: pg.Client; ready: Promise<pg.Client> } | undefined;
  /** When each statement without an answer was sent; answers come in their order. */
  #sentAt: number[] = [];

  constructor(open: () => pg.Client) {
    this.#open = open;
  }

  /** How long the first in it has waited: milliseconds, less than none when nothing is under way. */
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
      for (const statement of statements) void this.#ask(client, statement);
      stream.uncork();
    } catch (error) {
      this.#sentAt.splice(0, statements.length);
      for (const { reject } of statements) reject(error);
    }
  }

  async close(): Promise<void> {
    await (await this.#line?.ready.catch(() => undefined))?.end();
  }

  async #ask(client: pg.Client, { text, values, resolve, reject }: Statement): Promise<void> {
    await client.query(text, values).then(resolve, (error: { code?: unknown }) => {
      // What the server says has a code. All else is about the connection, and would meet the next statement as well.
      if (error.code === undefined) this.#forget(client);
      reject(error);
    });
    this.#sentAt.shift();
  }

  #connected(): Promise<pg.Client> {
    if (this.#line) return this.#line.ready;
    const client = this.#open();
    const forget = () => this.#forget(client);
    client.on('end', forget).on('error', forget);
    const ready = client.connect().then(() => client);
    ready.catch(forget);
    this.#line = { client, ready };
    return ready;
  }

  /** What an old connection still has to say must not let go of the one that came after it. */
  #forget(client: pg.Client): void {
    if (this.#line?.client === client) this.#line = undefined;
  }
}
