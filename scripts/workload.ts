// `npm run workload`: how fast each kind of request is on realistic data. `-- --against ../other` compares this checkout
// with another one, which brings a scripts/workload of its own. docs/performance.md describes the method.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { kinds, type Kind } from './workload/kinds.ts';
import { measure, type Measured } from './workload/measure.ts';
import { headOf, rowOf, tableOf } from './workload/report.ts';
import { hasWorkload, openSide } from './workload/side.ts';

const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    kinds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    clubs: { type: 'string' },
    connections: { type: 'string', default: '16' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
});
const defaults = values.quick
  ? { rounds: 2, seconds: 0.3, clubs: 100 }
  : { rounds: 6, seconds: 0.7, clubs: 1000 };
const options = {
  rounds: Number(values.rounds ?? defaults.rounds),
  seconds: Number(values.seconds ?? defaults.seconds),
  clubs: Number(values.clubs ?? defaults.clubs),
  connections: Number(values.connections),
  seed: Number(values.seed),
};
const names = values.kinds?.split(',') ?? Object.keys(kinds);
const chosen = names.map((name): [string, Kind] => [
  name,
  kinds[name] ?? fail(`Kinds: ${Object.keys(kinds).join(', ')}.`),
]);
const checkouts = [resolve(import.meta.dirname, '..'), ...(values.against ? [resolve(values.against)] : [])];
const missing = checkouts.find((checkout) => !hasWorkload(checkout));
if (missing) fail(`${missing} has no scripts/workload/target.ts: it is older than this benchmark.`);
if (!(options.clubs >= 50)) fail('--clubs: 50 at least.');

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

const hour = 3_600_000;
const population = {
  clubs: options.clubs,
  seed: options.seed,
  base: Math.floor(Date.now() / hour) * hour,
};
const started = performance.now();
const opened = await Promise.allSettled(checkouts.map((checkout) => openSide(checkout, population)));
const sides = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
const results: Record<string, Measured[]> = {};
const table = [headOf(checkouts.length > 1)];
try {
  for (const one of opened) if (one.status === 'rejected') throw one.reason;
  console.log(`${options.clubs} clubs; started after ${((performance.now() - started) / 1000).toFixed(0)} s`);
  for (const [name, kind] of chosen) {
    const measured = await measure(
      kind,
      sides.map(({ side }) => side),
      options,
    );
    const row = rowOf(kind.what, measured);
    console.log(row.join(' | '));
    results[name] = measured;
    table.push(row);
  }
} finally {
  await Promise.all(sides.map(({ close }) => close()));
}
console.log(`\n${tableOf(table)}\n\n${((performance.now() - started) / 60_000).toFixed(1)} minutes`);
if (values.json) await writeFile(values.json, JSON.stringify({ checkouts, options, results }, null, 2));
