import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { settings } from '#web/settings.ts';
import { useUser } from '#web/useSession.ts';
import { ada, failure, field, press, renderPage, success } from '#test/render-page.tsx';
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

test('calendar dialog: shows each app that fetches this calendar, its last fetch and how often such apps fetch [RELAY-06]', async () => {
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

test("calendar dialog: shows 'Not fetched yet' if no app has fetched the calendar [RELAY-06]", async () => {
  show(personal, () => success(fetches.filter(({ club_id }) => club_id)));
  expect(await screen.findByText('Not fetched yet')).toBeTruthy();
  expect(screen.getByText(/up to a day/)).toBeTruthy();
});

test('calendar dialog: without a response, shows only how often apps fetch [RELAY-06]', async () => {
  show(personal, () => failure(500));
  expect(await screen.findByText(/up to a day/)).toBeTruthy();
  expect(screen.queryByText('Not fetched yet')).toBeNull();
});

test('calendar dialog: does not offer invitations if the operator has not set an organizer address [RELAY-10]', async () => {
  show(personal, () => success([]));
  await screen.findByText('Not fetched yet');
  expect(screen.queryByLabelText(/Invitations by mail/)).toBeNull();
});

const MyCalendar = () => (
  <CalendarDialog
    open
    onOpenChange={() => {}}
    feed={{ kind: 'personal', secret: useUser().ical_feed_url_id }}
  />
);

test('calendar dialog: replaces the link after a confirmation, sends whether the old link leaked, and shows the new link', async () => {
  const sent: unknown[] = [];
  let user = ada;
  vi.stubGlobal('fetch', async (url: string, { body }: RequestInit = {}) => {
    if (!body) return url.endsWith('/v1/users') ? success(user) : success([]);
    sent.push(JSON.parse(String(body)));
    user = { ...user, ical_feed_url_id: `secret-${sent.length}` };
    return success({ ical_feed_url_id: user.ical_feed_url_id });
  });
  renderPage(<MyCalendar />, { route: '/app', path: '/app' });
  for (const [replaced, leaked] of [true, false].entries()) {
    await press('Replace link');
    const asking = within(await screen.findByRole('alertdialog', { name: 'Replace this link?' }));
    const itLeaked = asking.getByRole<HTMLInputElement>('checkbox', { name: /^Someone else has this link/ });
    expect(itLeaked.checked).toBe(false);
    if (leaked) fireEvent.click(itLeaked);
    fireEvent.click(asking.getByRole('button', { name: 'Replace link' }));
    await waitFor(() => expect(field('Copy link').value).toContain(`/secret-${replaced + 1}/`));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  }
  expect(sent).toEqual([{ leaked: true }, { leaked: false }]);
});

const box = () => screen.getByLabelText<HTMLInputElement>(/Invitations by mail/);
const question = () => screen.findByRole('alertdialog', { name: 'You would see these events twice' });
test('calendar dialog: invitations are off by default, and need a confirmation while an app fetches a feed [RELAY-10 RELAY-11]', async () => {
  const sent: unknown[] = [];
  let user = ada;
  vi.stubGlobal('fetch', async (url: string, { method, body }: RequestInit = {}) => {
    if (method !== 'PUT') return url.endsWith('/v1/users') ? success(user) : success([]);
    const choice = JSON.parse(String(body)) as { invites_by_mail: boolean; confirmed?: boolean };
    sent.push([new URL(url, 'http://muster.test').pathname, choice]);
    if (choice.invites_by_mail && !choice.confirmed)
      return Response.json({ data: null, status: 409, error: 'feed_in_use' }, { status: 409 });
    user = { ...user, invites_by_mail: choice.invites_by_mail };
    return success(choice);
  });
  settings.mailsInvitations = true;
  renderPage(<CalendarDialog open onOpenChange={() => {}} feed={personal} />, {
    route: '/app',
    path: '/app',
  });
  expect(box().checked).toBe(false);
  fireEvent.click(box());
  fireEvent.click(within(await question()).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(box().checked).toBe(false));
  fireEvent.click(box());
  fireEvent.click(within(await question()).getByRole('button', { name: 'Get both' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  await waitFor(() => expect(box().checked).toBe(true));
  fireEvent.click(box());
  await waitFor(() => expect(box().checked).toBe(false));
  const path = '/api/v1/users/calendar';
  expect(sent).toEqual([
    [path, { invites_by_mail: true }],
    [path, { invites_by_mail: true }],
    [path, { invites_by_mail: true, confirmed: true }],
    [path, { invites_by_mail: false }],
  ]);
  delete settings.mailsInvitations;
});
