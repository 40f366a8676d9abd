import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';

const folder = new URL('../../migrations/', import.meta.url);
const lock = 7_261_853;

/**
 * Applies what is missing of migrations/*.sql, in the order of their names, each in a transaction of its own.
 * Two processes that start at once take turns; a file that was changed after it was applied is refused.
 */
export async function migrate(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [lock]);
    await client.query(
      'create table if not exists schema_migrations (name text primary key, hash text not null, applied_at timestamptz not null default now())',
    );
    const { rows } = await client.query<{ name: string; hash: string }>(
      'select name, hash from schema_migrations',
    );
    const applied = new Map(rows.map((row) => [row.name, row.hash]));
    const fresh: string[] = [];
    for (const { name, text, hash } of await migrations()) {
      const known = applied.get(name);
      if (known && known !== hash)
        throw new Error(`The migration ${name} was changed after it had been applied.`);
      if (known) continue;
      await apply(client, name, text, hash);
      fresh.push(name);
    }
    return fresh;
  } finally {
    await client.end();
  }
}

async function migrations() {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8');
      return { name, text, hash: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

async function apply(client: pg.Client, name: string, text: string, hash: string): Promise<void> {
  await client.query('begin');
  try {
    await client.query(text);
    await client.query('insert into schema_migrations (name, hash) values ($1, $2)', [name, hash]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`The migration ${name} failed`, { cause: error });
  }
}

/** The newest migration that this code knows; the database must have it before requests are served. */
export async function newestMigration(): Promise<string | undefined> {
  return (await migrations()).at(-1)?.name;
}
