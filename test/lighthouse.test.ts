import { expect, test } from 'vitest';
import { blocked, type TraceEvent } from '../scripts/lighthouse/blocked.ts';
import { slowdownAt } from '../scripts/lighthouse/slowdown.ts';

test.each([
  [124, 1],
  [799, 1],
  [800, 2],
  [1050, 2],
  [1499, 2],
  [1500, 4],
  [2400, 4],
])('slowdown: a machine with a benchmark index of %i is slowed down by a factor of %i', (index, slowdown) => {
  expect(slowdownAt(index)).toBe(slowdown);
});

const here = { pid: 1, tid: 1 };
const paint = { ...here, name: 'firstContentfulPaint', ts: 100_000 };
const task = (ts: number, dur: number, tdur: number) => ({ ...here, name: 'RunTask', ts, dur, tdur });
const layout = (ts: number) => ({ ...here, name: 'Layout', ts, dur: 1000, tdur: 1000 });

test.each<[string, TraceEvent[], number]>([
  ['a task that uses the CPU for 20 ms', [task(200_000, 20_000, 20_000)], 30],
  ['a preempted task, of which only the CPU time counts', [task(200_000, 90_000, 20_000)], 30],
  ['two long tasks', [task(200_000, 20_000, 20_000), task(300_000, 15_000, 15_000)], 40],
  ['a short task', [task(200_000, 12_000, 12_000)], 0],
  ['a task that ended before the first paint', [task(50_000, 20_000, 20_000)], 0],
  ['a task of another thread', [{ ...task(200_000, 20_000, 20_000), tid: 2 }], 0],
  [
    'a task with a layout, to which half the slowdown applies',
    [task(200_000, 30_000, 30_000), layout(210_000)],
    10,
  ],
  ['a layout in another task', [task(200_000, 20_000, 20_000), layout(230_000)], 30],
])('total blocking time with a slowdown of 4: %s', (_, events, milliseconds) => {
  expect(blocked([paint, ...events], 4)).toBe(milliseconds);
});
