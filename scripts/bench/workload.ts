import { execFileSync } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { resolve } from 'node:path';
import { root } from '../prepare.mjs';
import { processorTimes } from './counters.ts';
import { countUnits, measureKind, measureLoads, openSide, type LoadOptions, type Side } from './measure.ts';
import { costTable, gatesOf, hasErrors, latencyTable, ratioText, mixOf, summaryOf } from './report.ts';
import { openServer, type DatabaseOptions } from './server.ts';
import { ratioOf } from './statistics.ts';

export interface WorkloadOptions {
  database: DatabaseOptions;
  against?: string | undefined;
  /** Whether this checkout reads from a standby. By default it is compared with itself without a standby. */
  standby: boolean;
  /** Measures only these kinds, and not the mix. */
  chosen?: readonly string[] | undefined;
  rounds: number;
  /** Seconds of measurement for each kind, in each round and checkout. */
  seconds: number;
  load: LoadOptions;
}

/** Resolves with false when a gate is missed. */
export async function benchWorkload(options: WorkloadOptions): Promise<boolean> {
  const { against = options.standby ? root : undefined, standby, database } = options;
  const started = performance.now();
  const sides: Side[] = [];
  // The servers inherit all processors except the first, which is for this process, so that the load generator takes no
  // CPU time from them. In a quick run, all share all processors.
  const isExact = database.durable && availableParallelism() > 1;
  if (isExact) runOn(`1-${availableParallelism() - 1}`);
  sides.push(openSide(await openServer(root, database, standby)));
  if (against) sides.push(openSide(await openServer(resolve(against), database)));
  if (isExact) runOn('0');
  console.log(`${database.clubs} clubs, ready after ${((performance.now() - started) / 1000).toFixed(0)} s`);
  const isGood = await measureAndPrint(sides, options);
  console.log(`${((performance.now() - started) / 60_000).toFixed(1)} minutes`);
  return isGood;
}

/** Lets this process, and all processes that it starts from now on, run only on these processors. */
const runOn = (processors: string) =>
  execFileSync('taskset', ['-acp', processors, String(process.pid)], { stdio: 'ignore' });

async function measureAndPrint(
  sides: readonly Side[],
  { rounds, seconds, load, chosen }: Pick<WorkloadOptions, 'rounds' | 'seconds' | 'load' | 'chosen'>,
): Promise<boolean> {
  const names = chosen ?? Object.keys(sides[0]?.mix ?? {});
  const counts = new Map<string, number>();
  const machine = await observeMachine(sides);
  for (let round = 0; round < rounds; round++) {
    console.log(`round ${round + 1} of ${rounds}`);
    for (const name of names) {
      const count = counts.get(name) ?? (await countUnits(sides, name, seconds));
      counts.set(name, count);
      await measureKind(sides, name, count, round);
    }
    if (!chosen) await measureLoads(sides, load, round);
  }
  console.log(`\n${costTable(sides, names)}`);
  for (const [index, side] of sides.entries()) {
    if (sides.length > 1) console.log(`\n${index === 0 ? 'This checkout' : 'The other checkout'}:`);
    if (!chosen) console.log(`\n${latencyTable(side)}\n* fewer than 100 values`);
    console.log(`\n${summaryOf(side).join('\n')}`);
  }
  console.log(await machine());
  return printComparison(sides, names);
}

function printComparison(sides: readonly Side[], names: readonly string[]): boolean {
  const [here, other] = sides;
  if (!here || !other) return !here || !hasErrors(here);
  if (here.throughput.length > 0)
    console.log(`\nratio of the throughputs: ${ratioText(ratioOf(here.throughput, other.throughput))}`);
  console.log(`\n${mixOf(sides, names)}`);
  const gates = gatesOf(sides, names);
  for (const [what, held] of gates) console.log(`gate ${held ? 'held' : 'MISSED'}: ${what}`);
  return gates.every(([, held]) => held);
}

/** Measures which processes use the processors until the returned function is called. */
async function observeMachine(sides: readonly Side[]): Promise<() => Promise<string>> {
  async function times() {
    const { user, system } = process.cpuUsage();
    const usages = await Promise.all(sides.map(({ server }) => server.counters.read()));
    const servers = usages.reduce((sum, { app, database }) => sum + app + database, 0);
    return { ...processorTimes(), generator: (user + system) / 1000, servers };
  }
  const before = await times();
  return async () => {
    const after = await times();
    const used = (key: keyof typeof after) => after[key] - before[key];
    const share = (time: number) => `${Math.round((100 * Math.max(0, time)) / used('total'))} %`;
    const others = used('busy') - used('servers') - used('generator');
    return `processors: servers ${share(used('servers'))}, this process ${share(used('generator'))}, others ${share(others)}; load average ${loadavg()[0]?.toFixed(1)}`;
  };
}
