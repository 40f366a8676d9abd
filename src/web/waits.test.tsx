// @vitest-environment jsdom
import { act, cleanup, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { endSession, followGuide, session } from './session.ts';
import { nextRetry, stopWaiting, wait } from './waits.ts';

const auth = { AccessToken: { Token: 'access' }, RefreshToken: { Token: 'refresh' } };

beforeEach(() => {
  vi.useFakeTimers();
  followGuide({ here: () => '/app', go: () => {} });
  session.write(auth);
});

afterEach(() => {
  act(stopWaiting);
  vi.useRealTimers();
  cleanup();
});

const notice = () => screen.queryByRole('button', { name: 'Stop waiting' });

/** The notice, which is loaded when one is due, has come. */
const loaded = () => act(() => import('#app/web/layout/WaitNotice.tsx'));

test('a wait of up to ten seconds goes unsaid, and ends by itself', async () => {
  const waiting = wait(10, 10);
  await loaded();
  expect(notice()).toBeNull();
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  expect(await waiting).toBe(true);
});

test('a call that has to wait for more than ten seconds in all is told of, with the time left', async () => {
  const waiting = wait(5, 15);
  await loaded();
  expect(notice()?.closest('[role=status]')?.textContent).toMatch(/^The server is busy.*in 5 s/);
  await act(() => vi.advanceTimersByTimeAsync(3000));
  expect(screen.getByRole('timer').textContent).toBe('Trying again in 2 s');
  await act(() => vi.advanceTimersByTimeAsync(2000));
  expect(await waiting).toBe(true);
  expect(notice()).toBeNull();
});

test('of several waits the nearest is named, and one press stops all', async () => {
  const hour = wait(3600, 3600);
  await loaded();
  expect(screen.getByRole('timer').textContent).toBe('Trying again in 1 h');
  const minute = wait(61, 61);
  await loaded();
  expect(screen.getByRole('timer').textContent).toBe('Trying again in 1 min');
  act(() => notice()?.click());
  expect(await Promise.all([hour, minute])).toEqual([false, false]);
  expect(nextRetry()).toBeUndefined();
  expect(notice()).toBeNull();
});

test('a wait ends with the session, so that no call goes out with another one', async () => {
  const waiting = wait(5, 5);
  await loaded();
  await act(() => endSession());
  expect(await waiting).toBe(false);
});
