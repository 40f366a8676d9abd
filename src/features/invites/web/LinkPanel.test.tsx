// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { queryClient } from '#web/queries.ts';
import { LinkPanel } from './LinkPanel.tsx';

const club = { id: 'id', slug: 'runners', club_name: 'Runners', ical_feed_url_id: 'secret' };
const link = { id: 'id', invite_link: 'token', expires_at: '2026-06-28T11:59:30.000Z' };

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-06-21T12:00:00.000Z') });
  render(
    <QueryClientProvider client={queryClient}>
      <LinkPanel club={club} link={link} />
    </QueryClientProvider>,
  );
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

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

test('invite link: an expired link shows a notice and cannot be copied or shared [INVITEDLG-04]', () => {
  expect(screen.queryByText('Link expired')).toBeNull();
  act(() => vi.advanceTimersByTime(7 * 24 * 60 * 60_000));
  expect(screen.getByText('Link expired')).toBeTruthy();
  expect(screen.queryByLabelText('Invite link')).toBeNull();
});
