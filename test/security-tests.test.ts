import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** `ids` without a gap, as many as begin with this letter. */
const numbered = (letter: string, ids: readonly (string | undefined)[]) =>
  ids.filter((id) => id?.startsWith(letter)).map((_, nth) => `${letter}${nth + 1}`);

test('every protection has a line, and every test that a line names exists', () => {
  const page = readFileSync('docs/security-tests.md', 'utf8');
  const lines = page.split('\n').filter((line) => /^\| [TC]\d/.test(line));
  const ids = lines.map((line) => /^\| (\S+)/.exec(line)?.[1]);
  expect(ids.length).toBeGreaterThanOrEqual(60);
  expect(ids).toEqual([...numbered('T', ids), ...numbered('C', ids)]);

  const missing = lines.flatMap((line) =>
    [...line.matchAll(/`([\w./-]+\.(?:test|spec)\.ts)`: (“.+?”(?:, “.+?”)*)/g)].flatMap(
      ([, file = '', titles = '']) => {
        const source = existsSync(file) ? readFileSync(file, 'utf8').replaceAll("\\'", "'") : '';
        return [...titles.matchAll(/“(.+?)”/g)]
          .filter(([, title = '']) => !source.includes(title))
          .map(([, title]) => `${file}: ${title}`);
      },
    ),
  );
  expect(missing).toEqual([]);
});
