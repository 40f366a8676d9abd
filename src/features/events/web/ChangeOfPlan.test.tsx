import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { Event } from '#features/events/contract.ts';
import type { ClubRole } from '#features/users/contract.ts';
import {
  ada,
  expectToast,
  field,
  fill,
  press,
  renderPage,
  run,
  server,
  success,
} from '#test/render-page.tsx';
import EventPage from '#features/events/pages/web/EventPage.tsx';

await import('./ChangeOfPlanDialog.tsx');

const asHost = { my_role: 'organiser', my_answer: 'going' } as const;
const audience = { followers: 31, declined: 3 };

async function open(event: Partial<Event>, club_role: ClubRole = 200) {
  const router = renderPage(<EventPage />, {
    route: '/app/events/:slug',
    path: '/app/events/tuesday-run',
    user: { ...ada, clubs: ada.clubs.map((club) => ({ ...club, club_role })) },
    event: { ...run, audience, ...event },
  });
  await press('Change of plan');
  await screen.findByRole('dialog', { name: 'Change of plan' });
  return router;
}
const choices = () =>
  within(screen.getByRole('group', { name: 'What changes?' }))
    .getAllByRole<HTMLInputElement>('radio')
    .map((radio) => `${radio.closest('label')?.textContent}${radio.disabled ? ' (disabled)' : ''}`);
const choose = async (name: string) => userEvent.click(screen.getByRole('radio', { name }));
const asks = () =>
  screen.queryByRole<HTMLInputElement>('checkbox', { name: 'Ask everyone to confirm' })?.checked;
const recipientCount = () => screen.getByText(/get an email/).textContent;

test.each<[who: string, role: ClubRole, event: Partial<Event>, shown: string[]]>([
  ['an admin who is the host', 200, asHost, ['New time', 'New place', 'Cancel it']],
  ['an admin who is not the host', 200, {}, ['New time', 'New place', 'Cancel it (disabled)']],
  ['a host who is not an admin', 0, asHost, ['Cancel it']],
])(
  'change of plan: admins can change time and place, only the host can cancel (viewer: %s) [CALL-01]',
  async (_, role, event, shown) => {
    await open(event, role);
    expect(choices()).toEqual(shown);
    const dialog = within(screen.getByRole('dialog'));
    expect(dialog.queryByText('Only a host can cancel') !== null).toBe(!event.my_role);
    expect(dialog.queryByRole('button', { name: 'Take over as host' }) !== null).toBe(!event.my_role);
  },
);

test.each<[why: string, role: ClubRole, event: Partial<Event>]>([
  ['to members', 100, {}],
  ['after the end', 200, { ...asHost, end_time: '2026-01-01T00:00:00.000Z' }],
  ['for a cancelled event', 200, { ...asHost, deleted_at: run.start_time }],
])('change of plan: not offered %s [CALL-01]', (_, role, event) => {
  renderPage(<EventPage />, {
    route: '/app/events/:slug',
    path: '/app/events/tuesday-run',
    user: { ...ada, clubs: ada.clubs.map((club) => ({ ...club, club_role: role })) },
    event: { ...run, ...event },
  });
  expect(screen.queryByRole('button', { name: 'Change of plan' })).toBeNull();
});

test('change of plan: shows how many people get an email, and by default asks them to confirm a new time, but not a new place [CALL-03]', async () => {
  await open(asHost);
  expect([asks(), recipientCount()]).toEqual([true, '34 people get an email']);
  await choose('New place');
  expect([asks(), recipientCount()]).toEqual([false, '31 people get an email']);
  await choose('Cancel it');
  expect([asks(), recipientCount()]).toEqual([undefined, '31 people get an email']);
  await choose('New time');
  await userEvent.click(screen.getByRole('checkbox', { name: 'Ask everyone to confirm' }));
  expect([asks(), recipientCount()]).toEqual([false, '31 people get an email']);
});

test('change of plan: a new start is sent with reason and words [CALL-02]', async () => {
  await open(asHost);
  await press('Send');
  expect((await screen.findByRole('dialog')).textContent).toContain('Choose another start.');
  expect(server.sent).toEqual([]);
  await fill('New start', '9.6.2099 19:30');
  for (const reason of ['Weather', 'Venue', 'Illness', 'Too few people', 'Other', 'Weather'])
    await press(reason);
  await fill('Message to everyone', 'Rain all day');
  server.respond = () => success('tuesday-run');
  await press('Send');
  await expectToast('Success', 'You have updated this event');
  expect(server.sent).toEqual([
    {
      call: 'PUT /api/v1/events/tuesday-run/edit/id-of-rowers',
      body: {
        start_time: '2099-06-09T19:30:00.000Z',
        reason: 'weather',
        words: 'Rain all day',
        ask_again: true,
      },
    },
  ]);
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('change of plan: a new place is sent without asking people to confirm, and the input stays after a failure', async () => {
  await open(asHost);
  await choose('New place');
  await fill('New place', 'Hall');
  server.respond = () => Response.json({ data: null, status: 500, error: 'broken' }, { status: 500 });
  await press('Send');
  await screen.findByText("It wasn't sent");
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'New place' }).value).toBe('Hall');
  expect(server.sent).toMatchObject([{ body: { location_name: 'Hall', words: '', ask_again: false } }]);
});

test("change of plan: 'Cancel it' cancels the event with the chosen reason [CALL-02]", async () => {
  await open(asHost, 0);
  await press('Too few people');
  server.respond = () => success({ slug: 'tuesday-run' });
  const dialog = within(screen.getByRole('dialog'));
  await userEvent.click(dialog.getByRole('button', { name: 'Cancel Event' }));
  await expectToast('Event cancelled', 'you have cancelled the event.');
  expect(server.sent).toEqual([
    { call: 'DELETE /api/v1/events/tuesday-run/cancel', body: { reason: 'too_few', words: '' } },
  ]);
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('change of plan: what was typed is there when the dialog opens again, and never a cancellation by itself [FORMUX-03]', async () => {
  await open(asHost);
  await choose('New place');
  await fill('New place', 'Hall');
  await fill('Message to everyone', 'The pier is closed');
  await choose('Cancel it');
  cleanup();
  await open(asHost);
  expect(screen.getByText(/^Your draft from/)).toBeDefined();
  expect(screen.getByRole<HTMLInputElement>('radio', { name: 'New place' }).checked).toBe(true);
  expect([field('New place').value, field('Message to everyone').value]).toEqual([
    'Hall',
    'The pier is closed',
  ]);
  server.respond = () => success('tuesday-run');
  await press('Send');
  await vi.waitFor(() => expect(localStorage.getItem('drafts')).toBeNull());
});

test('change of plan: of an event with a time poll, the place can change but not the time, and nobody is asked to confirm [CALL-01 CALL-03]', async () => {
  await open({ ...asHost, polling: true });
  expect(choices()).toEqual(['New time (disabled)', 'New place', 'Cancel it']);
  expect(screen.getByRole<HTMLInputElement>('radio', { name: 'New place' }).checked).toBe(true);
  expect(asks()).toBeUndefined();
});
