import { defaultScheduler, notifyManager, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { createElement, type ReactNode } from 'react';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { queryClient } from '#web/queries.ts';
import type { Notification } from '#features/notifications/contract.ts';
import {
  act as actUpon,
  clear,
  pathOf,
  receive,
  remove,
  unseenIn,
  useInbox,
  useSeen,
  withActioned,
  withSeen,
  withTimestampsOf,
  withNew,
  without,
} from './useInbox.ts';

const server = { answers: {} as Record<string, unknown>, requests: [] as string[] };

beforeEach(() => {
  vi.stubGlobal('fetch', async (address: string, { method = 'GET' }: RequestInit = {}) => {
    const request = `${method} ${address.replace('/api/v1/', '')}`;
    server.requests.push(request);
    if (request in server.answers)
      return Response.json({ data: server.answers[request], status: 200, error: null });
    return Response.json({ data: null, status: 500, error: 'broken' }, { status: 500 });
  });
});

const at = (minute: number) => new Date(Date.UTC(2026, 5, 21, 12, minute)).toISOString();

const notice = (id: string, more: Partial<Notification> = {}): Notification => ({
  id,
  message: `Message ${id}`,
  created_at: at(0),
  seen_at: null,
  actioned_at: null,
  metadata: {},
  ...more,
});

// Notifies query observers synchronously, so that tests see changes at once.
beforeAll(() => notifyManager.setScheduler((run) => run()));
afterAll(() => notifyManager.setScheduler(defaultScheduler));

const ofEvent = (slug: string) => ({ metadata: { event_slug: slug, event_name: 'Run' } });

const ids = (list: readonly Notification[]) => list.map(({ id }) => id).join('');

describe('notification list', () => {
  const list = [notice('a', { seen_at: at(1) }), notice('b'), notice('c', { actioned_at: at(1) })];

  test.each([
    ['prepends a new notification', 'd', 'dabc'],
    ['ignores a known notification', 'b', 'abc'],
  ])('%s [WS-03 WS-04]', (_, id, expected) => {
    expect(ids(withNew(list, notice(id)))).toBe(expected);
  });

  test('counts notifications without seen_at as unseen, never below zero [WS-05 NOTIF-27]', () => {
    expect(ids(unseenIn(list))).toBe('bc');
    expect(unseenIn(withNew(list, notice('d')))).toHaveLength(3);
    expect(unseenIn([])).toHaveLength(0);
    expect(unseenIn(without([notice('a', { seen_at: at(1) })], 'a'))).toHaveLength(0);
  });

  test('marks notifications as seen, and keeps existing timestamps [NOTIF-19]', () => {
    expect(withSeen(list, ['a', 'b', 'c'], at(9)).map(({ seen_at }) => seen_at)).toEqual([
      at(1),
      at(9),
      at(9),
    ]);
  });

  test('marks one notification as actioned, and keeps an existing timestamp [NOTIF-21]', () => {
    const times = (id: string) => withActioned(list, id, at(9)).map(({ actioned_at }) => actioned_at);
    expect(times('a')).toEqual([at(9), null, at(1)]);
    expect(times('c')).toEqual([null, null, at(1)]);
  });

  test.each([
    ['an unseen notification lowers the count', 'b', 'ac', 1],
    ['a seen notification keeps the count', 'a', 'bc', 2],
    ['an unknown notification changes nothing', 'x', 'abc', 2],
  ])('deleting: %s [NOTIF-25 NOTIF-26]', (_, id, expected, unseen) => {
    expect(ids(without(list, id))).toBe(expected);
    expect(unseenIn(without(list, id))).toHaveLength(unseen);
  });

  test('keeps local timestamps that a refetched list does not contain yet', () => {
    const oldList = [notice('a', { seen_at: at(1), actioned_at: at(2) }), notice('gone')];
    expect(withTimestampsOf(oldList, [notice('new'), notice('a')])).toEqual([notice('new'), oldList[0]]);
    const fromServer = notice('a', { seen_at: at(0), actioned_at: at(0) });
    expect(withTimestampsOf(oldList, [fromServer])).toEqual([fromServer]);
  });

  test.each([
    ['its club', { club_slug: 'rowers', event_slug: 'run' }, '/app/clubs/rowers'],
    ['its event, if it has no club', { event_slug: 'run' }, '/app/events/run'],
    ['no page, if it has neither', { event_name: 'Run' }, undefined],
  ])('a notification links to %s [NOTIF-22 NOTIF-23]', (_, metadata, path) => {
    expect(pathOf(notice('a', { metadata }))).toBe(path);
  });
});

const wrapper = ({ children }: { children: ReactNode }) =>
  createElement(QueryClientProvider, { client: queryClient }, children);

/** Sets the responses of the fake server by request line. All other requests get a 500. */
function serve(responses: Record<string, unknown>): string[] {
  server.answers = responses;
  server.requests = [];
  return server.requests;
}

async function openInbox(responses: Record<string, unknown>) {
  const requests = serve(responses);
  const { result } = renderHook(() => useInbox(), { wrapper });
  await waitFor(() => expect(result.current.fetching).toBe(false));
  return { requests, inbox: () => result.current };
}

describe('inbox', () => {
  let warn = vi.spyOn(console, 'warn');
  beforeEach(() => {
    queryClient.clear();
    warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  });

  test('marks all as seen when opened, even if the requests fail [NOTIF-18 NOTIF-19 BELL-12 TOAST-44]', async () => {
    const list = [notice('a'), notice('b'), notice('c', { seen_at: at(1) })];
    const { requests, inbox } = await openInbox({ 'GET notifications': list });
    expect(inbox().unseen).toBe(2);
    const { result, unmount } = renderHook(() => useSeen(inbox()), { wrapper });
    expect(inbox().unseen).toBe(0);
    expect([...result.current]).toEqual(['a', 'b']);
    await waitFor(() => expect(warn).toHaveBeenCalledTimes(2));
    expect(requests.slice(1)).toEqual(['POST notifications/a/seen', 'POST notifications/b/seen']);
    unmount();
    await act(() => queryClient.invalidateQueries());
    expect(inbox().unseen).toBe(0);
  });

  test('opening the page of an event marks the unseen notifications about it as seen, and no others [CHAN-08]', async () => {
    const list = [
      notice('a', ofEvent('run')),
      notice('b', ofEvent('regatta')),
      notice('c', { ...ofEvent('run'), seen_at: at(1) }),
      notice('d', ofEvent('run')),
      notice('e', { metadata: { club_slug: 'rowers' } }),
    ];
    const { requests, inbox } = await openInbox({ 'GET notifications': list });
    expect(inbox().unseen).toBe(4);
    renderHook(() => useSeen(inbox(), 'run'), { wrapper });
    expect(inbox().unseen).toBe(2);
    expect(requests.slice(1)).toEqual(['POST notifications/a/seen', 'POST notifications/d/seen']);
    expect(inbox().notifications.find(({ id }) => id === 'c')?.seen_at).toBe(at(1));
  });

  test('opening the page of an event before the list is loaded marks those about it once it is [CHAN-08]', async () => {
    const list = [notice('a', { metadata: { event_slug: 'run' } }), notice('b')];
    const requests = serve({ 'GET notifications': list });
    const { result } = renderHook(() => useInbox(), { wrapper });
    renderHook(() => useSeen(useInbox(), 'run'), { wrapper });
    await waitFor(() => expect(result.current.unseen).toBe(1));
    expect(requests).toEqual(['GET notifications', 'POST notifications/a/seen']);
  });

  test('counts a later notification as unseen until the inbox is opened again [WS-05]', async () => {
    const { requests, inbox } = await openInbox({ 'GET notifications': [notice('a', { seen_at: at(1) })] });
    renderHook(() => useSeen(inbox()), { wrapper });
    act(() => void receive(notice('b')));
    expect(ids(inbox().notifications)).toBe('ba');
    expect(inbox().unseen).toBe(1);
    expect(receive(notice('b'))).toBe(false);
    expect(requests).toHaveLength(1);
  });

  test('keeps a notification that arrives while a request is in flight', async () => {
    const responses = { 'GET notifications': [notice('a')] };
    const { inbox } = await openInbox(responses);
    let reloaded: Promise<void> | undefined;
    act(() => {
      reloaded = queryClient.invalidateQueries();
      responses['GET notifications'] = [notice('b'), notice('a')];
      receive(notice('b'));
    });
    await act(async () => reloaded);
    await waitFor(() => expect(inbox().fetching).toBe(false));
    expect(ids(inbox().notifications)).toBe('ba');
  });

  test('keeps a notification that arrives before the first response', async () => {
    const responses = { 'GET notifications': [notice('a')] };
    const requests = serve(responses);
    const { result } = renderHook(() => useInbox(), { wrapper });
    act(() => {
      responses['GET notifications'] = [notice('b'), notice('a')];
      receive(notice('b'));
    });
    await waitFor(() => expect(ids(result.current.notifications)).toBe('ba'));
    expect(requests).toEqual(['GET notifications', 'GET notifications']);
  });

  test('marks a clicked notification as actioned, even if the request fails [NOTIF-20 NOTIF-21 TOAST-45]', async () => {
    const { requests, inbox } = await openInbox({ 'GET notifications': [notice('a')] });
    act(() => actUpon(notice('a')));
    expect(inbox().notifications[0]?.actioned_at).toBeTruthy();
    expect(requests).toContain('POST notifications/a/actioned');
    await waitFor(() => expect(warn).toHaveBeenCalledOnce());
  });

  test('removes a deleted notification, or keeps it if the request fails [NOTIF-25 TOAST-46]', async () => {
    const list = [notice('a'), notice('b')];
    const { inbox } = await openInbox({ 'GET notifications': list, 'DELETE notifications/a': null });
    await act(() => remove(notice('a')));
    expect(ids(inbox().notifications)).toBe('b');
    expect(inbox().unseen).toBe(1);
    await act(() => remove(notice('b')));
    expect(ids(inbox().notifications)).toBe('b');
    expect(warn).toHaveBeenCalledOnce();
  });

  test('is empty after clearing, or unchanged if the request fails [NOTIF-11]', async () => {
    const responses: Record<string, unknown> = { 'GET notifications': [notice('a')] };
    const { inbox } = await openInbox(responses);
    await expect(act(() => clear())).rejects.toThrow();
    expect(ids(inbox().notifications)).toBe('a');
    responses['DELETE notifications'] = null;
    await act(() => clear());
    expect(inbox().notifications).toEqual([]);
  });

  test('only logs an error when the list cannot be loaded [TOAST-43]', async () => {
    const requests = serve({});
    const { result } = renderHook(() => useInbox(), { wrapper });
    await waitFor(() => expect(warn).toHaveBeenCalledOnce(), { timeout: 5000 });
    expect(result.current).toMatchObject({ notifications: [], unseen: 0, loading: false });
    expect(requests.length).toBeGreaterThan(0);
  });
});
