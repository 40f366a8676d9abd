import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const listFile = 'test/forbidden-words.txt';

/** The specification's own texts, this list, and decision records, which keep the words of their time. */
const exempt =
  /^(docs\/(requirements\.tsv|decisions\/)|package-lock\.json$|test\/(forbidden-words\.txt|words\.test\.ts)$)/;

const forbidden = readFileSync(listFile, 'utf8')
  .split('\n')
  .filter((line) => line && !line.startsWith('#'))
  .map((line) => line.split('\t') as [pattern: string, term: string])
  .map(([pattern, term]) => ({ pattern: new RegExp(pattern, 'i'), term }));

/** Files that git tracks or would add. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(tsx?|m?js|mts|sql|md|css|html|json|ya?ml)$/.test(file) && !exempt.test(file));

test('vocabulary: no file name, identifier, table, comment, title or document has a forbidden word', () => {
  expect(forbidden.length).toBeGreaterThan(30);
  expect(files.length).toBeGreaterThan(400);
  const found = files.flatMap((file) =>
    [file, ...readFileSync(file, 'utf8').split('\n')].flatMap((line, at) =>
      forbidden
        .filter(({ pattern }) => pattern.test(line))
        .map(({ pattern, term }) => `${file}${at ? `:${at}` : ''} ${pattern.source} → ${term}`),
    ),
  );
  expect(found).toEqual([]);
});
