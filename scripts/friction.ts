// Runs the browser tests tagged @friction, and prints what each journey asks of a person and its limits.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './prepare.mjs';

await build();
const folder = mkdtempSync(join(tmpdir(), 'muster-friction-'));
const file = join(folder, 'counts');
const { status } = spawnSync('playwright', ['test', '--grep', '@friction'], {
  stdio: 'inherit',
  env: { ...process.env, FRICTION: file },
});
const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
rmSync(folder, { recursive: true });
type Line = { name: string; limits: Record<string, number> } & Record<string, unknown>;
const journeys = lines.map((line) => JSON.parse(line) as Line);
for (const { name, limits, ...counts } of journeys.toSorted((a, b) => a.name.localeCompare(b.name))) {
  const cell = ([what, count]: [string, unknown]) =>
    `${String(count)} ${what}${limits[what] === undefined ? '' : ` of ${limits[what]}`}`.padEnd(16);
  console.log(`${name.padEnd(36)} ${Object.entries(counts).map(cell).join('')}`);
}
process.exitCode = status ?? 1;
