import { act, configure, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { Club } from '#features/clubs/contract.ts';
import { toasts } from '#ui/toast.ts';
import { queries, queryClient } from '#web/queries.ts';
import { ada, expectToast, failure, press, renderPage, rowers, server } from '#test/render-page.tsx';
import ClubPage from './ClubPage.tsx';

// Importing a dialog for the first time takes long on a busy machine.
configure({ asyncUtilTimeout: 10_000 });

const open = { invited: false, calendar_added: false };
const show = (club: Partial<Club>) =>
  renderPage(<ClubPage />, {
    route: '/app/clubs/:slug',
    path: '/app/clubs/rowers',
    club: { ...rowers, first_steps: open, ...club },
  });
const steps = () => screen.queryByRole('region', { name: 'First steps' });
const done = () =>
  within(steps() as HTMLElement)
    .getAllByRole('listitem')
    .filter((item) => item.textContent?.includes('(done)'))
    .map((item) => item.textContent?.replace(' (done)', ''));
const change = (first_steps: string | null) => ({
  call: 'PUT /api/v1/clubs/rowers/first-steps',
  body: { first_steps },
});

test.each<[string, Partial<Club>, string[]]>([
  ['nothing yet', {}, []],
  ['an invite link', { first_steps: { ...open, invited: true } }, ['Invite someone']],
  ['a second member', { member_count: 2 }, ['Invite someone']],
  ['an event', { event_count: 1 }, ['Plan an event']],
  ['an added calendar', { first_steps: { ...open, calendar_added: true } }, ['Add the calendar']],
])('first steps: a club with %s has exactly the matching steps ticked off [UX-27]', (_, club, expected) => {
  show(club);
  expect(within(steps() as HTMLElement).getAllByRole('listitem')).toHaveLength(3);
  expect(done()).toEqual(expected);
  expect(server.sent).toEqual([]);
});

test.each<[string, 0 | 200, Club['first_steps']]>([
  ['a member', 0, open],
  ['an admin who did not found the club or has hidden the steps', 200, null],
])('first steps: are not shown to %s [UX-27]', (_, club_role, first_steps) => {
  show({ my_club_role: club_role, members: [{ ...ada, club_role, section_ids: [] }], first_steps });
  expect(steps()).toBeNull();
});

test('first steps: the button of each step opens its form or dialog [UX-27]', async () => {
  show({});
  const list = within(steps() as HTMLElement);
  expect(list.getByRole('link', { name: 'Plan' }).getAttribute('href')).toBe('/app/rowers/new-event');
  await press('Invite');
  await screen.findByRole('dialog', { name: 'Invite members' });
  await press('Close');
  await press('Add');
  await screen.findByRole('dialog', { name: 'Club Calendar' });
  screen.getByRole('link', { name: /^Microsoft 365/ }).click();
  // The dialog creates the invite link.
  const invited = { call: 'POST /api/v1/invite-links', body: { club_id: rowers.id, if_none: true } };
  await vi.waitFor(() => expect(server.sent).toEqual([invited, change('calendar_added')]));
  expect(done()).toEqual(['Add the calendar']);
});

const suggestionCount = () => screen.queryAllByText(/Plan your first event|Invite your members/).length;

test('first steps: "Hide" removes the steps, and the empty lists offer the missing steps instead [UX-27]', async () => {
  show({});
  expect(suggestionCount()).toBe(0);
  await press('Hide');
  await vi.waitFor(() => expect(steps()).toBeNull());
  expect(suggestionCount()).toBe(2);
  expect(server.sent).toEqual([change(null)]);
});

test('first steps: reappear if hiding them fails [UX-27]', async () => {
  server.respond = () => failure(500);
  show({});
  await press('Hide');
  await expectToast("The first steps weren't updated", 'An unexpected error occurred');
  expect(steps()).not.toBeNull();
});

test.each<[string, number, number, boolean]>([
  ['disappear after 14 days if there are other members and an event', 15, 2, true],
  ['stay for 14 days if there are other members and an event', 13, 2, false],
  ['stay after 14 days if there are no other members', 15, 1, false],
])('first steps: %s', async (_, days, member_count, isGone) => {
  const created_at = new Date(Date.now() - days * 86_400_000).toISOString() as Club['created_at'];
  show({ created_at, member_count, event_count: 1 });
  expect(steps() === null).toBe(isGone);
  await vi.waitFor(() => expect(server.sent).toEqual(isGone ? [change(null)] : []));
});

test('first steps: that are all done are hidden once per visit, without a message, while the server refuses it [UX-27]', async () => {
  server.respond = () => failure(403);
  const complete = { member_count: 2, event_count: 1, first_steps: { ...open, calendar_added: true } };
  show(complete);
  await vi.waitFor(() => expect(server.sent).toEqual([change(null)]));
  // A later change of the club renders the page after the response.
  act(
    () =>
      void queryClient.setQueryData(queries.club('rowers').queryKey, {
        ...rowers,
        ...complete,
        location_name: 'Pier 4',
      }),
  );
  await screen.findByText('Pier 4');
  expect(server.sent).toEqual([change(null)]);
  expect(toasts().filter((toast) => toast.open)).toEqual([]);
  expect(steps()).toBeNull();
});

test('first steps: are gone for good when all are done [UX-27]', async () => {
  show({ member_count: 2, event_count: 1, first_steps: { ...open, calendar_added: true } });
  expect(steps()).toBeNull();
  await vi.waitFor(() => expect(server.sent).toEqual([change(null)]));
});
