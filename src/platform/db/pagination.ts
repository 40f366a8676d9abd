import type { z } from 'zod';
import { fail } from '#wire/errors.ts';

/** Rows per page of a list. */
export const pageSize = 100;

/** The number of rows to read: the extra row tells whether there is another page. */
export const rowsForPage = pageSize + 1;

interface Page<Row> {
  rows: Row[];
  /** Cursor of the next page: the encoded sort key of the last row, so inserts and deletes do not shift that page. */
  more: string | null;
}

/** The first page of sorted rows, with the cursor of the next one. */
export function pageOf<Row>(
  read: readonly Row[],
  keyOf: (row: Row) => readonly unknown[],
  size = pageSize,
): Page<Row> {
  const rows = read.slice(0, size);
  const last = rows.at(-1);
  return { rows, more: last && read.length > rows.length ? cursorOf(keyOf(last)) : null };
}

export const cursorOf = (key: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(key)).toString('base64url');

/** Decodes a cursor into a sort key. Throws `bad_input` for an invalid cursor. */
export function keyIn<Key>(shape: z.ZodType<Key>, cursor: string | undefined): Key | undefined {
  if (cursor === undefined) return undefined;
  const { success, data } = shape.safeParse(jsonIn(cursor));
  return success ? data : fail('bad_input');
}

function jsonIn(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}
