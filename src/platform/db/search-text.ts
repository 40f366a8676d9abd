import type { RawBuilder } from 'kysely';
import { all, first, run, sql, type Db } from '#platform/db/client.ts';
import { foldCase } from '#platform/db/text.ts';
import { searchText } from '#wire/search-text.ts';

/**
 * A table whose column `search_text` contains these columns as `searchText` returns them, one line for each group of
 * columns. Some searches may find only what the first line contains.
 */
export interface SearchedTable<Column extends string = string> {
  name: string;
  lines: readonly (readonly Column[])[];
}

/** The search text of a row with these values. */
export const searchTextFrom = <Column extends string>(
  { lines }: SearchedTable<Column>,
  row: Readonly<Record<Column, string | null>>,
): string =>
  lines.map((columns) => searchText(columns.map((column) => row[column] ?? '').join(' '))).join('\n');

/** Locks a row and returns its search text after these changes, or undefined if they do not affect it. */
export async function changedSearchText<Column extends string>(
  db: Db,
  table: SearchedTable<Column>,
  id: string,
  changes: { readonly [Key in NoInfer<Column>]?: string | null | undefined },
): Promise<string | undefined> {
  const columns = table.lines.flat();
  const changed = columns.filter((column) => changes[column] !== undefined);
  if (changed.length === 0) return undefined;
  const row = await first(
    db,
    sql<Record<Column, string | null>>`
      select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(table.name)}
      where id = ${id} for no key update`,
  );
  return (
    row &&
    searchTextFrom(table, {
      ...row,
      ...Object.fromEntries(changed.map((column) => [column, changes[column]])),
    })
  );
}

/**
 * The stored search text of a row. A row that the previous release wrote has none until the job `fill_search_texts` runs:
 * until then, searches ignore only the case of its columns.
 */
export function storedSearchText({ lines }: SearchedTable, row: string): RawBuilder<string> {
  const columns = lines.map(
    (line) => sql`concat_ws(' ', ${sql.join(line.map((column) => sql.ref(`${row}.${column}`)))})`,
  );
  return sql`coalesce(${sql.ref(`${row}.search_text`)}, ${foldCase(sql`concat_ws(E'\n', ${sql.join(columns)})`)})`;
}

export const firstLine = (text: RawBuilder<string>): RawBuilder<string> => sql`split_part(${text}, E'\n', 1)`;

const batchSize = 1000;

/**
 * Stores the search text of rows that the previous release wrote. Returns whether there may be more. Skips locked rows,
 * because the order in which it locks rows is not that of requests.
 */
export async function fillSearchText<Column extends string>(
  db: Db,
  table: SearchedTable<Column>,
): Promise<boolean> {
  const name = sql.table(table.name);
  const rows = await all(
    db,
    sql<Record<Column, string | null> & { id: string }>`
      select id, ${sql.join(table.lines.flat().map((column) => sql.ref(column)))} from ${name}
      where search_text is null limit ${batchSize} for no key update skip locked`,
  );
  if (rows.length === 0) return false;
  await run(
    db,
    sql`
      update ${name} as t set search_text = filled.search_text
      from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map((row) => searchTextFrom(table, row))}::text[])
        as filled (id, search_text)
      where t.id = filled.id`,
  );
  return rows.length === batchSize;
}
