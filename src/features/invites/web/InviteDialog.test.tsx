import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { InviteLink } from '#features/invites/contract.ts';
import { failure, renderPage, rowers } from '#test/render-page.tsx';
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
