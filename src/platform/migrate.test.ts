import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { migrate, newestMigration } from '#platform/migrate.ts';
import { databaseAt } from '#test/database.ts';

const server = inject('databaseServer');
let name: string;
let url: string;

async function query<Row extends object>(address: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  return client
    .query<Row>(text)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

beforeEach(async () => {
  name = `migrate_${randomUUID().replaceAll('-', '')}`;
  url = databaseAt(server, name);
  await query(server, `create database ${name}`);
});
afterEach(() => query(server, `drop database ${name} with (force)`));

const applied = () => query<{ name: string }>(url, 'select name from schema_migrations order by name');

test('two processes at once apply every migration once', async () => {
  const done = await Promise.all(Array.from({ length: 4 }, () => migrate(url)));
  const names = done.flat();
  expect(names.length).toBeGreaterThan(0);
  expect(new Set(names).size).toBe(names.length);
  expect(await applied()).toEqual(names.toSorted().map((each) => ({ name: each })));
  expect(names.at(-1)).toBe(await newestMigration());
  expect(await migrate(url)).toEqual([]);
});

test('a migration that was changed after it had been applied is refused by its name', async () => {
  const [first = ''] = await migrate(url);
  await query(url, `update schema_migrations set hash = 'another'`);
  await expect(migrate(url)).rejects.toThrow(`The migration ${first} was changed after it had been applied.`);
});

test('a migration that fails leaves nothing behind, and may be tried again', async () => {
  await query(url, 'create table sessions (id int)');
  await expect(migrate(url)).rejects.toThrow(/^The migration 0001_\w+\.sql failed$/);
  expect(await applied()).toEqual([]);
  expect(await query(url, `select 1 from pg_tables where tablename = 'users'`)).toEqual([]);
  await query(url, 'drop table sessions');
  expect(await migrate(url)).toContain(await newestMigration());
});
