import { ask, openApp, type App } from '../faults/app.ts';
import type { Cluster } from './cluster.ts';
import type { Shape } from './dataset.ts';
import { openLoad, type Load } from './processes.ts';

/** One line of the table. */
export interface Row {
  what: string;
  against: string;
  result: string;
  target: string;
  /** Undefined: nothing is promised, or it could not be measured here. */
  held: boolean | undefined;
}

/** What every measurement has at hand. */
export interface Bench {
  cluster: Cluster;
  shape: Shape;
  size: string;
  /** The database with data of that shape. */
  url: string;
  load: Load;
  rounds: number;
  /** How long one side is measured in each round. */
  seconds: number;
  /** The one app that most are measured on, as long as it is not closed. */
  app(): Promise<App>;
  close(): Promise<void>;
}

export type Measurement = (bench: Bench) => Promise<Row[]>;

/** As it is installed, but that nobody is refused for asking too often. Several of them have one key. */
export const startApp = (url: string): Promise<App> =>
  openApp({
    DATABASE_URL: url,
    LOG_LEVEL: 'info',
    SECRET_KEY: 'a key that only the benchmark of this project uses',
  });

/** What was published is mailed minutes later, and nobody may publish often: neither is left for what is measured next. */
export const tidy = (url: string) =>
  ask(
    url,
    `with limits as (delete from rate_limits), noted as (delete from notification_emails)
     delete from jobs where locked_until is null`,
  );

export async function openBench(
  cluster: Cluster,
  { size, shape, rounds, seconds }: Pick<Bench, 'size' | 'shape' | 'rounds' | 'seconds'>,
): Promise<Bench> {
  const url = await cluster.database(size, shape);
  await tidy(url);
  const load = openLoad();
  let app: Promise<App> | undefined;
  return {
    cluster,
    shape,
    size,
    url,
    load,
    rounds,
    seconds,
    app: () => (app ??= startApp(url)),
    async close() {
      load.close();
      await (await app)?.close();
    },
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

export interface Compared {
  /** Median over the rounds of what one round gave, and of what it was divided by. */
  ratio: number;
  subject: number;
  baseline: number;
  ratios: number[];
}

/** Measures both in turn, round by round and the other way about every second time: only the ratio within a round counts. */
export async function inTurn(
  rounds: number,
  subject: () => Promise<number>,
  baseline: () => Promise<number>,
): Promise<Compared> {
  const pairs: [number, number][] = [];
  await subject();
  await baseline();
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) {
      const first = await subject();
      pairs.push([first, await baseline()]);
    } else {
      const second = await baseline();
      pairs.push([await subject(), second]);
    }
  }
  const ratios = pairs.map(([one, other]) => one / other);
  return {
    ratio: median(ratios),
    subject: median(pairs.map(([one]) => one)),
    baseline: median(pairs.map(([, other]) => other)),
    ratios,
  };
}

const text = (value: number) => (value < 10 ? value.toFixed(2) : Math.round(value).toLocaleString('en'));

/** A ratio with what it was made of and how far the rounds lay apart. */
export function told({ ratio, subject, baseline, ratios }: Compared, unit = '/s'): string {
  const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
  return `${ratio.toFixed(2)} (${spread}; ${text(subject)} : ${text(baseline)}${unit})`;
}

export const atLeast = (what: string, against: string, compared: Compared, least?: number): Row => ({
  what,
  against,
  result: told(compared),
  target: least === undefined ? '–' : `≥ ${least}`,
  held: least === undefined ? undefined : compared.ratio >= least,
});

export const atMost = (
  what: string,
  against: string,
  compared: Compared,
  max: number,
  unit: string,
): Row => ({
  what,
  against,
  result: told(compared, unit),
  target: `≤ ${max}`,
  held: compared.ratio <= max,
});

/** Fails when anything else was answered than what is measured. */
export function expectOnly(status: number, statuses: Record<number, number>): void {
  const others = Object.keys(statuses).filter((one) => Number(one) !== status);
  if (others.length > 0) throw new Error(`answered ${JSON.stringify(statuses)} instead of ${status}`);
}
