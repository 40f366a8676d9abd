import { act, render, screen } from '@testing-library/react';
import { useQuery } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { queries, queryClient } from '#web/queries.ts';
import { ada, renderPage, rowers } from '#test/render-page.tsx';
import { OfflineBanner } from './OfflineBanner.tsx';

const at = (hour: number, minute: number, daysAgo = 0) =>
  new Date(2026, 5, 21 - daysAgo, hour, minute).getTime();
const notice = () => screen.getByRole('status').textContent;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: at(18, 30) });
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
});
afterEach(() => void vi.useRealTimers());

function Page() {
  useQuery({ ...queries.user(), staleTime: 'static' });
  useQuery({ ...queries.club('rowers'), staleTime: 'static' });
  return <OfflineBanner />;
}

test.each([
  [0, 'Offline, as of 2:05 pm'],
  [3, 'Offline, as of Thu 18 Jun, 2:05 pm'],
])(
  'offline banner: shows the time of the oldest data on the screen, which is %i days old [UX-33]',
  async (days, said) => {
    renderPage(<Page />);
    await act(async () => {
      queryClient.setQueryData(queries.user().queryKey, ada, { updatedAt: at(18, 20) });
      queryClient.setQueryData(queries.club('rowers').queryKey, rowers, { updatedAt: at(14, 5, days) });
    });
    expect(notice()).toBe(said);
  },
);

test('offline banner: says only that the device is offline if the screen shows no data, and nothing if the device is online', async () => {
  render(<OfflineBanner />);
  expect(notice()).toBe("You're offline.");
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(true);
  act(() => void window.dispatchEvent(new Event('online')));
  expect(notice()).toBe('');
});
