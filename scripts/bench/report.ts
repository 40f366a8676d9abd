import type { LoadResult } from './load.ts';
import type { Cost, Side } from './measure.ts';
import { isRead } from './mixes.ts';
import { median, quantile, ratioOf, type Ratio } from './statistics.ts';

/** The gates of a comparison. */
const minRatio = 0.9;
const minRatioOfChangedPage = 4;

const text = (value: number, digits = 2) =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 10 ? 1 : digits);
export const ratioText = ({ median, min, max }: Ratio): string =>
  `${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`;
const rangeText = (values: readonly number[]) =>
  `${text(median(values))} (${text(Math.min(...values))}–${text(Math.max(...values))})`;

const costsOf = ({ costs }: Side, name: string) => costs.get(name) as Cost[];

/** The ratio of a value of this checkout to the same value of the other checkout. */
function costRatio(sides: readonly Side[], name: string, valueOf: (cost: Cost) => number): Ratio {
  const [here, other] = sides.map((side) => costsOf(side, name).map(valueOf)) as [number[], number[]];
  return ratioOf(here, other);
}
const speed = ({ perSecond }: Cost) => perSecond;
/** Units per CPU time. Other load on the machine affects this less than the units per second. */
const efficiency = ({ app, database }: Cost) => 1 / (app + database);

/** Each cell has the value of this checkout first, then that of the other one. */
export function costTable(sides: readonly Side[], names: readonly string[]): string {
  const comparison = sides.length > 1 ? ['ratio', 'ratio by CPU time'] : [];
  const head = ['kind', 'per second', 'CPU ms of the app', 'of PostgreSQL', 'statements', ...comparison];
  const rows = names.map((name) => {
    const values = (key: keyof Cost, digits = 2) =>
      sides.map((side) => text(median(costsOf(side, name).map((cost) => cost[key])), digits)).join(' : ');
    const columns = [values('perSecond'), values('app'), values('database'), values('statements', 1)];
    const ratios = [speed, efficiency].slice(0, comparison.length);
    return [name, ...columns, ...ratios.map((valueOf) => ratioText(costRatio(sides, name, valueOf)))];
  });
  return tableOf([head, ...rows]);
}

/**
 * The cost of the mix, weighted by the shares of its kinds, and the cost of its reads on the primary. Both are relative
 * to the other checkout.
 */
export function mixOf(sides: readonly Side[], names: readonly string[]): string {
  const ratioOfSums = (some: readonly string[], valueOf: (cost: Cost) => number) => {
    const [here = 0, other = 0] = sides.map((side) => {
      const share = (name: string) => side.mix[name]?.share ?? 0;
      const costs = some.map((name) => share(name) * median(costsOf(side, name).map(valueOf)));
      return costs.reduce((total, cost) => total + cost, 0);
    });
    return (here / other).toFixed(2);
  };
  const mix = ratioOfSums(names, ({ app, database }) => app + database);
  const reads = (key: 'statements' | 'database') => ratioOfSums(names.filter(isRead), (cost) => cost[key]);
  return `the mix: ${mix} of the CPU time; its reads on the primary: ${reads('statements')} of the statements, ${reads('database')} of the CPU time`;
}

const sumOf = (rounds: readonly LoadResult[], key: 'planned' | 'answered' | 'seconds' | 'generator') =>
  rounds.reduce((sum, round) => sum + round[key], 0);

/** Milliseconds at p50, p95 and p99 for each rate, over all rounds. */
export function latencyTable({ loads }: Side): string {
  const head = [...loads].map(([rate, rounds]) => {
    const answered = sumOf(rounds, 'answered');
    const isReached = answered >= 0.95 * sumOf(rounds, 'planned');
    return `${rate}/s${isReached ? '' : `: only ${text(answered / sumOf(rounds, 'seconds'))}/s answered`}`;
  });
  const rowOf = (what: string, names: readonly string[]) => [
    what,
    ...[...loads.values()].map((rounds) => {
      const all = rounds.flatMap(({ latencies }) => names.flatMap((name) => latencies.get(name) ?? []));
      const quantiles = [0.5, 0.95, 0.99].map((share) => text(quantile(all, share), 1)).join(' / ');
      return all.length === 0 ? '–' : `${quantiles}${all.length < 100 ? ' *' : ''}`;
    }),
  ];
  const names = [...new Set([...loads.values()].flat().flatMap(({ latencies }) => [...latencies.keys()]))];
  const rows = names.map((name) => rowOf(name, [name]));
  return tableOf([['p50 / p95 / p99 in ms', ...head], rowOf('all', names), ...rows]);
}

export function summaryOf(side: Side): string[] {
  const { throughput, memory, sockets, server, loads } = side;
  const rounds = [...loads.values()].flat();
  const loaded = () => [
    `throughput at p95 ≤ 50 ms: ${rangeText(throughput)} requests a second`,
    `memory in MB: app ${rangeText(memory.map(({ app }) => app))}, PostgreSQL ${rangeText(memory.map(({ database }) => database))}`,
    `websockets: ${sockets.open}, which got ${sockets.messages} messages`,
    `CPU time of the load generator: ${text(sumOf(rounds, 'generator') / sumOf(rounds, 'answered'))} ms per request`,
  ];
  const errors = new Map<string, number>();
  for (const [error, count] of server.client.errors) {
    const what = error.replace(/^\S+ (?=at \d+\/s 503$)/, 'mix ');
    errors.set(what, (errors.get(what) ?? 0) + count);
  }
  return [
    ...(rounds.length > 0 ? loaded() : []),
    `errors: ${[...errors].map(([what, count]) => `${count} × ${what}`).join(', ') || 'none'}`,
  ];
}

/** Whether there were errors. A 503 at a rate above the throughput is not an error: the app rejects requests there. */
export function hasErrors({ server: { client }, throughput }: Side): boolean {
  const max = Math.max(...throughput);
  return client.errors.keys().some((error) => !(Number(/ at (\d+)\/s 503$/.exec(error)?.[1]) > max));
}

/** The gates that this checkout has to reach compared with the other one, and whether it does. */
export function gatesOf(sides: readonly Side[], names: readonly string[]): [what: string, held: boolean][] {
  const ratios = names.map((name): [string, number] => [name, costRatio(sides, name, speed).median]);
  const slow = ratios.filter(([, ratio]) => !(ratio >= minRatio));
  const list = slow.map(([name, ratio]) => ` ${name} ${ratio.toFixed(2)}`).join();
  const changed = ratios.filter(([name]) => name === 'club-page-changed');
  return [
    [`every kind ≥ ${minRatio}${list && `, but${list}`}`, slow.length === 0],
    ...changed.map(([name, ratio]): [string, boolean] => [
      `${name} ≥ ${minRatioOfChangedPage}: ${ratio.toFixed(2)}`,
      ratio >= minRatioOfChangedPage,
    ]),
    ['no errors', !sides.some(hasErrors)],
  ];
}

export function tableOf(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}
