// @vitest-environment jsdom
import { renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { queries, queryClient } from '#web/queries.ts';
import { endSession, session } from '#web/session.ts';
import type { Notification } from '#features/notifications/contract.ts';
import { toasts } from '#ui/toast.ts';
import { pauseBefore, useLive } from './useLive.ts';

/** What the browser brings: every connection that was asked for, to be opened, spoken to and closed. */
class Line extends EventTarget {
  static all: Line[] = [];
  readonly address: URL;
  readonly closed: number[] = [];

  constructor(address: URL) {
    super();
    this.address = address;
    Line.all.push(this);
  }
  close(code: number) {
    this.closed.push(code);
  }
  opens() {
    this.dispatchEvent(new Event('open'));
  }
  says(data: unknown) {
    this.dispatchEvent(new MessageEvent('message', { data }));
  }
  breaks(code = 1006) {
    this.dispatchEvent(new Event('error'));
    this.dispatchEvent(Object.assign(new Event('close'), { code }));
  }
}

const auth = (token: string) => ({ AccessToken: { Token: token }, RefreshToken: { Token: 'refresh' } });
const { queryKey } = queries.notifications();

const notice = (id: string): Notification => ({
  id,
  message: `Message ${id}`,
  created_at: '2026-06-21T12:00:00.000Z',
  seen_at: null,
  actioned_at: null,
  metadata: {},
});

const listed = () => queryClient.getQueryData(queryKey)?.map(({ id }) => id);
const invalidated = () => queryClient.getQueryState(queryKey)?.isInvalidated;
const told = () => toasts().map(({ title, text }) => [title, text]);
const last = () => Line.all.at(-1) as Line;
const wait = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

let warn = vi.spyOn(console, 'warn');

beforeEach(async () => {
  vi.useFakeTimers();
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  vi.stubGlobal('WebSocket', Line);
  Line.all = [];
  await endSession();
  session.write(auth('one'));
  queryClient.clear();
  queryClient.setQueryData(queryKey, [notice('a')]);
});

afterEach(() => vi.useRealTimers());

test('it connects with the access token, below the own address [WS-01]', () => {
  session.write(auth('a/b+c'));
  renderHook(() => useLive());
  expect(Line.all).toHaveLength(1);
  expect(String(last().address)).toBe('ws://localhost:3000/api/v1/ws/notifications?token=a%2Fb%2Bc');
});

test('without a token it tries again after five seconds, and again [WS-06]', async () => {
  await endSession();
  renderHook(() => useLive());
  await wait(10_000);
  expect(Line.all).toHaveLength(0);
  session.write(auth('two'));
  await wait(4_999);
  expect(Line.all).toHaveLength(0);
  await wait(1);
  expect(Line.all).toHaveLength(1);
});

test('after an abnormal close it comes again after exactly five seconds, with the token of then [WS-07 WS-09]', async () => {
  renderHook(() => useLive());
  last().opens();
  session.write(auth('two'));
  last().breaks();
  expect(warn).toHaveBeenCalled();
  await wait(4_999);
  expect(Line.all).toHaveLength(1);
  await wait(1);
  expect(Line.all).toHaveLength(2);
  expect(last().address.searchParams.get('token')).toBe('two');
});

test('after a normal close it does not [WS-07]', async () => {
  renderHook(() => useLive());
  last().opens();
  last().breaks(1000);
  await wait(120_000);
  expect(Line.all).toHaveLength(1);
});

describe('as long as it fails', () => {
  test('the pauses grow, and begin anew once it was connected', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    renderHook(() => useLive());
    for (const pause of [5_000, 5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      const before = Line.all.length;
      last().breaks();
      await wait(pause - 1);
      expect(Line.all).toHaveLength(before);
      await wait(1);
      expect(Line.all).toHaveLength(before + 1);
    }
    last().opens();
    last().breaks();
    await wait(5_000);
    expect(Line.all).toHaveLength(9);
  });

  test.each([
    [0, 5_000, 5_000],
    [1, 5_000, 10_000],
    [2, 10_000, 15_000],
    [4, 40_000, 45_000],
    [5, 60_000, 60_000],
    [500, 60_000, 60_000],
  ])('retry %i waits from %i to %i ms', (retry, least, max) => {
    vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValue(0.999_999);
    expect(pauseBefore(retry)).toBe(least);
    expect(Math.round(pauseBefore(retry))).toBe(max);
  });
});

describe('the list is loaded again', () => {
  test('once it is connected', () => {
    renderHook(() => useLive());
    expect(invalidated()).toBe(false);
    last().opens();
    expect(invalidated()).toBe(true);
  });

  test.each([
    ['it is refused, perhaps for an old token', false, 1006, true],
    ['the session is over', true, 4401, true],
    ['the server goes away: then only once it is back', true, 1001, false],
  ])('when %s', (_, connected, code, again) => {
    renderHook(() => useLive());
    if (connected) last().opens();
    queryClient.setQueryData(queryKey, [notice('a')]);
    last().breaks(code);
    expect(invalidated()).toBe(again);
  });
});

test('on teardown it closes with 1000, and neither hears nor tries anything more [WS-08]', async () => {
  const { unmount } = renderHook(() => useLive());
  last().opens();
  unmount();
  expect(last().closed).toEqual([1000]);
  last().says(JSON.stringify(notice('b')));
  last().breaks();
  await wait(120_000);
  expect(Line.all).toHaveLength(1);
  expect(listed()).toEqual(['a']);
});

test('on teardown it also forgets a try to come [WS-08]', async () => {
  const { unmount } = renderHook(() => useLive());
  last().breaks();
  unmount();
  await wait(120_000);
  expect(Line.all).toHaveLength(1);
});

test('a new one goes first and is told; one that is there already is ignored [WS-03 WS-04 TOAST-03]', () => {
  renderHook(() => useLive());
  const before = told();
  last().says(JSON.stringify(notice('a')));
  expect(told()).toEqual(before);
  last().says(JSON.stringify(notice('b')));
  expect(listed()).toEqual(['b', 'a']);
  expect(told()).toEqual([['New Notification', 'Message b']]);
});

test.each(['{', 'null', '[]', '{"id":"b"}', '{"message":"Hello"}'])(
  'what cannot be read is only logged: %s [WS-09]',
  (data) => {
    renderHook(() => useLive());
    const before = toasts();
    last().says(data);
    expect(listed()).toEqual(['a']);
    expect(toasts()).toBe(before);
    expect(warn).toHaveBeenCalledOnce();
  },
);
