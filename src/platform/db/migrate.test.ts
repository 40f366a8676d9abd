import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { migrate, newestMigration } from '#platform/db/migrate.ts';
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
// `with (force)` would fail while autovacuum is in the database. Without `force`, PostgreSQL waits until all
// connections have ended.
afterEach(() => query(server, `drop database ${name}`));

const applied = () => query<{ name: string }>(url, 'select name from schema_migrations order by name');

test('migrate: concurrent processes apply each migration once', async () => {
  const done = await Promise.all(Array.from({ length: 4 }, () => migrate(url)));
  const names = done.flat();
  expect(names.length).toBeGreaterThan(0);
  expect(new Set(names).size).toBe(names.length);
  expect(await applied()).toEqual(names.toSorted().map((each) => ({ name: each })));
  expect(names.at(-1)).toBe(await newestMigration());
  expect(await migrate(url)).toEqual([]);
});

test('migrate: fails with the name of a migration that was changed after it was applied', async () => {
  const [first = ''] = await migrate(url);
  await query(url, `update schema_migrations set hash = 'another'`);
  await expect(migrate(url)).rejects.toThrow(`The migration ${first} was changed after it had been applied.`);
});

test('migrate: a failed migration is rolled back and can be retried', async () => {
  await query(url, 'create table sessions (id int)');
  await expect(migrate(url)).rejects.toThrow(/^The migration 0001_\w+\.sql failed$/);
  expect(await applied()).toEqual([]);
  expect(await query(url, `select 1 from pg_tables where tablename = 'users'`)).toEqual([]);
  await query(url, 'drop table sessions');
  expect(await migrate(url)).toContain(await newestMigration());
});

describe('migration of a database in use', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-migrations-'));
    await query(url, 'create table clubs as select 1 as id');
  });
  afterEach(() => rm(folder, { recursive: true }));
  const applyFile = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return migrate(url, { folder: pathToFileURL(`${folder}/`) });
  };

  test('yields to requests while its table is locked, and is applied afterwards', async () => {
    const [holder, reader] = [new pg.Client(url), new pg.Client(url)];
    await Promise.all([holder.connect(), reader.connect()]);
    await reader.query(`set lock_timeout = 2000`);
    await holder.query('begin; select from clubs');
    let isDone = false;
    const migrating = applyFile('1.sql', 'alter table clubs add column motto text').finally(
      () => (isDone = true),
    );
    let maxWait = 0;
    for (const until = Date.now() + 2600; Date.now() < until; await sleep(10)) {
      const startedAt = performance.now();
      await reader.query('select id from clubs');
      maxWait = Math.max(maxWait, performance.now() - startedAt);
    }
    expect(isDone).toBe(false);
    // The migration did delay requests, because they queued behind it.
    expect(maxWait).toBeGreaterThan(200);
    await holder.query('commit');
    expect(await migrating).toEqual(['1.sql']);
    await Promise.all([holder.end(), reader.end()]);
  });

  test('gives up in a deadlock with a request before the request fails, and is applied afterwards', async () => {
    await query(url, 'create table events as select 1 as id');
    const request = new pg.Client(url);
    await request.connect();
    await request.query('begin; select from clubs');
    const migrating = applyFile(
      '1.sql',
      `alter table events add column motto text; select pg_sleep(0.3); alter table clubs add column motto text;`,
    );
    const lock = `select 1 from pg_locks where relation = 'events'::regclass and mode = 'AccessExclusiveLock'`;
    await expect.poll(() => query(url, lock), { interval: 5 }).toHaveLength(1);
    await request.query('select from events; commit');
    expect(await migrating).toEqual(['1.sql']);
    await request.end();
  });

  test('can run statement by statement and be rerun from the start', async () => {
    const index = `-- Statement by statement.
drop index concurrently if exists clubs_id;
create index concurrently clubs_id on clubs (id);
`;
    await expect(applyFile('1.sql', `${index}select 1 / 0;`)).rejects.toThrow('The migration 1.sql failed');
    await Promise.all([applyFile('1.sql', index), applyFile('1.sql', index), applyFile('1.sql', index)]);
    expect(await applied()).toEqual([{ name: '1.sql' }]);
    expect(
      await query(url, `select indisvalid from pg_index where indexrelid = 'clubs_id'::regclass`),
    ).toEqual([{ indisvalid: true }]);
  });

  test('keeps the body of a function together when it runs statement by statement', async () => {
    const body = `begin
  perform 1;
  return 2;
end $$;`;
    const text = `-- Statement by statement.\ncreate or replace function two() returns int language plpgsql as $$\n${body}\nselect two();\n`;
    await applyFile('1.sql', text);
    expect(await query(url, 'select two()')).toEqual([{ two: 2 }]);
  });

  test('is ignored by an older release that lacks its file', async () => {
    await applyFile('1.sql', 'select 1');
    await applyFile('2.sql', 'select 1');
    await rm(join(folder, '2.sql'));
    expect(await applyFile('1.sql', 'select 1')).toEqual([]);
    expect(await applied()).toEqual([{ name: '1.sql' }, { name: '2.sql' }]);
  });
});
