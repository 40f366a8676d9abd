import { createChooser } from './chooser.ts';
import { inParallel, openSockets, type Unit } from './client.ts';
import type { Usage } from './counters.ts';
import { mixes } from './mixes.ts';
import type { Kind } from './kinds.ts';
import { findThroughput, p95, runLoad, type LoadResult } from './load.ts';
import { nameOf } from './population.ts';
import type { Server } from './server.ts';

/** The cost of one unit of a kind that is measured alone, including the jobs that it adds without a delay. */
export interface Cost extends Usage {
  perSecond: number;
}

/** One of the compared servers, with a result for each round. */
export type Side = ReturnType<typeof openSide>;

export const openSide = (server: Server) => ({
  server,
  mix: mixes[server.population.mix],
  choose: createChooser(server, 1),
  costs: new Map<string, Cost[]>(),
  loads: new Map<number, LoadResult[]>(),
  throughput: [] as number[],
  memory: [] as { app: number; database: number }[],
  sockets: { open: 0, messages: 0 },
});

/** Reverses the order in every second round, so that no side is always the first. */
const alternate = <T>(sides: readonly T[], round: number): readonly T[] =>
  round % 2 === 0 ? sides : sides.toReversed();

function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  lists.set(key, [...(lists.get(key) ?? []), value]);
}

/** Returns how many units of a kind the first side serves in `seconds`. Warms up all sides. */
export async function countUnits(sides: readonly Side[], name: string, seconds: number): Promise<number> {
  const trial = Math.ceil(20 * seconds);
  for (const side of sides) await measureUnits(side, name, 2 * trial);
  const { units, seconds: took } = await measureUnits(sides[0] as Side, name, 2 * trial);
  return Math.max(trial, Math.round((units / took) * seconds));
}

/**
 * Measures a kind in four parts per side, in the order A B B A A B B A, so that changes in the machine's other load
 * affect both sides alike.
 */
export async function measureKind(sides: readonly Side[], name: string, count: number, round: number) {
  const order = alternate(sides, round);
  const measured = new Map<Side, Measured[]>();
  for (const turn of [order, order.toReversed(), order, order.toReversed()])
    for (const side of turn) addTo(measured, side, await measureUnits(side, name, Math.ceil(count / 4)));
  for (const [{ costs }, parts] of measured) {
    const sum = (key: keyof Measured) => parts.reduce((total, part) => total + part[key], 0);
    const each = (key: keyof Usage) => sum(key) / sum('units');
    const usage = { app: each('app'), database: each('database'), statements: each('statements') };
    addTo(costs, name, { perSecond: sum('units') / sum('seconds'), ...usage });
  }
}

type Measured = Usage & Record<'units' | 'seconds', number>;

/** Measures a kind in a closed loop with few connections. */
async function measureUnits({ server, mix, choose }: Side, name: string, count: number): Promise<Measured> {
  const { client, counters, reset, waitForJobs } = server;
  const kind = mix[name] as Kind;
  await kind.prepare?.(choose, count);
  await waitForJobs();
  await reset();
  const before = await counters.read();
  const started = performance.now();
  let units = 0;
  function* made(): Generator<Unit> {
    for (let unit; units < count && (unit = kind.make(choose)); units++) yield unit;
  }
  await inParallel(made(), 4, (unit) => client.sendUnit(unit, name));
  const seconds = (performance.now() - started) / 1000;
  await waitForJobs();
  const after = await counters.read();
  const used = (key: keyof Usage) => after[key] - before[key];
  return { units, seconds, app: used('app'), database: used('database'), statements: used('statements') };
}

export interface LoadOptions {
  rates: readonly number[];
  seconds: number;
  /** The maximum number of steps of the search for the highest throughput. */
  steps: number;
}

/**
 * Measures the mix at each rate, then searches for the highest throughput. Meanwhile, a third of the active people have
 * a websocket open.
 */
export async function measureLoads(sides: readonly Side[], load: LoadOptions, round: number) {
  const { rates, seconds, steps } = load;
  const order = alternate(sides, round);
  const closings = await Promise.all(sides.map(connectPeople));
  for (const rate of rates)
    for (const side of order) addTo(side.loads, rate, await runLoad(side, rate, seconds));
  for (const side of order) {
    const { loads, throughput, memory, server } = side;
    memory.push(server.counters.memory());
    const measured = rates.map((rate): [number, number] => [
      rate,
      p95(loads.get(rate)?.at(-1) as LoadResult),
    ]);
    const measure = async (rate: number) => p95(await runLoad(side, rate, seconds / 2));
    throughput.push(await findThroughput(measure, measured, steps));
  }
  for (const close of closings) close();
}

/** Opens the websockets and returns a function that closes them. */
async function connectPeople({ server, sockets }: Side): Promise<() => void> {
  sockets.open = Math.floor(server.population.active / 3);
  const tokens = Array.from({ length: sockets.open }, (_, person) => nameOf.accessToken(person));
  return openSockets(server.origin, tokens, {
    onMessage: () => sockets.messages++,
    onClose: () => server.client.countError('websocket closed'),
  });
}
