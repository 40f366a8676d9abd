import { createHash } from 'node:crypto';
import { Kysely, PostgresDialect, sql, type PostgresPool, type RawBuilder } from 'kysely';
import pg from 'pg';
import { Connection, openPool } from '#platform/db/connection.ts';
import { openReadPipeline } from '#platform/db/read-pipeline.ts';
import { withTimeout } from '#platform/timeout.ts';
import type { Instant } from '#wire/instant.ts';

export { sql };

/** A database, or the transaction that a writing request runs in. */
export type Db = Kysely<unknown>;

const { TIMESTAMPTZ, INT8 } = pg.types.builtins;
const types = new pg.TypeOverrides();
// Timestamps are read in the wire format, see #wire/instant.ts.
types.setTypeParser(TIMESTAMPTZ, (text: string) => new Date(text).toISOString());
types.setTypeParser(INT8, Number);

const names = new Map<string, string>();

/** Name of a prepared statement, derived from its text: the server parses it once per connection. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (!name) names.set(text, (name = createHash('sha1').update(text).digest('base64url')));
  return name;
}

class PreparingConnection extends Connection {
  // @ts-expect-error: implements only the overload that is used here
  override query(statement: unknown, values?: unknown[]) {
    const prepared =
      typeof statement === 'string' && values?.length
        ? { name: nameOf(statement), text: statement }
        : statement;
    const result = super.query(prepared as string, values as unknown[]);
    result.catch((error: Error) => this.terminateIfOverdue(error));
    return result;
  }
}

export interface Database {
  db: Db;
  /** For look-ups of sessions and other secrets, on the primary. */
  lookups: Db;
  /** For requests that only read. */
  reads: Db;
  pool: pg.Pool;
  close(): Promise<void>;
}

/**
 * Milliseconds. `total` limits how long a request waits for connections and locks, `statement` limits each statement.
 */
export const timeouts = { total: 1900, statement: 5000 };

/**
 * The client waits a second longer than the server takes to cancel a statement: after that, the server is unreachable.
 */
const settingsFor = (url: string, { total, statement }: typeof timeouts) => ({
  url,
  connectionTimeoutMillis: total,
  lock_timeout: total,
  statement_timeout: statement,
  query_timeout: statement + 1000,
  idle_in_transaction_session_timeout: 10_000,
  application_name: 'muster',
  // Planning a statement again takes longer than executing it. test/query-plans.test.ts checks the generic plans.
  // PostgreSQL writes timestamps in UTC and needs no other time zone: Node computes days and local times.
  options: '-c plan_cache_mode=force_generic_plan -c timezone=UTC',
  types,
});

type OnError = (error: Error) => void;

function openPipeline(
  settings: ReturnType<typeof settingsFor>,
  pool: Pick<pg.Pool, 'connect'>,
  onError: OnError,
) {
  const open = () =>
    new PreparingConnection({ ...settings, pipeline: true }).on('error', onError) as unknown as pg.Client;
  return openReadPipeline(open, pool);
}

interface DatabaseOptions {
  /** The address of standbys that show every acknowledged commit. By default reads go to the primary. */
  readUrl?: string | undefined;
  size: number;
  onError: OnError;
}

const kysely = (pool: PostgresPool) => new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });

/** Connects on demand. Look-ups and reads have connections of their own, so that they never wait for a transaction. */
export function openDatabase(url: string, { readUrl, size, onError }: DatabaseOptions): Database {
  const open = (to: string) => {
    const settings = settingsFor(to, timeouts);
    const pool = openPool({ ...settings, max: size, Client: PreparingConnection }, onError);
    const pipeline = openPipeline(settings, pool, onError);
    const close = () => Promise.all([pipeline.end(), pool.end()]);
    return { pool, close, db: kysely(pool), piped: kysely(pipeline) };
  };
  const primary = open(url);
  const standbys = readUrl ? open(readUrl) : undefined;
  return {
    db: primary.db,
    lookups: primary.piped,
    reads: (standbys ?? primary).piped,
    pool: primary.pool,
    close: async () => void (await Promise.all([primary.close(), standbys?.close()])),
  };
}

export async function all<Row>(db: Db, statement: RawBuilder<Row>): Promise<Row[]> {
  return (await statement.execute(db)).rows;
}

export async function first<Row>(db: Db, statement: RawBuilder<Row>): Promise<Row | undefined> {
  return (await statement.execute(db)).rows[0];
}

/** Memoises `make` per database. */
export function perDatabase<T>(make: (db: Db) => T): (db: Db) => T {
  const values = new WeakMap<Db, T>();
  return (db) => {
    const value = values.get(db) ?? make(db);
    values.set(db, value);
    return value;
  };
}

/** A timestamp in the wire format, for JSON built by the database. */
export const isoTimestamp = (time: string | RawBuilder<unknown>): RawBuilder<string> =>
  sql`to_char(${typeof time === 'string' ? sql.ref(time) : time}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The rows of a statement as one JSON value. Convert timestamps with `isoTimestamp`. */
export const asJson = (statement: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(select coalesce(json_agg(row_to_json(r)), '[]') from (${statement}) as r)`;

/** Executes a statement and returns the number of affected rows. */
export async function run(db: Db, statement: RawBuilder<unknown>): Promise<number> {
  return Number((await statement.execute(db)).numAffectedRows ?? 0);
}

/** Reads the clock of the database, the only clock for business rules. */
export type Clock = (db: Db) => Promise<Instant>;

/** Reads the clock, `offset` seconds ahead (0 outside tests). */
export async function readClock(db: Db, offset: number): Promise<Instant> {
  const row = await first(db, sql<{ now: Instant }>`select now() + make_interval(secs => ${offset}) as now`);
  return (row as { now: Instant }).now;
}

export const clockOf =
  (clockOffset: { seconds: number }): Clock =>
  (db) =>
    readClock(db, clockOffset.seconds);

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isUuid = (value: string): boolean => uuid.test(value);

/** Condition for a row of `table` by its id or slug. */
export const byRef = (table: string, ref: string): RawBuilder<boolean> =>
  isUuid(ref) ? sql`${sql.ref(`${table}.id`)} = ${ref}` : sql`${sql.ref(`${table}.slug`)} = ${ref}`;

const codeOf = (error: unknown) => (error as { code?: unknown } | null)?.code;

const serialization = new Set(['40001', '40P01']);
const connection =
  /^(08|53|57)|^(25006|55P03|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
const lost =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|not queryable|server closed the connection|Query read timeout|does not answer/i;

/** Whether a standby has cancelled a statement because it conflicted with changes that the standby replays. */
export const isRecoveryConflict = (error: unknown): boolean => codeOf(error) === '40001';

/** Whether the database is unreachable or overloaded, which is not an error of the request itself. */
export const isUnavailable = (error: unknown): boolean =>
  connection.test(String(codeOf(error) ?? '')) || lost.test((error as Error | null)?.message ?? '');

export const isDuplicate = (error: unknown): boolean => codeOf(error) === '23505';

/** Fails as unavailable when the database does not answer in time. */
export const withDatabaseTimeout = <T>(result: Promise<T>, max = timeouts.total): Promise<T> =>
  withTimeout(result, max, 'The database does not answer');

/** Shortens the lock timeout by the time already spent waiting for a connection. */
async function reduceLockTimeout(transaction: Db, since: number): Promise<void> {
  const waited = performance.now() - since;
  if (waited < timeouts.total / 20) return;
  const left = Math.max(100, timeouts.total - waited).toFixed();
  await run(transaction, sql`select set_config('lock_timeout', ${left}, true)`);
}

/** Starts a transaction. If that takes too long it fails, and `work` never runs. */
async function begin<T>(db: Db, since: number, work: (transaction: Db) => Promise<T>): Promise<T> {
  let hasTimedOut = false;
  const begun = Promise.withResolvers<void>();
  const done = db.transaction().execute((transaction) => {
    if (hasTimedOut) throw new Error('The caller has timed out');
    begun.resolve();
    return work(transaction);
  });
  const left = Math.max(100, timeouts.total - (performance.now() - since));
  await withDatabaseTimeout(Promise.race([begun.promise, done]), left).catch((error) => {
    hasTimedOut = true;
    throw error;
  });
  return done;
}

/**
 * Runs `work` in one transaction, with up to two retries after a deadlock or serialisation failure. Timeouts count from
 * `since`.
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
        await reduceLockTimeout(transaction, from);
        return work(transaction);
      });
    } catch (error) {
      if (attempt === 3 || !serialization.has(String(codeOf(error)))) throw error;
    }
  }
}
