// Lists the rows of docs/requirements.tsv without a passing test in the last `npm test`. Prints nothing if every row
// has a test.
import { readFileSync } from 'node:fs';
import { reports, resultsIn } from './results.ts';

const [, ...lines] = readFileSync('docs/requirements.tsv', 'utf8').trimEnd().split('\n');
const rows = lines.map(
  (line) => line.split('\t') as [id: string, area: string, level: string, text: string, excuse?: string],
);
const ids = new Set(rows.map(([id]) => id));
const passed = Object.values(reports)
  .flatMap(resultsIn)
  .filter(({ outcome }) => outcome === 'passed');
const named = new Set(
  passed.flatMap(({ title }) => /\[([^\]]+)\]\s*$/.exec(title)?.[1]?.split(/[\s,]+/) ?? []),
);

const unknownIds = [...named].filter((id) => /^[A-Z][A-Z\d]*-\d+$/.test(id) && !ids.has(id));
for (const id of unknownIds) console.log(`${id}\tis in a test title but not in docs/requirements.tsv`);

const unproven = rows.filter(([id, , , , excuse]) => !named.has(id) && !excuse);
for (const [id, , level, text] of unproven) console.log(`${id}\t${level}\t${text}`);

if (unknownIds.length + unproven.length > 0) {
  console.error(`${unproven.length} of ${rows.length} rows are open`);
  process.exitCode = 1;
}
