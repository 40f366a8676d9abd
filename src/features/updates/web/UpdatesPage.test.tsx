import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { confirm, failure, news, renderPage, rowers, server } from '#test/render-page.tsx';
import UpdatesPage from './UpdatesPage.tsx';

// Positions the menu, which jsdom does not lay out.
beforeEach(
  () =>
    void vi.stubGlobal(
      'ResizeObserver',
      class {
        observe() {}
        disconnect() {}
      },
    ),
);

const member = { ...rowers, my_club_role: 0 as const };
const foreign = { ...news, id: 'id-of-foreign', content: 'By somebody else', creator_id: 'id-of-bob' };
const orphan = { ...news, id: 'id-of-orphan', content: 'By the deleted', creator_id: null };
const updates = [news, foreign, orphan];

const show = (club = rowers) =>
  renderPage(<UpdatesPage />, {
    route: '/app/clubs/:slug/updates',
    path: '/app/clubs/rowers/updates',
    club,
    updates,
  });
const change = (content: string) => {
  const article = screen.getAllByRole('article').find((each) => each.textContent?.includes(content));
  return within(article as HTMLElement).queryByRole('button', { name: 'Change this update' });
};
const choose = async (action: string) => {
  await userEvent.click(change(news.content) as HTMLElement);
  await userEvent.click(screen.getByRole('menuitem', { name: action }));
};

test('updates page: offers editing and deleting to the author and to admins only [UX-29]', () => {
  show();
  expect(updates.map(({ content }) => change(content) !== null)).toEqual([true, true, true]);
});

test('updates page: a member can change only their own updates [UX-29]', () => {
  show(member);
  expect(updates.map(({ content }) => change(content) !== null)).toEqual([true, false, false]);
});

test('updates page: editing opens the form of the update [UX-29]', async () => {
  const router = show();
  await choose('Edit');
  expect(router.state.location.pathname).toBe(`/app/clubs/rowers/updates/${news.id}/edit`);
});

test('updates page: deletes an update after a confirmation; the dialog shows an error if that fails [UX-29]', async () => {
  show();
  await choose('Delete');
  expect(server.sent).toEqual([]);
  await userEvent.click(screen.getByRole('button', { name: 'Keep update' }));
  expect(screen.queryByRole('alertdialog')).toBeNull();
  await choose('Delete');
  server.respond = () => failure(503);
  await confirm('Delete');
  expect((await screen.findByRole('alert')).textContent).toContain("The update wasn't deleted");
  expect(screen.queryByText(news.content)).not.toBeNull();
  server.respond = () => Response.json({ data: null, status: 200, error: null });
  await confirm('Delete');
  await waitFor(() => expect(screen.queryByText(news.content)).toBeNull());
  expect(server.sent.at(-1)?.call).toBe(`DELETE /api/v1/updates/rowers/${news.id}`);
  expect(await screen.findAllByRole('article')).toHaveLength(2);
});
