/** An event of a browser trace. Times are in microseconds: `dur` is wall time, `tdur` is CPU time. */
export interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  tdur?: number;
}

/** The duration in milliseconds below which a task does not count as blocking. */
const threshold = 50;

/** Lighthouse's total blocking time in milliseconds, but from CPU time: other processes on the machine make wall time longer. */
export function blocked(trace: TraceEvent[], slowdown: number): number {
  const paint = trace.find(({ name }) => name === 'firstContentfulPaint');
  const thread = trace.filter(({ pid, tid }) => pid === paint?.pid && tid === paint.tid);
  const layouts = thread.filter(({ name }) => name === 'Layout');
  const times = thread.map(({ name, ts, dur = 0, tdur = dur }) => {
    if (!paint || name !== 'RunTask' || ts + dur < paint.ts) return 0;
    const hasLayout = layouts.some((layout) => layout.ts >= ts && layout.ts <= ts + dur);
    // Lighthouse applies half of the slowdown to layout, which is relatively faster on a phone.
    const length = (tdur / 1000) * (hasLayout ? slowdown / 2 : slowdown);
    return Math.max(0, length - threshold);
  });
  return times.reduce((sum, time) => sum + time, 0);
}
