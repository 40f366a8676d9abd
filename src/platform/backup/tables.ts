import pg from 'pg';
import { first, sql, type Db } from '#platform/db/client.ts';

export interface Table {
  name: string;
  columns: string[];
}

const quoted = pg.escapeIdentifier;
const batch = 500;

/**
 * The tables of the app, in an order that satisfies foreign keys on insert. Excludes unlogged tables and the list of
 * migrations.
 */
export async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `with recursive depths (oid, depth) as (
       select oid, 0 from pg_class
       where relkind = 'r' and relpersistence = 'p' and relnamespace = 'public'::regnamespace
         and relname <> 'schema_migrations'
       union
       select k.conrelid, depth + 1 from depths
       join pg_constraint k on k.confrelid = depths.oid and k.contype = 'f' and k.conrelid <> k.confrelid
       where depth < 100)
     select relname as name, (
         select json_agg(attname order by attnum) from pg_attribute
         where attrelid = oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
     from depths join pg_class using (oid) group by oid, relname order by max(depth), relname`,
  );
  return rows;
}

export async function countOf(client: pg.Client, { name }: Table): Promise<number> {
  const { rows } = await client.query<{ count: string }>(`select count(*) from ${quoted(name)}`);
  return Number(rows[0]?.count);
}

export const rowsOf = (client: pg.Client, { name, columns }: Table): AsyncGenerator<string> =>
  jsonOf(
    client,
    `select row_to_json(t)::text from (select ${columns.map(quoted).join()} from ${quoted(name)}) as t`,
  );

/** Streams the rows of a query as text through a cursor. */
export async function* jsonOf(client: pg.Client, query: string): AsyncGenerator<string> {
  await client.query(`declare found no scroll cursor for ${query}`);
  for (;;) {
    const { rows } = await client.query<[string]>({ text: `fetch ${batch} from found`, rowMode: 'array' });
    for (const [row] of rows) yield row;
    if (rows.length === 0) break;
  }
  await client.query('close found');
}

/** Inserts rows in batches; `flush` writes the last batch. */
export function rowsInto(client: pg.Client, { name, columns }: Table) {
  const list = columns.map(quoted).join();
  const insert = `insert into ${quoted(name)} (${list}) overriding system value
    select ${list} from json_populate_recordset(null::${quoted(name)}, $1)`;
  let waiting: string[] = [];
  async function flush(): Promise<void> {
    if (waiting.length > 0) await client.query(insert, [`[${waiting.join()}]`]);
    waiting = [];
  }
  return {
    async put(row: string): Promise<void> {
      if (waiting.push(row) === batch) await flush();
    },
    flush,
  };
}

/** Enables or disables user triggers, which must not fire during a restore. Foreign keys stay enforced. */
export async function setTriggers(client: pg.Client, tables: string[], on: boolean): Promise<void> {
  for (const name of tables)
    await client.query(`alter table ${quoted(name)} ${on ? 'enable' : 'disable'} trigger user`);
}

const backupLock = 7_261_854;

/** Marks a backup as running until the connection closes, see `isBeingCopied`. */
export async function announceCopy(client: pg.Client): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [backupLock]);
}

/** Whether a backup is running. Until it ends, files that the copied rows reference must not be deleted. */
export async function isBeingCopied(db: Db): Promise<boolean> {
  const found = await first(
    db,
    sql<{ free: boolean }>`select pg_try_advisory_xact_lock_shared(${backupLock}::bigint) as free`,
  );
  return found?.free === false;
}
