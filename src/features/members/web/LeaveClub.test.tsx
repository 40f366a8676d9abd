import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { confirm, expectToast, failure, press, renderPage, rowers, server } from '#test/render-page.tsx';
import { LeaveClub } from './LeaveClub.tsx';

const dialog = () => screen.queryByRole('alertdialog', { name: 'Leave this club?' });
const question = 'Are you sure you want to leave Harbour Rowers? This cannot be undone.';

async function leave() {
  const router = renderPage(<LeaveClub club={rowers} />);
  await press('Leave club');
  expect((await screen.findByRole('alertdialog', { name: 'Leave this club?' })).textContent).toContain(
    question,
  );
  return router;
}

test('leave: leaves the club after a confirmation and opens the home page [CLUB-21 CLUB-23 CLUB-24 CLUB-25 CLUB-26 TOAST-09 TOAST-10 API-18]', async () => {
  const router = await leave();
  await confirm('Cancel');
  expect(dialog()).toBeNull();
  expect(server.sent).toEqual([]);
  await press('Leave club');
  await confirm('Leave');
  expect(server.sent).toMatchObject([{ call: 'PUT /api/v1/clubs/rowers/leave' }]);
  await expectToast('You have left', 'You are no longer part of this club and have left all related events');
  expect(dialog()).toBeNull();
  await vi.waitFor(() => expect(router.state.location.pathname).toBe('/app'));
});

test('leave: 400 shows the toast for the only admin and closes the dialog [CLUB-27 TOAST-07 TOAST-08]', async () => {
  server.respond = () => failure(400);
  const router = await leave();
  await confirm('Leave');
  await expectToast(
    'Permission denied',
    'You cannot perform this action, you are the only admin left in the club.',
  );
  expect(dialog()).toBeNull();
  expect(router.state.location.pathname).toBe('/page');
});

test('leave: any other failure shows an error and keeps the dialog open', async () => {
  server.respond = () => failure(500);
  await leave();
  await confirm('Leave');
  await expectToast("You haven't left the club", 'An unexpected error occurred');
  expect(dialog()).not.toBeNull();
});
