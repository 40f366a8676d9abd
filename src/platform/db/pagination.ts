import type { z } from 'zod';
import { fail } from '#wire/errors.ts';

/** How many rows of a list go into one answer, however long the list is. */
export const pageSize = 100;

/** As many are read: the last one only tells that there are more. */
export const rowsForPage = pageSize + 1;

interface Page<Row> {
  rows: Row[];
  /** Where the list goes on: an opaque word for what the last row is sorted by, so that nothing moves the place. */
  more: string | null;
}

/** Of rows in their order, those that go into one answer. */
export function pageOf<Row>(read: readonly Row[], keyOf: (row: Row) => readonly unknown[]): Page<Row> {
  const rows = read.slice(0, pageSize);
  const last = rows.at(-1);
  return { rows, more: last && read.length > rows.length ? cursorOf(keyOf(last)) : null };
}

export const cursorOf = (key: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(key)).toString('base64url');

/** What the last row was sorted by. A cursor that nobody was given is bad input. */
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
