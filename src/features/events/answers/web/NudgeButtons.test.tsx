import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import EventPage from '#features/events/pages/web/EventPage.tsx';
import type { Event } from '#features/events/contract.ts';
import { addSeconds, instant } from '#wire/instant.ts';
import { toasts } from '#ui/toast.ts';
import { ada, press, renderPage, run, server, success } from '#test/render-page.tsx';

const bob = { ...ada, attendee_id: 'id-of-bob', attendee_role: 'attendee', guests: 0 } as const;
const now = instant(Date.now());
const hoursAgo = (hours: number) => addSeconds(now, -hours * 3600);
const nudged = (times: number, hours: number): Partial<Event> => ({
  nudged: [{ list: 'silent', times, last_at: hoursAgo(hours) }],
});

const show = (event: Partial<Event>) =>
  renderPage(<EventPage />, {
    route: '/app/events/:slug',
    path: '/app/events/tuesday-run',
    event: { ...run, my_role: 'organiser', my_answer: 'going', ...event },
  });
const open = async (event: Partial<Event>) => {
  show(event);
  await press('Nudge');
  await vi.waitFor(() => expect(document.querySelector('.animate-pulse')).toBeNull());
};
const button = (name: string) => screen.queryByRole<HTMLButtonElement>('button', { name });
const describedAs = (name: string) =>
  button(name)
    ?.getAttribute('aria-describedby')
    ?.split(' ')
    .map((id) => document.getElementById(id)?.textContent)
    .filter(Boolean);

test('nudge: the buttons show how many members they reach, not counting the viewer, and when they were last pressed, and how many people get an email [NUDGE-03 HOSTUX-05]', async () => {
  await open({ silent_count: 12, maybe: [bob], maybe_count: 1, ...nudged(1, 50) });
  expect(describedAs('Nudge 12')).toEqual([
    "12 haven't answered",
    'Last nudged 2d ago. 12 people get an email.',
  ]);
  expect(describedAs('Nudge 1')).toEqual(['1 said maybe', '1 person gets an email.']);
  server.respond = () => success({ nudged: 12 });
  await press('Nudge 12');
  expect(server.sent).toEqual([{ call: 'POST /api/v1/events/tuesday-run/nudge', body: { to: 'silent' } }]);
  await vi.waitFor(() => expect(toasts().find(({ open }) => open)?.title).toBe('12 members were nudged'));
});

test('nudge: reaches the members who have not confirmed, not counting the viewer [CALL-10]', async () => {
  await open({
    user_count: 3,
    waiting_count: 2,
    maybe: [bob],
    maybe_count: 1,
    confirmed_count: 2,
    must_confirm: true,
  });
  expect(describedAs('Nudge 3')).toEqual(["4 haven't confirmed", '3 people get an email.']);
  server.respond = () => success({ nudged: 3 });
  await press('Nudge 3');
  expect(server.sent).toEqual([
    { call: 'POST /api/v1/events/tuesday-run/nudge', body: { to: 'unconfirmed' } },
  ]);
});

test('nudge: the button does not count a viewer who has not answered, but the sentence and the link do [NUDGE-03 HOSTUX-04]', async () => {
  await open({ my_role: null, my_answer: null, silent_count: 3 });
  expect(button('Nudge 2')?.disabled).toBe(false);
  expect(describedAs('Nudge 2')).toEqual(["3 haven't answered", '2 people get an email.']);
  expect(screen.getByRole('link', { name: '3 no answer' })).toBeDefined();
});

test.each([
  ['only the viewer has not answered', { my_role: null, my_answer: null, silent_count: 1 }],
  ['everybody has answered', { silent_count: 0 }],
  ['the event is cancelled', { silent_count: 3, deleted_at: hoursAgo(1) }],
  ['the event is over', { silent_count: 3, start_time: hoursAgo(3), end_time: hoursAgo(1) }],
] as const)('nudge: there is no button when %s [NUDGE-03]', (_when, event) => {
  show(event);
  expect(screen.queryByRole('button', { name: /^Nudge/ })).toBeNull();
});

test.each([
  ['the last nudge was two hours ago', nudged(1, 2), /^Last nudged 2h ago. You can nudge again .+ [ap]m.$/],
  ['members were nudged three times', nudged(3, 30), /^Last nudged 1d ago. You have used all 3 nudges.$/],
  ['sign-up has closed', { entry_until_time: hoursAgo(1) }, /^Sign-up has closed.$/],
] as const)(
  'nudge: the button is disabled and shows the reason when %s [NUDGE-03]',
  async (_when, event, reason) => {
    await open({ silent_count: 3, ...event });
    expect(button('Nudge 3')?.disabled).toBe(true);
    expect(describedAs('Nudge 3')?.at(-1)).toMatch(reason);
  },
);

test('nudge: members who do not run the event see no button', () => {
  show({ my_role: null, silent_count: 3, owner_club_id: 'another club' });
  expect(screen.queryByRole('button', { name: /^Nudge/ })).toBeNull();
});

test('nudge: a failure is shown beside the button', async () => {
  await open({ silent_count: 3 });
  server.respond = () =>
    Response.json({ data: null, status: 409, error: 'nudged_enough', message: 'x' }, { status: 409 });
  await press('Nudge 3');
  await screen.findByText('Members have been nudged three times for this event.');
});

test('nudge: a list that was nudged two hours ago does not keep another list from being nudged [HOSTUX-05]', async () => {
  await open({ silent_count: 3, maybe: [bob], maybe_count: 1, ...nudged(1, 2) });
  expect(button('Nudge 3')?.disabled).toBe(true);
  expect(button('Nudge 1')?.disabled).toBe(false);
});
