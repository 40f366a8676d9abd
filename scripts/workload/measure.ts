import { runLoad } from './client.ts';
import type { Usage } from './counters.ts';
import type { Kind } from './kinds.ts';
import { hashOf, seededRandom } from './random.ts';
import type { Side } from './side.ts';
import { median, quantile } from './statistics.ts';

export interface MeasureOptions {
  connections: number;
  rounds: number;
  seconds: number;
  seed: number;
}

/** One kind of request on one side, each list with a value for each round. */
export interface Measured {
  perSecond: number[];
  /** Milliseconds. */
  p50: number[];
  p95: number[];
  /** For each request; what jobs do because of it is included. */
  usage: Usage[];
  bytes: number[];
}

/** Measures a kind on all sides in alternation: each round turns their order around. The first time does not count. */
export async function measure(
  kind: Kind,
  sides: readonly Side[],
  options: MeasureOptions,
): Promise<Measured[]> {
  const { rounds, seconds, seed } = options;
  const phases = sides.map((side) => openPhase(kind, side, options, seededRandom(seedOf(kind, seed))));
  const results = sides.map((): Measured => ({ perSecond: [], p50: [], p95: [], usage: [], bytes: [] }));
  for (let round = -1; round < rounds; round++) {
    const order = round % 2 === 0 ? phases.keys().toArray() : phases.keys().toArray().toReversed();
    for (const index of order) {
      const phase = await (phases[index] as (typeof phases)[number])(round < 0 ? seconds / 2 : seconds);
      if (round >= 0) add(results[index] as Measured, phase);
    }
  }
  return results;
}

/** Each kind has random numbers of its own, whichever others are measured before. */
const seedOf = ({ what }: Kind, seed: number) => hashOf(seed, ...Buffer.from(what)) * 2 ** 32;

type Phase = { [Key in keyof Measured]: Measured[Key][number] };

function add(result: Measured, { usage, ...phase }: Phase): void {
  result.usage.push(usage);
  for (const key of ['perSecond', 'p50', 'p95', 'bytes'] as const) result[key].push(phase[key]);
}

function openPhase(kind: Kind, side: Side, { connections }: MeasureOptions, random: () => number) {
  const prepare = kind.open({ ...side, random });
  return async (seconds: number): Promise<Phase> => {
    const next = await prepare(Math.ceil(kind.perSecond * seconds));
    const before = await side.counters.read();
    const load = await runLoad(side.origin, next, connections);
    await side.waitForJobs();
    const after = await side.counters.read();
    await side.reset();
    const { units, durations, bytes } = load;
    if (units === 0) throw new Error(`${kind.what}: there was nothing to request`);
    const used = (key: keyof Usage) => (after[key] - before[key]) / units;
    return {
      perSecond: units / load.seconds,
      p50: quantile(durations, 0.5),
      p95: quantile(durations, 0.95),
      usage: { app: used('app'), database: used('database'), statements: used('statements') },
      bytes: bytes / units,
    };
  };
}

/** The medians of all rounds. */
export function summary({ perSecond, p50, p95, usage, bytes }: Measured) {
  return {
    perSecond: median(perSecond),
    p50: median(p50),
    p95: median(p95),
    app: median(usage.map(({ app }) => app)),
    database: median(usage.map(({ database }) => database)),
    statements: median(usage.map(({ statements }) => statements)),
    bytes: median(bytes),
  };
}
