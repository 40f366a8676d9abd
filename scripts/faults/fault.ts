/** What was promised, and what came of it. */
export interface Verdict {
  promise: string;
  result: string;
  /** Undefined: could not be tried here. */
  held: boolean | undefined;
}

export type Fault = () => Promise<Verdict[]>;

export const now = (): number => performance.now();

/** The value below which this share of them lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

export const ms = (value: number): string =>
  value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;

/** Waits until it is so; answers how long that took, or fails. */
export async function until(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  timeout = 30_000,
): Promise<number> {
  const started = now();
  for (;;) {
    if (await isSo()) return now() - started;
    if (now() - started > timeout) throw new Error(`Waited ${ms(timeout)} in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
