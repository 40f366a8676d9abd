/** A guarantee and the result of its test. `held` is undefined when the test cannot run here. */
export interface Verdict {
  promise: string;
  result: string;
  held: boolean | undefined;
}

export type Fault = () => Promise<Verdict[]>;

export const ms = (value: number): string =>
  value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;
