import { renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { queries, queryClient } from '#web/queries.ts';
import { endSession, session } from '#web/first/session.ts';
import type { Notification } from '#features/notifications/contract.ts';
import { toasts } from '#ui/toast.ts';
import { reconnectDelay, useLive } from './useLive.ts';

/** A fake WebSocket that records all connections. Tests open, close and send messages on it. */
class FakeSocket extends EventTarget {
  static all: FakeSocket[] = [];
  readonly address: URL;
  readonly closed: number[] = [];

  constructor(address: URL) {
    super();
    this.address = address;
    FakeSocket.all.push(this);
  }
  close(code: number) {
    this.closed.push(code);
  }
  open() {
    this.dispatchEvent(new Event('open'));
  }
  receive(data: unknown) {
    this.dispatchEvent(new MessageEvent('message', { data }));
  }
  fail(code = 1006) {
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

const listedIds = () => queryClient.getQueryData(queryKey)?.map(({ id }) => id);
const invalidated = () => queryClient.getQueryState(queryKey)?.isInvalidated;
const shownToasts = () => toasts().map(({ title, text }) => [title, text]);
const lastSocket = () => FakeSocket.all.at(-1) as FakeSocket;
const wait = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

let warn = vi.spyOn(console, 'warn');

beforeEach(async () => {
  vi.useFakeTimers();
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  vi.stubGlobal('WebSocket', FakeSocket);
  FakeSocket.all = [];
  await endSession();
  session.write(auth('one'));
  queryClient.clear();
  queryClient.setQueryData(queryKey, [notice('a')]);
});

afterEach(() => vi.useRealTimers());

test('live connection: connects to its own origin with the access token [WS-01]', () => {
  session.write(auth('a/b+c'));
  renderHook(() => useLive());
  expect(FakeSocket.all).toHaveLength(1);
  expect(String(lastSocket().address)).toBe('ws://localhost:3000/api/v1/ws/notifications?token=a%2Fb%2Bc');
});

test('live connection: without a token it retries every five seconds [WS-06]', async () => {
  await endSession();
  renderHook(() => useLive());
  await wait(10_000);
  expect(FakeSocket.all).toHaveLength(0);
  session.write(auth('two'));
  await wait(4_999);
  expect(FakeSocket.all).toHaveLength(0);
  await wait(1);
  expect(FakeSocket.all).toHaveLength(1);
});

test('live connection: after an abnormal close it reconnects after exactly five seconds with the current token [WS-07 WS-09]', async () => {
  renderHook(() => useLive());
  lastSocket().open();
  session.write(auth('two'));
  lastSocket().fail();
  expect(warn).toHaveBeenCalled();
  await wait(4_999);
  expect(FakeSocket.all).toHaveLength(1);
  await wait(1);
  expect(FakeSocket.all).toHaveLength(2);
  expect(lastSocket().address.searchParams.get('token')).toBe('two');
});

test('live connection: does not reconnect after a normal close [WS-07]', async () => {
  renderHook(() => useLive());
  lastSocket().open();
  lastSocket().fail(1000);
  await wait(120_000);
  expect(FakeSocket.all).toHaveLength(1);
});

describe('reconnect delay', () => {
  test('grows with each failure and resets after a connection', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    renderHook(() => useLive());
    for (const pause of [5_000, 5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      const before = FakeSocket.all.length;
      lastSocket().fail();
      await wait(pause - 1);
      expect(FakeSocket.all).toHaveLength(before);
      await wait(1);
      expect(FakeSocket.all).toHaveLength(before + 1);
    }
    lastSocket().open();
    lastSocket().fail();
    await wait(5_000);
    expect(FakeSocket.all).toHaveLength(9);
  });

  test.each([
    [0, 5_000, 5_000],
    [1, 5_000, 10_000],
    [2, 10_000, 15_000],
    [4, 40_000, 45_000],
    [5, 60_000, 60_000],
    [500, 60_000, 60_000],
  ])('retry %i waits between %i and %i ms', (retry, min, max) => {
    vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValue(0.999_999);
    expect(reconnectDelay(retry)).toBe(min);
    expect(Math.round(reconnectDelay(retry))).toBe(max);
  });
});

describe('notification list refetch', () => {
  test('happens on connection', () => {
    renderHook(() => useLive());
    expect(invalidated()).toBe(false);
    lastSocket().open();
    expect(invalidated()).toBe(true);
  });

  test.each([
    ['the connection is rejected, perhaps for an expired token', false, 1006, true],
    ['the session has ended', true, 4401, true],
    ['the server shuts down: only after the reconnect', true, 1001, false],
  ])('on close, when %s', (_, connected, code, refetched) => {
    renderHook(() => useLive());
    if (connected) lastSocket().open();
    queryClient.setQueryData(queryKey, [notice('a')]);
    lastSocket().fail(code);
    expect(invalidated()).toBe(refetched);
  });
});

test('live connection: on unmount it closes with 1000, ignores messages and does not reconnect [WS-08]', async () => {
  const { unmount } = renderHook(() => useLive());
  lastSocket().open();
  unmount();
  expect(lastSocket().closed).toEqual([1000]);
  lastSocket().receive(JSON.stringify(notice('b')));
  lastSocket().fail();
  await wait(120_000);
  expect(FakeSocket.all).toHaveLength(1);
  expect(listedIds()).toEqual(['a']);
});

test('live connection: on unmount it cancels a pending reconnect [WS-08]', async () => {
  const { unmount } = renderHook(() => useLive());
  lastSocket().fail();
  unmount();
  await wait(120_000);
  expect(FakeSocket.all).toHaveLength(1);
});

test('live connection: a notification that another window has marked is marked here too, without a toast [BELL-01]', () => {
  renderHook(() => useLive());
  lastSocket().open();
  const seen_at = '2026-06-21T12:05:00.000Z';
  lastSocket().receive(JSON.stringify({ ...notice('a'), seen_at }));
  expect(queryClient.getQueryData(queryKey)).toEqual([{ ...notice('a'), seen_at }]);
  // A delayed delivery of the earlier state changes nothing.
  lastSocket().receive(JSON.stringify(notice('a')));
  lastSocket().receive(JSON.stringify({ ...notice('b'), seen_at }));
  expect(queryClient.getQueryData(queryKey)?.map((one) => one.seen_at)).toEqual([seen_at, seen_at]);
  expect(shownToasts().filter(([title]) => title === 'New Notification')).toEqual([]);
});

test('live connection: prepends a new notification with a toast and ignores a known one [WS-03 WS-04 TOAST-03]', () => {
  renderHook(() => useLive());
  const before = shownToasts();
  lastSocket().receive(JSON.stringify(notice('a')));
  expect(shownToasts()).toEqual(before);
  lastSocket().receive(JSON.stringify(notice('b')));
  expect(listedIds()).toEqual(['b', 'a']);
  expect(shownToasts()).toEqual([['New Notification', 'Message b']]);
});

test.each(['{', 'null', '[]', '{"id":"b"}', '{"message":"Hello"}'])(
  'live connection: only logs an invalid message: %s [WS-09]',
  (data) => {
    renderHook(() => useLive());
    const before = toasts();
    lastSocket().receive(data);
    expect(listedIds()).toEqual(['a']);
    expect(toasts()).toBe(before);
    expect(warn).toHaveBeenCalledOnce();
  },
);
