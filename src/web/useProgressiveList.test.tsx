import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { hydrateWith } from './hydration.ts';
import { useProgressiveList } from './useProgressiveList.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const rows = (count: number) => Array.from({ length: count }, (_, at) => at);

/** How many rows a list of five has, and one of four below it. */
const lists = () =>
  renderHook(() => [useProgressiveList(rows(5)).length, useProgressiveList(rows(4), 5).length] as const)
    .result;

const frame = () => act(() => vi.advanceTimersToNextFrame());

test('the lists of a first screen come one after the other, three rows with each frame', () => {
  const letGo = hydrateWith({ now: '', rows: 2 });
  const shown = lists();
  letGo();
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

test('a later screen has all rows at once', () => {
  expect(lists().current).toEqual([5, 4]);
});
