import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { all, sql, type Db } from '#platform/db/client.ts';

/** All rows, of all tables outside the system schemas, that contain one of these words. */
export async function findLeftovers(db: Db, words: readonly string[]): Promise<string[]> {
  const tables = await all(
    db,
    sql<{ name: string }>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname <> 'information_schema' and schemaname !~ '^pg_'`,
  );
  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['public.users', 'public.jobs']));
  // PostgreSQL prints bytea in hexadecimal.
  const needles = words
    .flatMap((word) => [word, Buffer.from(word).toString('hex')])
    .map((word) => word.toLowerCase());
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await all(db, sql<{ row: string }>`select t::text as row from ${sql.raw(name)} t`);
    for (const { row } of rows)
      if (needles.some((word) => row.toLowerCase().includes(word))) found.push(`${name} ${row}`);
  }
  return found;
}

/** The files below a folder whose path or content contains one of these words, except below `but`. */
export async function filesWith(folder: string, words: readonly string[], but: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const found: string[] = [];
  for (const file of files.filter((path) => !path.startsWith(join(folder, but)))) {
    const all = `${file}\n${(await readFile(file)).toString('latin1')}`.toLowerCase();
    if (words.some((word) => all.includes(word.toLowerCase()))) found.push(file);
  }
  return found;
}
