import { summary, type Measured } from './measure.ts';
import { ratioOf } from './statistics.ts';

export const headOf = (isComparison: boolean): string[] => [
  'kind of request',
  'requests/s',
  ...(isComparison ? ['ratio', 'ratio by CPU time'] : []),
  'p95 ms',
  'CPU ms of the app',
  'of PostgreSQL',
  'statements',
  'kB',
];

const text = (value: number, digits = 2) =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 10 ? 1 : digits);

/** Both values of each column stand in the order in which the sides were measured: this checkout, then the other one. */
export function rowOf(what: string, [here, there]: readonly Measured[]): string[] {
  if (!here) return [];
  const [own, other] = [summary(here), there && summary(there)];
  const both = (key: keyof typeof own, digits?: number, unit = 1) =>
    [own, ...(other ? [other] : [])].map((side) => text(side[key] / unit, digits)).join(' : ');
  const ratios = there && [
    ratio(here.perSecond, there.perSecond),
    // Requests for the same processor time: other work on the machine changes that less.
    ratio(processorTimes(there), processorTimes(here)),
  ];
  return [
    what,
    both('perSecond'),
    ...(ratios ?? []),
    both('p95', 1),
    both('app'),
    both('database'),
    both('statements', 1),
    both('bytes', 1, 1000),
  ];
}

function ratio(values: readonly number[], baseline: readonly number[]): string {
  const { median, min, max } = ratioOf(values, baseline);
  return `${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`;
}

const processorTimes = ({ usage }: Measured) => usage.map(({ app, database }) => app + database);

export const tableOf = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
};
