import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { InviteLink } from '#features/invites/contract.ts';
import { confirm, failure, field, press, renderPage, rowers, server, success } from '#test/render-page.tsx';
import { queries, queryClient } from '#web/queries.ts';
import { InviteDialog } from './InviteDialog.tsx';

const link: InviteLink = { id: 'id', invite_link: 'token', expires_at: '2099-06-28T12:00:00.000Z' };

function show(loaded?: InviteLink | null) {
  queryClient.setQueryData(queries.inviteLink(rowers.slug).queryKey, loaded);
  renderPage(<InviteDialog open onOpenChange={vi.fn()} club={rowers} />);
}
const promise = () => screen.queryByText('Anyone with this link can join Harbour Rowers.');

test('invite dialog: says who can join with a link', () => {
  show(link);
  expect(promise()).not.toBeNull();
});

test.each([
  ['has expired', { ...link, expires_at: '2020-01-01T00:00:00.000Z' }, 'Link expired'],
  ['does not exist', null, 'No invite link yet'],
  ['could not be loaded', undefined, "We couldn't load the invite link"],
] as const)('invite dialog: when the link %s, does not say who can join', async (_, loaded, shown) => {
  vi.stubGlobal('fetch', async () => failure(403));
  show(loaded);
  await screen.findByText(shown);
  expect(promise()).toBeNull();
});

test('invite dialog: opening it creates a link if there is none, unless another admin has just created one [FORMUX-05]', async () => {
  server.respond = () => success(link);
  show(null);
  await vi.waitFor(() => expect(field('Invite link').value).toMatch(/\/app\/club\/rowers\/token$/));
  expect(server.sent).toEqual([
    { call: 'POST /api/v1/invite-links', body: { club_id: 'id-of-rowers', if_none: true } },
  ]);
});

test('invite dialog: an expired link is shown as expired and not replaced by opening the dialog [FORMUX-05]', async () => {
  show({ ...link, expires_at: '2020-01-01T00:00:00.000Z' });
  await screen.findByText('Link expired');
  expect(server.sent).toEqual([]);
});

test('invite dialog: a link that is deleted in it is not created again before the button is pressed [FORMUX-05]', async () => {
  show(link);
  await press('Delete link');
  await confirm('Delete');
  await screen.findByText('No invite link yet');
  expect(server.sent.map(({ call }) => call)).toEqual(['DELETE /api/v1/invite-links/id']);
  server.respond = () => success(link);
  await press('Create invite link');
  await vi.waitFor(() => expect(field('Invite link')).toBeDefined());
  expect(server.sent).toHaveLength(2);
});
