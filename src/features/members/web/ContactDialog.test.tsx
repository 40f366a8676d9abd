import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import ClubPage from '#features/clubs/web/ClubPage.tsx';
import { toasts } from '#ui/toast.ts';
import { ada, failure, press, renderPage, rowers, server, success } from '#test/render-page.tsx';

await import('./ContactDialog.tsx');

async function open(user = { ...ada, phone: '030 123456' }) {
  server.read = () => success({ phone_for: 'nobody' });
  renderPage(<ClubPage />, {
    route: '/app/clubs/:slug',
    path: '/app/clubs/rowers',
    club: { ...rowers, my_club_role: 0, is_planner: false },
    user,
  });
  await userEvent.click(screen.getByRole('button', { name: 'More actions' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Contact' }));
  return within(await screen.findByRole('dialog', { name: 'Contact' }));
}

beforeEach(() => {
  server.respond = (body) => success(body);
});

test("contact: 'Contact' in the menu of a club lets each member choose who sees their phone there [CONTACT-02]", async () => {
  const dialog = await open();
  expect((await dialog.findByRole<HTMLInputElement>('radio', { name: 'Nobody' })).checked).toBe(true);
  await userEvent.click(dialog.getByRole('radio', { name: /^Admins and hosts/ }));
  expect(server.sent).toEqual([]);
  await press('Save');
  expect(server.sent).toEqual([{ call: 'PUT /api/v1/clubs/rowers/contact', body: { phone_for: 'hosts' } }]);
  await vi.waitFor(() => expect(toasts().find(({ open }) => open)?.title).toBe('Saved'));
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('contact: a failed save keeps the choice, and says so [CONTACT-02]', async () => {
  server.respond = () => failure(500);
  const dialog = await open();
  await userEvent.click(await dialog.findByRole('radio', { name: 'All members' }));
  await press('Save');
  expect((await dialog.findByRole('alert')).textContent).toMatch(/^Your choice wasn't saved/);
  expect(dialog.getByRole<HTMLInputElement>('radio', { name: 'All members' }).checked).toBe(true);
});

test('contact: without a phone, the dialog leads to My Account [CONTACT-01]', async () => {
  const dialog = await open(ada);
  const link = await dialog.findByRole('link', { name: 'Add one' });
  expect(link.getAttribute('href')).toBe('/app/profile');
  await vi.waitFor(() => expect(dialog.getByRole('button', { name: 'Save' })).toBeTruthy());
});
