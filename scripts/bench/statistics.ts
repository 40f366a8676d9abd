export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

export type Ratio = Record<'median' | 'min' | 'max', number>;

/** Compares only values of the same round, because a machine that is slow for a while is slow for both sides. */
export function ratioOf(values: readonly number[], baseline: readonly number[]): Ratio {
  const ratios = values.map((value, round) => value / (baseline[round] as number));
  return { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) };
}
