import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useDraft } from './useDraft.ts';

beforeEach(() => {
  vi.useFakeTimers();
  window.history.replaceState({ idx: 3 }, '');
});
afterEach(() => void vi.useRealTimers());

/** Mounts the hook again, as after a reload: only the history state survives. */
function reloaded() {
  cleanup();
  return renderHook(() => useDraft('')).result.current[0];
}

function type(text: string) {
  const { result } = renderHook(() => useDraft(''));
  act(() => result.current[1](text));
}

test('useDraft: restores the draft after a reload and keeps the state of the router', () => {
  type('Hello');
  vi.advanceTimersByTime(0);
  expect(reloaded()).toBe('Hello');
  expect(window.history.state).toMatchObject({ idx: 3 });
});

test('useDraft: throttles writes during fast typing and stores the last value', () => {
  const writes = vi.spyOn(window.history, 'replaceState');
  const { result } = renderHook(() => useDraft(''));
  const text = 'a whole line of text';
  for (let length = 1; length <= text.length; length++) {
    act(() => result.current[1](text.slice(0, length)));
    act(() => vi.advanceTimersByTime(50));
  }
  vi.advanceTimersByTime(1000);
  // One second of typing at three writes per second, and the last value.
  expect(writes.mock.calls.length).toBeLessThanOrEqual(5);
  expect(reloaded()).toBe(text);
});

test('useDraft: restores a cleared draft as empty', () => {
  const { result } = renderHook(() => useDraft(''));
  act(() => result.current[1]('Hello'));
  act(() => vi.advanceTimersByTime(400));
  act(() => result.current[1](''));
  vi.advanceTimersByTime(400);
  expect(reloaded()).toBe('');
});

test('useDraft: writes nothing without a change', () => {
  renderHook(() => useDraft(''));
  vi.advanceTimersByTime(1000);
  expect(window.history.state).toEqual({ idx: 3 });
});
