// @vitest-environment jsdom
import { screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { failure, renderPage, success } from '#test/render-page.tsx';
import { CalendarDialog } from './CalendarDialog.tsx';

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000 - 1000).toISOString();

function show(feed: Parameters<typeof CalendarDialog>[0]['feed'], response: () => Response) {
  vi.stubGlobal('fetch', async (url: string) =>
    url.endsWith('/v1/users/feeds') ? response() : failure(404),
  );
  renderPage(<CalendarDialog open onOpenChange={() => {}} feed={feed} />, { route: '/app', path: '/app' });
}
const personal = { kind: 'personal', secret: 's' } as const;
const ofClub = { kind: 'club', club_id: 'c1', club_name: 'Rowers', secret: 's' } as const;
const fetches = [
  { club_id: 'c1', app: 'google', fetched_at: hoursAgo(3) },
  { club_id: null, app: 'outlook', fetched_at: hoursAgo(1) },
  { club_id: 'c1', app: 'apple', fetched_at: hoursAgo(49) },
];

test('calendar dialog: shows each app that fetches this calendar, when, and how often such apps come [RELAY-06]', async () => {
  show(ofClub, () => success(fetches));
  const list = await screen.findByRole('region', { name: 'Last fetched' });
  expect(
    within(list)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual([
    'Google · 3h agoUsually looks for changes every few hours, sometimes only once a day.',
    'Apple · 2d agoLooks for changes every 15 minutes to once a week, depending on its settings.',
  ]);
  expect(screen.queryByText('Not fetched yet')).toBeNull();
});

test('calendar dialog: the personal calendar shows only its own apps [RELAY-06]', async () => {
  show(personal, () => success(fetches));
  const list = await screen.findByRole('region', { name: 'Last fetched' });
  expect(within(list).getAllByRole('listitem')).toHaveLength(1);
  expect(list.textContent).toContain('Outlook · 1h ago');
});

test("calendar dialog: says 'Not fetched yet' when no app has come, and nothing about it without a response [RELAY-06]", async () => {
  show(personal, () => success(fetches.filter(({ club_id }) => club_id)));
  expect(await screen.findByText('Not fetched yet')).toBeTruthy();
  expect(screen.getByText(/up to a day/)).toBeTruthy();
});

test('calendar dialog: without a response, it says only how often apps come [RELAY-06]', async () => {
  show(personal, () => failure(500));
  expect(await screen.findByText(/up to a day/)).toBeTruthy();
  expect(screen.queryByText('Not fetched yet')).toBeNull();
});
