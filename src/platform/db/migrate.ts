import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { Connection } from '#platform/db/connection.ts';

const defaultFolder = new URL('../../../migrations/', import.meta.url);
const lock = 7_261_853;
/**
 * Milliseconds that a migration may wait for a table lock. Meanwhile, requests queue behind the migration and time out
 * after two seconds, so the migration has to give up earlier, even if it waits for several tables one after the other. A
 * migration that locks two tables can deadlock with a request, and PostgreSQL looks for deadlocks after a wait of one
 * second (deadlock_timeout). By then the migration has given up, so that no request fails.
 */
const lockTimeout = 200;
const maxAttempts = 150;
/** First line of a migration that runs outside a transaction and can be rerun from the start. */
const statementByStatement = '-- Statement by statement.';

export interface Migration {
  name: string;
  hash: string;
}

interface Options {
  /** The last migration to apply. */
  upTo?: string | undefined;
  /** Directory of the migrations. Set only by tests. */
  folder?: URL;
}

/**
 * Applies the pending migrations/*.sql in order of their names, each in its own transaction. Concurrent processes take
 * turns. Fails if an applied file was changed. Ignores applied migrations without a file: they are from a newer release.
 */
export async function migrate(
  url: string,
  { upTo, folder = defaultFolder }: Options = {},
): Promise<string[]> {
  const client = new Connection({ url, statement_timeout: 0 });
  await client.connect();
  try {
    await lockMigrations(client);
    await client.query(`set lock_timeout = ${lockTimeout}`);
    await client.query(
      'create table if not exists schema_migrations (name text primary key, hash text not null, applied_at timestamptz not null default now())',
    );
    const applied = new Map((await appliedMigrations(client)).map((row) => [row.name, row.hash]));
    const added: string[] = [];
    for (const { name, text, hash } of await migrations(folder)) {
      if (upTo !== undefined && name > upTo) break;
      const appliedHash = applied.get(name);
      if (appliedHash && appliedHash !== hash)
        throw new Error(`The migration ${name} was changed after it had been applied.`);
      if (appliedHash) continue;
      await apply(client, { name, text, hash });
      added.push(name);
    }
    return added;
  } finally {
    await client.end();
  }
}

/** Polls for the lock: a waiting statement would block `create index concurrently`. */
export async function lockMigrations(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ free: boolean }>('select pg_try_advisory_lock($1) as free', [lock]);
    if (rows[0]?.free) return;
    await sleep(50);
  }
}

/** Applied migrations in order. */
export async function appliedMigrations(client: pg.Client): Promise<Migration[]> {
  const { rows } = await client.query<Migration>(
    'select name, hash from schema_migrations order by name collate "C"',
  );
  return rows;
}

export async function migrations(folder = defaultFolder): Promise<(Migration & { text: string })[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8');
      return { name, text, hash: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

async function apply(client: pg.Client, migration: Migration & { text: string }): Promise<void> {
  const work = migration.text.startsWith(statementByStatement) ? applyStatements : applyInTransaction;
  for (let tries = 1; ; tries++) {
    try {
      return await work(client, migration);
    } catch (error) {
      const isBusy = /^(55P03|40P01)$/.test(String((error as { code?: unknown }).code));
      if (!isBusy || tries === maxAttempts)
        throw new Error(`The migration ${migration.name} failed`, { cause: error });
      // Let the queued requests proceed.
      await sleep(500);
    }
  }
}

type Apply = (client: pg.Client, migration: Migration & { text: string }) => Promise<void>;

const recordMigration = (client: pg.Client, { name, hash }: Migration) =>
  client.query('insert into schema_migrations (name, hash) values ($1, $2)', [name, hash]);

const applyInTransaction: Apply = async (client, migration) => {
  await client.query('begin');
  try {
    await client.query(migration.text);
    await recordMigration(client, migration);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
};

/** Statements such as `create index concurrently` block no requests, so they wait for locks without a timeout. */
const applyStatements: Apply = async (client, migration) => {
  await client.query('set lock_timeout = 0');
  for (const statement of statementsIn(migration.text)) await client.query(statement);
  await recordMigration(client, migration);
  await client.query(`set lock_timeout = ${lockTimeout}`);
};

/** A statement ends with a semicolon at the end of a line, outside of the body of a function. */
const statementsIn = (text: string): string[] =>
  text
    .split(/(\$\$[^]*?\$\$)/)
    .map((part, index) => (index % 2 === 0 ? part.replaceAll(/;\s*$/gm, '\0') : part))
    .join('')
    .split('\0')
    .filter((statement) => statement.trim());

/** The newest migration of this release. The database must have it before requests are served. */
export async function newestMigration(): Promise<string | undefined> {
  return (await migrations()).at(-1)?.name;
}
