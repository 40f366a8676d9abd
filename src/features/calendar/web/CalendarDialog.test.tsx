import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { settings } from '#web/settings.ts';
import { useUser } from '#web/useSession.ts';
import { ada, expectToast, failure, field, press, renderPage, success } from '#test/render-page.tsx';
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

const ways = (dialog: HTMLElement) =>
  [...dialog.querySelectorAll('button, a, input[type=checkbox], p.font-semibold')].map(
    (each) => (each as HTMLInputElement).labels?.[0]?.textContent || each.textContent,
  );

test.each([
  [personal, {}],
  [ofClub, { club_id: 'c1' }],
] as const)(
  'calendar dialog: on Android it first offers to email the link, then invitations, then single events, and the three links below [CALUX-01]',
  async (feed, body) => {
    vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Mozilla/5.0 (Linux; Android 16)');
    settings.mailsInvitations = true;
    const sent: unknown[] = [];
    vi.stubGlobal('fetch', async (url: string, init: RequestInit = {}) => {
      if (init.method !== 'POST') return success([]);
      sent.push([new URL(url, 'http://muster.test').pathname, JSON.parse(String(init.body))]);
      return success(null);
    });
    renderPage(<CalendarDialog open onOpenChange={() => {}} feed={feed} />, { route: '/app', path: '/app' });
    const dialog = await screen.findByRole('dialog');
    expect(ways(dialog).slice(0, 6)).toEqual([
      'Email me the link for my computer',
      expect.stringMatching(/^Invitations by mail/),
      'Add once',
      expect.stringMatching(/^Google Calendar.*Works on a computer only\.$/),
      expect.stringMatching(/^Apple Calendar or OutlookFor an iPhone, Mac or PC$/),
      expect.stringMatching(/^Microsoft 365/),
    ]);
    expect(screen.getAllByText(/^Invitations by mail/)).toHaveLength(1);
    expect(dialog.textContent).not.toContain("this device's calendar");
    await press('Email me the link for my computer');
    await expectToast('Link sent', 'Open the email to ada@example.org on your computer.');
    expect(sent).toEqual([['/api/v1/users/ical/email', body]]);
    delete settings.mailsInvitations;
  },
);

test('calendar dialog: on Android it says if the link could not be emailed, and on other devices it offers no email [CALUX-01]', async () => {
  const agent = vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Mozilla/5.0 (Linux; Android 16)');
  vi.stubGlobal('fetch', async () => failure(500));
  renderPage(<CalendarDialog open onOpenChange={() => {}} feed={personal} />);
  await press('Email me the link for my computer');
  await expectToast("The link wasn't sent", 'An unexpected error occurred');
  cleanup();
  agent.mockReturnValue('iPhone');
  renderPage(<CalendarDialog open onOpenChange={() => {}} feed={personal} />);
  await screen.findByRole('dialog');
  expect(screen.queryByText('Email me the link for my computer')).toBeNull();
});
