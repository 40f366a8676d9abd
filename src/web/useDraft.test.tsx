// @vitest-environment jsdom
import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useDraft } from './useDraft.ts';

beforeEach(() => {
  vi.useFakeTimers();
  window.history.replaceState({ idx: 3 }, '');
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** The page again, as after a reload: only the history is left of the one before. */
function reloaded() {
  cleanup();
  return renderHook(() => useDraft('')).result.current[0];
}

function type(text: string) {
  const { result } = renderHook(() => useDraft(''));
  act(() => result.current[1](text));
}

test('what was typed is there after a reload, and the router keeps its part of the state', () => {
  type('Hello');
  vi.advanceTimersByTime(0);
  expect(reloaded()).toBe('Hello');
  expect(window.history.state).toMatchObject({ idx: 3 });
});

test('fast typing is written seldom, and its end is not lost', () => {
  const writes = vi.spyOn(window.history, 'replaceState');
  const { result } = renderHook(() => useDraft(''));
  const text = 'a whole line of text';
  for (let length = 1; length <= text.length; length++) {
    act(() => result.current[1](text.slice(0, length)));
    act(() => vi.advanceTimersByTime(50));
  }
  vi.advanceTimersByTime(1000);
  // A second of typing at three writes a second at most, and the last.
  expect(writes.mock.calls.length).toBeLessThanOrEqual(5);
  expect(reloaded()).toBe(text);
});

test('what was emptied again stays empty', () => {
  const { result } = renderHook(() => useDraft(''));
  act(() => result.current[1]('Hello'));
  act(() => vi.advanceTimersByTime(400));
  act(() => result.current[1](''));
  vi.advanceTimersByTime(400);
  expect(reloaded()).toBe('');
});

test('a page of which nothing was typed leaves no trace', () => {
  renderHook(() => useDraft(''));
  vi.advanceTimersByTime(1000);
  expect(window.history.state).toEqual({ idx: 3 });
});
