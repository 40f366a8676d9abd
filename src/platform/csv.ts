import { setImmediate } from 'node:timers/promises';
import { stringify } from 'csv-stringify/sync';
import { inLook, look, type Look } from '#wire/look.ts';
import { slugFrom } from '#wire/slug.ts';

/** A column of a list, with its heading in the current look. */
export interface Column<Row> {
  heading: string;
  text: (row: Row) => string;
}

/** Spreadsheets separate cells by a semicolon where the comma is the decimal separator. */
const separator = () => (new Intl.NumberFormat(look().language).format(0.5).includes(',') ? ';' : ',');

/** Characters that make the cell that they begin a formula in some spreadsheet. */
const formula = String.raw`[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\t\r]`;

/**
 * The library keeps the start of a cell from being a formula. A program that expects another separator also starts a
 * cell after a separator, a quote or a line break within a cell, and a quote there would make it misread later cells.
 */
const starts = new RegExp(String.raw`(?<=[,;\t\r\n])(?=${formula}|"|$)|(?<=")(?=${formula})`, 'g');

const batchSize = 100;

const lines = (cells: string[][], bom: boolean): string =>
  stringify(cells, {
    bom,
    delimiter: separator(),
    record_delimiter: 'windows',
    quoted_string: true,
    escape_formulas: true,
  });

/**
 * A list as the text of a CSV file (RFC 4180) in the look of its reader. The mark at its start tells Excel that it is
 * UTF-8. Other requests run between batches, because the lists of large clubs are long.
 */
export async function csv<Row>(
  reader: Look,
  rows: readonly Row[],
  columns: () => readonly Column<Row>[],
): Promise<string> {
  const parts = [inLook(reader, () => lines([columns().map(({ heading }) => heading)], true))];
  for (let at = 0; at < rows.length; at += batchSize) {
    const batch = rows.slice(at, at + batchSize);
    const cells = () => batch.map((row) => columns().map(({ text }) => text(row).replaceAll(starts, "'")));
    parts.push(inLook(reader, () => lines(cells(), false)));
    await setImmediate();
  }
  return parts.join('');
}

/** The name of a file, which begins with a day, so that files are in order. */
export const csvName = (day: string, title: string): string => `${day}-${slugFrom(title)}.csv`;
