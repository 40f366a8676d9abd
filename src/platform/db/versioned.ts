import type { RawBuilder } from 'kysely';
import { databaseBatchLoader } from '#platform/db/batch-loader.ts';
import { all, sql, type Db } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';

/** Data and its version, both from one statement. */
export interface Versioned<Value> {
  version: string;
  value: Value;
  /** The data is valid until this time (exclusive), by default until its version changes. */
  until?: Instant;
}

/** Selects rows by their ids. A row has its version in `shared_version`. Convert timestamps with `isoTimestamp`. */
type Select<Row> = (ids: readonly string[]) => RawBuilder<Row & { shared_version: string }>;

interface Wanted {
  select: Select<{ id: string }>;
  id: string;
}

interface SelectedRow {
  /** The index of the `select` that the row is from. */
  part: number;
  row: { id: string; shared_version: string };
}

const loadRow = databaseBatchLoader(async (db: Db, wanted: readonly Wanted[]) => {
  const selects = [...new Set(wanted.map(({ select }) => select))];
  const parts = selects.map((select, part) => {
    const ids = wanted.filter((one) => one.select === select).map(({ id }) => id);
    return sql`select ${sql.lit(part)} as part, row_to_json(r) as row from (${select(ids)}) as r`;
  });
  const rows = await all(db, sql<SelectedRow>`${sql.join(parts, sql` union all `)}`);
  const byKey = new Map(rows.map(({ part, row }) => [`${part} ${row.id}`, row]));
  return wanted.map(({ select, id }) => byKey.get(`${selects.indexOf(select)} ${id}`));
});

/**
 * Returns a function that loads a row and its version by id, or undefined if there is no such row. One statement loads
 * all rows that are requested in one tick, even with different `select`s. A `select` must not depend on the viewer.
 */
export function versionedLoader<Row extends { id: string }>(select: Select<Row>) {
  return async (db: Db, { id }: { id: string }): Promise<Versioned<Row> | undefined> => {
    const row = await loadRow(db, { select, id });
    if (!row) return undefined;
    const { shared_version: version, ...value } = row;
    return { version, value: value as Row };
  };
}
