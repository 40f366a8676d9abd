import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { endSession, setNavigation, session } from './first/session.ts';
import { nextRetry, stopWaiting, wait } from './waits.ts';

const auth = { AccessToken: { Token: 'access' }, RefreshToken: { Token: 'refresh' } };

beforeEach(() => {
  vi.useFakeTimers();
  setNavigation({ here: () => '/app', go: () => {} });
  session.write(auth);
});

afterEach(() => {
  act(stopWaiting);
  vi.useRealTimers();
});

const notice = () => screen.queryByRole('button', { name: 'Stop waiting' });

/** Waits until the notice, which is loaded on demand, is rendered. */
const loaded = () => act(() => import('./WaitNotice.tsx'));

test('wait: a total of up to ten seconds shows no notice', async () => {
  const waiting = wait(10, 10);
  await loaded();
  expect(notice()).toBeNull();
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  expect(await waiting).toBe(true);
});

test('wait: a total of more than ten seconds shows a notice with the time left', async () => {
  const waiting = wait(5, 15);
  await loaded();
  expect(notice()?.closest('[role=status]')?.textContent).toMatch(/^The server is busy.*in 5 s/);
  await act(() => vi.advanceTimersByTimeAsync(3000));
  expect(screen.getByRole('timer').textContent).toBe('Trying again in 2 s');
  await act(() => vi.advanceTimersByTimeAsync(2000));
  expect(await waiting).toBe(true);
  expect(notice()).toBeNull();
});

test('wait: the notice shows the time of the next of several retries, and its button stops all retries', async () => {
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

test('wait: ends with the session, so that no request is retried in another session', async () => {
  const waiting = wait(5, 5);
  await loaded();
  await act(() => endSession());
  expect(await waiting).toBe(false);
});
