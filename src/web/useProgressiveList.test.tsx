import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { hydrateWith } from './hydration.ts';
import { useProgressiveList } from './useProgressiveList.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const rows = (count: number) => Array.from({ length: count }, (_, index) => index);

/** The number of rendered rows of a list of five, and of a list of four below it. */
const lists = () =>
  renderHook(() => [useProgressiveList(rows(5)).length, useProgressiveList(rows(4), 5).length] as const)
    .result;

const frame = () => act(() => vi.advanceTimersToNextFrame());

test('useProgressiveList: completes the lists of the first screen in order, three rows per frame', () => {
  const finishHydration = hydrateWith({ now: '', rows: 2, wide: false });
  const shown = lists();
  finishHydration();
  const seen = [shown.current];
  for (let count = 0; count < 4; count++) {
    frame();
    seen.push(shown.current);
  }
  expect(seen).toEqual([
    [2, 0],
    [5, 0],
    [5, 3],
    [5, 4],
    [5, 4],
  ]);
});

test('useProgressiveList: renders all rows at once after the first screen', () => {
  expect(lists().current).toEqual([5, 4]);
});
