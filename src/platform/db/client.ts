import { createHash } from 'node:crypto';
import { Kysely, PostgresDialect, sql, type RawBuilder } from 'kysely';
import pg from 'pg';
import { openReadPipeline } from '#platform/db/read-pipeline.ts';
import { withTimeout } from '#platform/timeout.ts';
import type { Instant } from '#wire/instant.ts';

export { sql };

/** The database, or the transaction that the request runs in. */
export type Db = Kysely<unknown>;

const { TIMESTAMPTZ, INT8 } = pg.types.builtins;
const types = new pg.TypeOverrides();
// Moments leave the database as the wire has them; see #wire/instant.
types.setTypeParser(TIMESTAMPTZ, (text: string) => new Date(text).toISOString());
types.setTypeParser(INT8, Number);

const names = new Map<string, string>();

/** A name of its own for each statement text: the server then plans it once per connection. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (!name) names.set(text, (name = createHash('sha1').update(text).digest('base64url')));
  return name;
}

class PreparingClient extends pg.Client {
  // @ts-expect-error: one of the overloads of the driver, the only one that is used here
  override query(statement: unknown, values?: unknown[]) {
    const prepared =
      typeof statement === 'string' && values?.length
        ? { name: nameOf(statement), text: statement }
        : statement;
    const answer = super.query(prepared as string, values as unknown[]);
    // Where an answer is overdue, those to the next requests would be as well: they get another connection.
    answer.catch((error: Error) => overdue.test(error.message) && void this.end());
    return answer;
  }
}

const overdue = /^Query read timeout$/;

export interface Database {
  db: Db;
  /** For what only reads, outside of transactions. */
  reads: Db;
  pool: pg.Pool;
  close(): Promise<void>;
}

/** Milliseconds: what a request waits in all, for connections and locks, until it may do its work; what a statement takes. */
export const timeouts = { total: 1900, statement: 5000 };

/** Opens connections when they are needed. When not even that a statement took too long is told a second later, nobody is there. */
export function openDatabase(
  url: string,
  { size, onError }: { size: number; onError: (error: Error) => void },
): Database {
  const settings = {
    connectionString: url,
    connectionTimeoutMillis: timeouts.total,
    lock_timeout: timeouts.total,
    statement_timeout: timeouts.statement,
    query_timeout: timeouts.statement + 1000,
    idle_in_transaction_session_timeout: 10_000,
    application_name: 'muster',
    types,
  };
  const pool = new pg.Pool({ ...settings, max: size, Client: PreparingClient } as unknown as pg.PoolConfig);
  // A connection that breaks, idle or between two statements, must not end the process; the next request opens a new one.
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  const openConnection = () =>
    new PreparingClient({ ...settings, pipeline: true }).on('error', onError) as unknown as pg.Client;
  const pipeline = openReadPipeline(openConnection, pool);
  return {
    db: new Kysely({ dialect: new PostgresDialect({ pool }) }),
    reads: new Kysely({ dialect: new PostgresDialect({ pool: pipeline }) }),
    pool,
    close: async () => void (await Promise.all([pipeline.end(), pool.end()])),
  };
}

export async function all<Row>(db: Db, statement: RawBuilder<Row>): Promise<Row[]> {
  return (await statement.execute(db)).rows;
}

export async function first<Row>(db: Db, statement: RawBuilder<Row>): Promise<Row | undefined> {
  return (await statement.execute(db)).rows[0];
}

/** Something that a process has one of for each database. */
export function perDatabase<T>(make: (db: Db) => T): (db: Db) => T {
  const made = new WeakMap<Db, T>();
  return (db) => {
    const there = made.get(db) ?? make(db);
    made.set(db, there);
    return there;
  };
}

/** A moment as the wire has it, where it is made into JSON by the database. */
export const isoTimestamp = (column: string): RawBuilder<string> =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The rows of a statement as one value. Moments among them have to be texts. */
export const asJson = (statement: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(select coalesce(json_agg(row_to_json(r)), '[]') from (${statement}) as r)`;

/** Runs a writing statement and tells how many rows it touched. */
export async function run(db: Db, statement: RawBuilder<unknown>): Promise<number> {
  return Number((await statement.execute(db)).numAffectedRows ?? 0);
}

/** Reads the clock of the database, which decides wherever time does. */
export type Clock = (db: Db) => Promise<Instant>;

/** It runs `ahead.seconds` before the database's, which is 0 outside of tests. */
export const clockOf =
  (clockOffset: { seconds: number }): Clock =>
  async (db) => {
    const row = await first(
      db,
      sql<{ now: Instant }>`select now() + make_interval(secs => ${clockOffset.seconds}) as now`,
    );
    return (row as { now: Instant }).now;
  };

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isUuid = (value: string): boolean => uuid.test(value);

/** The condition that picks a row of `table` by its id or its slug. */
export const byRef = (table: string, ref: string): RawBuilder<boolean> =>
  isUuid(ref) ? sql`${sql.ref(`${table}.id`)} = ${ref}` : sql`${sql.ref(`${table}.slug`)} = ${ref}`;

const codeOf = (error: unknown) => (error as { code?: unknown } | null)?.code;

const serialization = new Set(['40001', '40P01']);
const connection =
  /^(08|53|57)|^(55P03|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
const lost =
  /timeout exceeded when trying to connect|Connection terminated|not queryable|server closed the connection|Query read timeout|does not answer/i;

/** The database could not be reached or was too busy: nothing is wrong with the request itself. */
export const isUnavailable = (error: unknown): boolean =>
  connection.test(String(codeOf(error) ?? '')) || lost.test((error as Error | null)?.message ?? '');

export const isDuplicate = (error: unknown): boolean => codeOf(error) === '23505';

/** An answer that everything else waits for. A database that does not give it so soon is as good as away. */
export const withDatabaseTimeout = <T>(answer: Promise<T>, max = timeouts.total): Promise<T> =>
  withTimeout(answer, max, 'The database does not answer');

/** Takes off the wait for locks what somebody has waited for connections. */
async function waitLess(transaction: Db, since: number): Promise<void> {
  const waited = performance.now() - since;
  if (waited < timeouts.total / 20) return;
  const left = Math.max(100, timeouts.total - waited).toFixed();
  await run(transaction, sql`select set_config('lock_timeout', ${left}, true)`);
}

/** Begins a transaction unless that takes longer than it may: then it never does anything. */
async function begin<T>(db: Db, since: number, work: (transaction: Db) => Promise<T>): Promise<T> {
  let isLate = false;
  const begun = Promise.withResolvers<void>();
  const done = db.transaction().execute((transaction) => {
    if (isLate) throw new Error('Nobody waits for this any more');
    begun.resolve();
    return work(transaction);
  });
  const left = Math.max(100, timeouts.total - (performance.now() - since));
  await withDatabaseTimeout(Promise.race([begun.promise, done]), left).catch((error) => {
    isLate = true;
    throw error;
  });
  return done;
}

/**
 * Runs `work` in one transaction, and once or twice again when it met another one in the wrong order. `since` is when
 * the waiting began for which it is done.
 */
export async function inTransaction<T>(
  db: Db,
  work: (transaction: Db) => Promise<T>,
  since = performance.now(),
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const from = attempt === 1 ? since : performance.now();
    try {
      return await begin(db, from, async (transaction) => {
        await waitLess(transaction, from);
        return work(transaction);
      });
    } catch (error) {
      if (attempt === 3 || !serialization.has(String(codeOf(error)))) throw error;
    }
  }
}
