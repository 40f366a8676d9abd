/** Of what the browser notes, in microseconds: `dur` by the clock, `tdur` of the processor. */
export interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  tdur?: number;
}

/** A task of so many milliseconds keeps nobody waiting. */
const unnoticed = 50;

/**
 * For how long the page itself keeps its main thread from answering after the first contentful paint, in milliseconds:
 * Lighthouse's total blocking time, but from what tasks take of the processor. By the clock they are longer wherever
 * others use the machine.
 */
export function blocked(trace: TraceEvent[], slowdown: number): number {
  const paint = trace.find(({ name }) => name === 'firstContentfulPaint');
  const thread = trace.filter(({ pid, tid }) => pid === paint?.pid && tid === paint.tid);
  const layouts = thread.filter(({ name }) => name === 'Layout');
  const times = thread.map(({ name, ts, dur = 0, tdur = dur }) => {
    if (!paint || name !== 'RunTask' || ts + dur < paint.ts) return 0;
    const hasLayout = layouts.some((layout) => layout.ts >= ts && layout.ts <= ts + dur);
    // A phone is not that much slower in laying out: Lighthouse takes half of the slowdown then.
    const length = (tdur / 1000) * (hasLayout ? slowdown / 2 : slowdown);
    return Math.max(0, length - unnoticed);
  });
  return times.reduce((sum, time) => sum + time, 0);
}
