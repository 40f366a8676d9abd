// `npm run workload`: how fast each kind of request is on realistic data. `-- --against ../other` compares this checkout
// with another one, which brings a scripts/workload of its own. docs/performance.md describes the method.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openCounters } from './workload/counters.ts';
import { kinds } from './workload/kinds.ts';
import { measure, summary, type Measured, type Side } from './workload/measure.ts';
import { createPopulation, type PopulationOptions } from './workload/population.ts';
import { ratioOf, tableOf } from './workload/statistics.ts';
import type { Order, Reply, Started } from './workload/target.ts';

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
  : { rounds: 5, seconds: 1.2, clubs: 1000 };
const options = {
  rounds: Number(values.rounds ?? defaults.rounds),
  seconds: Number(values.seconds ?? defaults.seconds),
  clubs: Number(values.clubs ?? defaults.clubs),
  connections: Number(values.connections),
  seed: Number(values.seed),
};
const words = values.kinds?.split(',');
const chosen = Object.entries(kinds).filter(
  ([name]) => !words || words.some((word) => name.startsWith(word)),
);
const checkouts = [resolve(import.meta.dirname, '..'), ...(values.against ? [resolve(values.against)] : [])];

const missing = checkouts.find((checkout) => !existsSync(targetOf(checkout)));
if (missing) fail(`${missing} has no scripts/workload/target.ts: it is older than this benchmark.`);
if (chosen.length === 0) fail(`Kinds of requests: ${Object.keys(kinds).join(', ')}.`);
if (!(options.clubs >= 50)) fail('It takes 50 clubs at least.');

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

function targetOf(checkout: string): string {
  return join(checkout, 'scripts/workload/target.ts');
}

/** Starts the server of a checkout in a process of that checkout, with its own database. */
async function openSide(checkout: string, population: PopulationOptions) {
  // Detached, so that Ctrl-C ends only this process; the other one then ends by itself and tidies up.
  const child = fork(targetOf(checkout), { cwd: checkout, detached: true, serialization: 'advanced' });
  const ended = once(child, 'exit');
  const close = async () => {
    if (child.connected) child.disconnect();
    await ended;
  };
  async function ask<T>(order: Order): Promise<T> {
    child.send(order);
    const message = once(child, 'message') as Promise<[Reply<T>]>;
    const [reply] = await Promise.race([message, ended.then(() => [{ error: 'the process has ended' }])]);
    if (reply && 'answer' in reply) return reply.answer;
    throw new Error(`${checkout}: ${reply?.error}`);
  }
  try {
    const started = await ask<Started>({
      population,
      folder: await mkdtemp(join(tmpdir(), 'muster-workload-')),
    });
    const counters = await openCounters(started);
    const side: Side = {
      ...started,
      population: createPopulation(population),
      waitForJobs: () => ask('waitForJobs'),
      reset: () => ask('reset'),
      counters,
    };
    return { side, close: () => counters.close().then(close) };
  } catch (error) {
    await close();
    throw error;
  }
}

const text = (value: number, digits = 2) =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 10 ? 1 : digits);

function rowOf(what: string, results: readonly Measured[]): string[] {
  const [here, there] = results.map(summary);
  if (!here) return [];
  const both = (key: keyof typeof here, digits?: number, unit = 1) =>
    [here, ...(there ? [there] : [])].map((side) => text(side[key] / unit, digits)).join(' : ');
  const { median, min, max } = ratioOf(results[0]?.perSecond ?? [], results[1]?.perSecond ?? []);
  return [
    what,
    both('perSecond'),
    ...(there ? [`${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`] : []),
    both('p95', 1),
    both('app'),
    both('database'),
    both('statements', 1),
    both('bytes', 1, 1000),
  ];
}

const population = {
  clubs: options.clubs,
  seed: options.seed,
  base: Math.floor(Date.now() / 3_600_000) * 3_600_000,
};
const started = performance.now();
const sides: Awaited<ReturnType<typeof openSide>>[] = [];
const results: Record<string, Measured[]> = {};
const head = [
  'kind of request',
  'requests/s',
  'ratio',
  'p95 ms',
  'app ms',
  'PostgreSQL ms',
  'statements',
  'kB',
];
const table = [values.against ? head : head.filter((name) => name !== 'ratio')];
try {
  const opened = await Promise.allSettled(checkouts.map((checkout) => openSide(checkout, population)));
  for (const one of opened) if (one.status === 'fulfilled') sides.push(one.value);
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
