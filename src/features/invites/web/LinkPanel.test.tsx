import { QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { queries, queryClient } from '#web/queries.ts';
import { toasts } from '#ui/toast.ts';
import { LinkPanel } from './LinkPanel.tsx';

/** The requests to the fake server, which refuses all of them. */
const sent: string[] = [];

const club = { id: 'id', slug: 'runners', club_name: 'Runners', ical_feed_url_id: 'secret' };
const link = { id: 'id-of-link', invite_link: 'token', expires_at: '2026-06-28T11:59:30.000Z' };

beforeEach(() => {
  sent.length = 0;
  vi.stubGlobal('fetch', async (address: string, { method = 'GET', body }: RequestInit = {}) => {
    sent.push([method, address, body].filter(Boolean).join(' '));
    return Response.json({ data: null, status: 403, error: 'not_admin' }, { status: 403 });
  });
  vi.useFakeTimers({ now: Date.parse('2026-06-21T12:00:00.000Z') });
  render(
    <QueryClientProvider client={queryClient}>
      <LinkPanel club={club} link={link} />
    </QueryClientProvider>,
  );
});
afterEach(() => void vi.useRealTimers());

const press = (name: string, container = document.body) =>
  act(async () => void fireEvent.click(within(container).getByRole('button', { name })));
const confirm = (name: string) => press(name, screen.getByRole('alertdialog'));
/** Waits for all responses, and returns the visible toast. */
const toastAfterResponse = async () => {
  await act(() => vi.advanceTimersByTimeAsync(10));
  return toasts().find(({ open }) => open);
};

test('invite link: the URL contains the slug of the club and the token [INVITEDLG-02 INVITEDLG-08]', () => {
  expect(screen.getByLabelText<HTMLInputElement>('Invite link').value).toBe(
    `${window.location.origin}/app/club/runners/token`,
  );
});

test('invite link: the remaining time counts down [INVITEDLG-03 INVITEDLG-05]', () => {
  expect(screen.getByText('6d 23h 59m')).toBeTruthy();
  act(() => vi.advanceTimersByTime(90 * 60_000));
  expect(screen.getByText('6d 22h 29m')).toBeTruthy();
});

test('invite link: an expired link shows a notice, cannot be copied or shared, and is replaced without a confirmation [INVITEDLG-04]', async () => {
  expect(screen.queryByText('Link expired')).toBeNull();
  act(() => vi.advanceTimersByTime(7 * 24 * 60 * 60_000));
  expect(screen.getByText('Link expired')).toBeTruthy();
  expect(screen.queryByLabelText('Invite link')).toBeNull();
  await press('Create new link');
  expect(sent).toEqual(['POST /api/v1/invite-links {"club_id":"id"}']);
});

test('invite link: shows an error when it cannot be created [TOAST-11]', async () => {
  await press('Replace link');
  expect(sent).toEqual([]);
  await confirm('Replace');
  expect(await toastAfterResponse()).toMatchObject({
    title: 'Failed to create invite link',
    text: 'Failed to create invite link, please try again later.',
  });
});

test('invite link: shows an error and loads the current link when it cannot be deleted [TOAST-12]', async () => {
  const { queryKey } = queries.inviteLink(club.slug);
  queryClient.setQueryData(queryKey, link);
  await press('Delete link');
  expect(sent).toEqual([]);
  await confirm('Delete');
  expect(await toastAfterResponse()).toMatchObject({
    title: 'Failed to delete invite link',
    text: 'Failed to delete invite link, please try again later.',
  });
  expect(sent).toEqual(['DELETE /api/v1/invite-links/id-of-link']);
  expect(queryClient.getQueryState(queryKey)?.isInvalidated).toBe(true);
  expect(screen.queryByRole('alertdialog')).toBeNull();
});
