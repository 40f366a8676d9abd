// @vitest-environment jsdom
import { notifyManager, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import { createElement, type ReactNode } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
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
  withAllSeen,
  withTimestampsOf,
  withNew,
  without,
} from './useInbox.ts';

// The calls take the browser's own `fetch` when they are made, which is before any test.
const server = vi.hoisted(() => {
  const state = { answers: {} as Record<string, unknown>, asked: [] as string[] };
  globalThis.fetch = async (address, { method = 'GET' } = {}) => {
    const line = `${method} ${String(address).replace('/api/v1/', '')}`;
    state.asked.push(line);
    if (line in state.answers) return Response.json({ data: state.answers[line], status: 200, error: null });
    return Response.json({ data: null, status: 500, error: 'broken' }, { status: 500 });
  };
  return state;
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

// What changes is shown in the same turn, so that a test sees what happens at once.
notifyManager.setScheduler((run) => run());

afterEach(cleanup);

const ids = (list: readonly Notification[]) => list.map(({ id }) => id).join('');

describe('the list', () => {
  const list = [notice('a', { seen_at: at(1) }), notice('b'), notice('c', { actioned_at: at(1) })];

  test.each([
    ['a new one stands first', 'd', 'dabc'],
    ['one that is there changes nothing', 'b', 'abc'],
  ])('%s [WS-03 WS-04]', (_, id, expected) => {
    expect(ids(withNew(list, notice(id)))).toBe(expected);
  });

  test('the unseen are those without a time of it, and never fewer than none [WS-05 NOTIF-27]', () => {
    expect(ids(unseenIn(list))).toBe('bc');
    expect(unseenIn(withNew(list, notice('d')))).toHaveLength(3);
    expect(unseenIn([])).toHaveLength(0);
    expect(unseenIn(without([notice('a', { seen_at: at(1) })], 'a'))).toHaveLength(0);
  });

  test('all become seen; the first time counts [NOTIF-19]', () => {
    expect(withAllSeen(list, at(9)).map(({ seen_at }) => seen_at)).toEqual([at(1), at(9), at(9)]);
  });

  test('one becomes actioned; the first time counts [NOTIF-21]', () => {
    const times = (id: string) => withActioned(list, id, at(9)).map(({ actioned_at }) => actioned_at);
    expect(times('a')).toEqual([at(9), null, at(1)]);
    expect(times('c')).toEqual([null, null, at(1)]);
  });

  test.each([
    ['an unseen one lowers the count', 'b', 'ac', 1],
    ['a seen one leaves it alone', 'a', 'bc', 2],
    ['one that is not there changes nothing', 'x', 'abc', 2],
  ])('deleting: %s [NOTIF-25 NOTIF-26]', (_, id, left, unseen) => {
    expect(ids(without(list, id))).toBe(left);
    expect(unseenIn(without(list, id))).toHaveLength(unseen);
  });

  test('what was marked here stays marked in a list that does not know it yet', () => {
    const known = [notice('a', { seen_at: at(1), actioned_at: at(2) }), notice('gone')];
    expect(withTimestampsOf(known, [notice('new'), notice('a')])).toEqual([notice('new'), known[0]]);
    const told = notice('a', { seen_at: at(0), actioned_at: at(0) });
    expect(withTimestampsOf(known, [told])).toEqual([told]);
  });

  test.each([
    ['its club', { club_slug: 'rowers', event_slug: 'run' }, '/app/clubs/rowers'],
    ['its event, when no club is named', { event_slug: 'run' }, '/app/events/run'],
    ['nowhere', { event_name: 'Run' }, undefined],
  ])('a click leads to %s [NOTIF-22 NOTIF-23]', (_, metadata, path) => {
    expect(pathOf(notice('a', { metadata }))).toBe(path);
  });
});

const wrapper = ({ children }: { children: ReactNode }) =>
  createElement(QueryClientProvider, { client: queryClient }, children);

/** What the server answers to a call, by its line; to any other it answers that it is broken. */
function serve(answers: Record<string, unknown>): string[] {
  server.answers = answers;
  server.asked = [];
  return server.asked;
}

async function opened(answers: Record<string, unknown>) {
  const asked = serve(answers);
  const { result } = renderHook(() => useInbox(), { wrapper });
  await waitFor(() => expect(result.current.fetching).toBe(false));
  return { asked, inbox: () => result.current };
}

describe('the inbox', () => {
  let warn = vi.spyOn(console, 'warn');
  beforeEach(() => {
    queryClient.clear();
    warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  });

  test('whoever opens the list has seen everything in it, at once and for good [NOTIF-18 NOTIF-19 BELL-12 TOAST-44]', async () => {
    const list = [notice('a'), notice('b'), notice('c', { seen_at: at(1) })];
    const { asked, inbox } = await opened({ 'GET notifications': list });
    expect(inbox().unseen).toBe(2);
    const { result, unmount } = renderHook(() => useSeen(inbox()), { wrapper });
    expect(inbox().unseen).toBe(0);
    expect([...result.current]).toEqual(['a', 'b']);
    await waitFor(() => expect(warn).toHaveBeenCalledTimes(2));
    expect(asked.slice(1)).toEqual(['POST notifications/a/seen', 'POST notifications/b/seen']);
    unmount();
    await act(() => queryClient.invalidateQueries());
    expect(inbox().unseen).toBe(0);
  });

  test('what comes afterwards is new until the list is opened again [WS-05]', async () => {
    const { asked, inbox } = await opened({ 'GET notifications': [notice('a', { seen_at: at(1) })] });
    renderHook(() => useSeen(inbox()), { wrapper });
    act(() => void receive(notice('b')));
    expect(ids(inbox().notifications)).toBe('ba');
    expect(inbox().unseen).toBe(1);
    expect(receive(notice('b'))).toBe(false);
    expect(asked).toHaveLength(1);
  });

  test('what comes while the list is on its way is not lost to an older list', async () => {
    const answers = { 'GET notifications': [notice('a')] };
    const { inbox } = await opened(answers);
    let reloaded: Promise<void> | undefined;
    act(() => {
      reloaded = queryClient.invalidateQueries();
      answers['GET notifications'] = [notice('b'), notice('a')];
      receive(notice('b'));
    });
    await act(async () => reloaded);
    await waitFor(() => expect(inbox().fetching).toBe(false));
    expect(ids(inbox().notifications)).toBe('ba');
  });

  test('a click marks it here even when the server cannot [NOTIF-20 NOTIF-21 TOAST-45]', async () => {
    const { asked, inbox } = await opened({ 'GET notifications': [notice('a')] });
    act(() => actUpon(notice('a')));
    expect(inbox().notifications[0]?.actioned_at).toBeTruthy();
    expect(asked).toContain('POST notifications/a/actioned');
    await waitFor(() => expect(warn).toHaveBeenCalledOnce());
  });

  test('what is deleted goes when the server says so, and stays when it cannot [NOTIF-25 TOAST-46]', async () => {
    const list = [notice('a'), notice('b')];
    const { inbox } = await opened({ 'GET notifications': list, 'DELETE notifications/a': null });
    await act(() => remove(notice('a')));
    expect(ids(inbox().notifications)).toBe('b');
    expect(inbox().unseen).toBe(1);
    await act(() => remove(notice('b')));
    expect(ids(inbox().notifications)).toBe('b');
    expect(warn).toHaveBeenCalledOnce();
  });

  test('clearing empties the list, or fails and leaves it [NOTIF-11]', async () => {
    const answers: Record<string, unknown> = { 'GET notifications': [notice('a')] };
    const { inbox } = await opened(answers);
    await expect(act(() => clear())).rejects.toThrow();
    expect(ids(inbox().notifications)).toBe('a');
    answers['DELETE notifications'] = null;
    await act(() => clear());
    expect(inbox().notifications).toEqual([]);
  });

  test('a list that cannot be loaded is only logged [TOAST-43]', async () => {
    const asked = serve({});
    const { result } = renderHook(() => useInbox(), { wrapper });
    await waitFor(() => expect(warn).toHaveBeenCalledOnce(), { timeout: 5000 });
    expect(result.current).toMatchObject({ notifications: [], unseen: 0, loading: false });
    expect(asked.length).toBeGreaterThan(0);
  });
});
