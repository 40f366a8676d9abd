import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const rows = readFileSync('docs/security-tests.md', 'utf8')
  .split('\n')
  .flatMap((line) => /^\| ([TC]\d+)\s*\| (.*) \|$/.exec(line)?.slice(1, 3) ?? [])
  .map((cell) => cell.trim());
const protections = new Map(
  rows.flatMap((id, at) => (at % 2 === 0 ? [[id, rows[at + 1] ?? '']] : [])) as [string, string][],
);

/** Ids in the tags at the end of test titles, such as `[EVENT-29 C8]`. */
function taggedIds(): Set<string> {
  const files = ['src', 'test', 'e2e'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(test|spec)\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const tags = files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/\[([\w\s-]+)\](?=['"`])/g)]);
  return new Set(tags.flatMap(([, ids = '']) => ids.split(/\s+/).filter((id) => /^[TC]\d+$/.test(id))));
}

test('security tests: every row has a test, and every id in a title has a row', () => {
  expect(protections.size).toBeGreaterThanOrEqual(61);
  const needed = [...protections]
    .filter(([, protection]) => !/^Not applicable|see C\d/.test(protection))
    .map(([id]) => id);
  const tagged = taggedIds();
  expect(needed.filter((id) => !tagged.has(id))).toEqual([]);
  expect([...tagged].filter((id) => !protections.has(id))).toEqual([]);
});
