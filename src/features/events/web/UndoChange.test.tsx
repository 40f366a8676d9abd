import { act, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { Event } from '#features/events/contract.ts';
import { expectToast, press, renderPage, run, server, success } from '#test/render-page.tsx';
import { queries, queryClient } from '#web/queries.ts';
import EventPage from '#features/events/pages/web/EventPage.tsx';

await import('#features/events/web/UndoChange.tsx');

const undo = { change: 'id-of-change', seconds: 52 };

const show = (event: Partial<Event>) =>
  renderPage(<EventPage />, {
    route: '/app/events/:slug',
    path: '/app/events/tuesday-run',
    event: { ...run, ...event },
  });
const button = () => screen.queryByRole('button', { name: 'Undo' });

test('undo: the author of a change sees the button and the seconds left until the time has run out [HIST-04]', async () => {
  vi.useFakeTimers();
  try {
    show({ undo });
    await act(async () => {});
    expect(button()).not.toBeNull();
    expect(screen.getByRole('timer').textContent).toBe('52 seconds left');
    act(() => void vi.advanceTimersByTime(51_000));
    expect(screen.getByRole('timer').textContent).toBe('1 second left');
    act(() => void vi.advanceTimersByTime(1000));
    expect(button()).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});

test('undo: is not offered without a change to undo [HIST-04]', () => {
  show({ undo: null });
  expect(button()).toBeNull();
});

test('undo: says that the change was undone, and keeps the focus', async () => {
  show({ undo });
  server.respond = () => success('tuesday-run');
  await press('Undo');
  expect(server.sent).toEqual([
    { call: 'POST /api/v1/events/tuesday-run/undo', body: { change: 'id-of-change' } },
  ]);
  queryClient.setQueryData(queries.event('tuesday-run').queryKey, { ...run, undo: null });
  const done = await screen.findByText('Your change is undone.');
  expect(document.activeElement?.contains(done)).toBe(true);
  expect(button()).toBeNull();
});

test('undo: says why the change could not be undone', async () => {
  show({ undo });
  server.respond = () => Response.json({ data: null, status: 409, error: 'too_late' }, { status: 409 });
  await press('Undo');
  await expectToast("Your change wasn't undone", "This change can't be undone any more.");
});
