import { setTimeout as sleep } from 'node:timers/promises';

/** A guarantee and the result of its test. `held` is undefined when the test cannot run here. */
export interface Verdict {
  promise: string;
  result: string;
  held: boolean | undefined;
}

export type Fault = () => Promise<Verdict[]>;

export const now = (): number => performance.now();

/** The quantile of the values; `share` is between 0 and 1. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

export const ms = (value: number): string =>
  value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;

/** Polls a condition and returns the milliseconds it took, or throws after the timeout. */
export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  timeout = 30_000,
): Promise<number> {
  const started = now();
  while (!(await condition())) {
    if (now() - started > timeout) throw new Error(`Timeout after ${ms(timeout)}: ${what}`);
    await sleep(20);
  }
  return now() - started;
}
