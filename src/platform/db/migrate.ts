import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const ownFolder = new URL('../../../migrations/', import.meta.url);
const lock = 7_261_853;
/**
 * Milliseconds that a migration may wait for a table. Requests queue behind it meanwhile, and give up after two
 * seconds: it has to give way before them.
 */
const timeouts = 1000;
const maxAttempts = 60;
/** The first line of a migration whose statements run one by one, and which can be run again from its beginning. */
const statementByStatement = '-- Statement by statement.';

export interface Migration {
  name: string;
  hash: string;
}

interface Options {
  /** The last one to apply. */
  upTo?: string | undefined;
  /** Where they lie; only tests have others. */
  folder?: URL;
}

/**
 * Applies what is missing of migrations/*.sql, in the order of their names, each in a transaction of its own.
 * Two processes that start at once take turns; a file that was changed after it was applied is refused. Migrations
 * that the files do not know are of a newer release and are let be.
 */
export async function migrate(url: string, { upTo, folder = ownFolder }: Options = {}): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, statement_timeout: 0 });
  await client.connect();
  try {
    await lockMigrations(client);
    await client.query(`set lock_timeout = ${timeouts}`);
    await client.query(
      'create table if not exists schema_migrations (name text primary key, hash text not null, applied_at timestamptz not null default now())',
    );
    const applied = new Map((await appliedMigrations(client)).map((row) => [row.name, row.hash]));
    const fresh: string[] = [];
    for (const { name, text, hash } of await migrations(folder)) {
      if (upTo !== undefined && name > upTo) break;
      const known = applied.get(name);
      if (known && known !== hash)
        throw new Error(`The migration ${name} was changed after it had been applied.`);
      if (known) continue;
      await apply(client, { name, text, hash });
      fresh.push(name);
    }
    return fresh;
  } finally {
    await client.end();
  }
}

/** Asked for again and again: a connection that waits in the database would keep an index from being built beside it. */
export async function lockMigrations(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ free: boolean }>('select pg_try_advisory_lock($1) as free', [lock]);
    if (rows[0]?.free) return;
    await sleep(50);
  }
}

/** What was applied to a database, in its order. */
export async function appliedMigrations(client: pg.Client): Promise<Migration[]> {
  const { rows } = await client.query<Migration>('select name, hash from schema_migrations order by name');
  return rows;
}

export async function migrations(folder = ownFolder): Promise<(Migration & { text: string })[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8');
      return { name, text, hash: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

async function apply(client: pg.Client, migration: Migration & { text: string }): Promise<void> {
  const work = migration.text.startsWith(statementByStatement) ? applyStatements : applyAtOnce;
  for (let tries = 1; ; tries++) {
    try {
      return await work(client, migration);
    } catch (error) {
      const isBusy = /^(55P03|40P01)$/.test(String((error as { code?: unknown }).code));
      if (!isBusy || tries === maxAttempts)
        throw new Error(`The migration ${migration.name} failed`, { cause: error });
      // The requests that queued behind it go first.
      await sleep(500);
    }
  }
}

type Apply = (client: pg.Client, migration: Migration & { text: string }) => Promise<void>;

const note = (client: pg.Client, { name, hash }: Migration) =>
  client.query('insert into schema_migrations (name, hash) values ($1, $2)', [name, hash]);

const applyAtOnce: Apply = async (client, migration) => {
  await client.query('begin');
  try {
    await client.query(migration.text);
    await note(client, migration);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
};

/** Nobody queues behind statements that work concurrently, so these may wait as long as they have to. */
const applyStatements: Apply = async (client, migration) => {
  await client.query('set lock_timeout = 0');
  for (const statement of migration.text.split(/;\s*$/m)) if (statement.trim()) await client.query(statement);
  await note(client, migration);
  await client.query(`set lock_timeout = ${timeouts}`);
};

/** The newest migration that this code knows; the database must have it, or newer ones too, before requests are served. */
export async function newestMigration(): Promise<string | undefined> {
  return (await migrations()).at(-1)?.name;
}
