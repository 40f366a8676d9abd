import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csv } from '#platform/csv.ts';
import type { Language } from '#languages/languages.ts';

const separators: [Language, string][] = [
  ['en', ','],
  ['de', ';'],
];

const columns = () =>
  [0, 1].map((at) => ({ heading: `Column ${at}`, text: (row: string[]) => row[at] ?? '' }));

const fileOf = (rows: string[][], language: Language) => csv({ language, clock: 'auto' }, rows, columns);

/** The cells of a file as a spreadsheet reads them: a quote at the start of a cell begins a quoted part. */
function read(file: string, separator: string): string[][] {
  const rows: string[][] = [[]];
  let [cell, isQuoted] = ['', false];
  const characters = [...file.replace('\uFEFF', '')];
  for (let at = 0; at < characters.length; at++) {
    const [character = '', next] = characters.slice(at, at + 2);
    const isEnd = !isQuoted && (character === separator || character === '\n');
    if (isEnd) {
      rows.at(-1)?.push(cell);
      cell = '';
      if (character === '\n') rows.push([]);
    } else if (!isQuoted && character === '\r' && next === '\n') continue;
    else if (character === '"' && isQuoted && next === '"') {
      cell += '"';
      at++;
    } else if (character === '"' && (isQuoted || cell === '')) isQuoted = !isQuoted;
    else cell += character;
  }
  return rows.slice(0, -1);
}

const isFormula = (cell: string) => /^[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\t\r]/.test(cell);
const plain = (cell: string) => cell.replaceAll("'", '');

const hostile = fc.string({
  unit: fc.constantFrom(...'=+-@＝＋－＠\t\r\n,;"\' aé'),
  maxLength: 12,
});
const examples = ['=1', 'a;=1+1', 'a,=1+1', '"=2', 'a\n=3', 'a\r\n@b', '＝4', '\t=5', "'=6", '', '-'];

test.each(separators)(
  'csv: a file in %s has all texts, and no cell that begins a formula, with either separator [LIST-03 T29]',
  async (language, separator) => {
    const row = fc.tuple(hostile, hostile);
    await fc.assert(
      fc.asyncProperty(fc.array(row), async (rows) => {
        const file = await fileOf(rows, language);
        const cells = read(file, separator);
        expect(cells.slice(1).map((each) => each.map(plain))).toEqual(rows.map((each) => each.map(plain)));
        for (const [, each] of separators) expect(read(file, each).flat().filter(isFormula)).toEqual([]);
        // A program that ignores quotes starts a cell after each separator and line break.
        expect(file).not.toMatch(/(^\uFEFF|[,;\t\r\n])"*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/u);
      }),
      { examples: [[examples.map((text) => [text, text])]], numRuns: 500 },
    );
  },
);

test('csv: a file is UTF-8 with a byte order mark, quotes and CRLF, in English with commas and in German with semicolons [LIST-03]', async () => {
  const rows = [
    ['Mia "M" Müller', 'a, b; c'],
    ['Two\nlines', ''],
  ];
  const lines = ['"Column 0"|"Column 1"', '"Mia ""M"" Müller"|"a, b; c"', '"Two\nlines"|""', ''];
  for (const [language, separator] of separators)
    expect(await fileOf(rows, language)).toBe(`\uFEFF${lines.join('\r\n').replaceAll('|', separator)}`);
});

test('csv: a list longer than a batch has one heading and all rows in order [LIST-05]', async () => {
  const rows = Array.from({ length: 250 }, (_, n) => [`Row ${n}`, '']);
  expect(read(await fileOf(rows, 'en'), ',')).toEqual([['Column 0', 'Column 1'], ...rows]);
});
