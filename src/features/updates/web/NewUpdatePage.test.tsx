import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { expectToast, field, fill, press, renderPage, rowers, server, success } from '#test/render-page.tsx';
import { queries, queryClient } from '#web/queries.ts';
import NewUpdatePage from './NewUpdatePage.tsx';

const show = (my_club_role: 0 | 100 | 200, organisers_plan: boolean | null = null) =>
  renderPage(<NewUpdatePage />, {
    route: '/app/clubs/:slug/new-update',
    path: '/app/clubs/rowers/new-update',
    club: { ...rowers, my_club_role, organisers_plan },
  });
const publish = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Publish' });

test.each([0, 100] as const)('publishing: is disabled for the role %i [UPDATENEW-06]', (role) => {
  show(role);
  expect([field('Content').disabled, publish().disabled]).toEqual([true, true]);
});

test('publishing: says beside the button that members get an email, only to admins [UPDATENEW-06 UX-28]', () => {
  const hint = /^Members get an email/;
  show(200);
  expect(screen.getByText(hint)).toBeDefined();
  cleanup();
  show(0);
  expect(screen.queryByText(hint)).toBeNull();
});

test('publishing: organisers publish where they plan [ROLE2-08]', async () => {
  server.respond = () => success({ id: 'id-of-update' }, 201);
  show(100, true);
  await fill('Content', 'Hear me!');
  await press('Publish');
  await expectToast('Update published!', 'Your club members will see this update.');
  expect(server.sent).toHaveLength(1);
});

test('publishing: shows an error to an admin who has just been demoted, and keeps the text [TOAST-39 UPDATENEW-06]', async () => {
  show(200);
  await fill('Content', 'Hear me!');
  server.respond = () => {
    const club = { ...rowers, my_club_role: 0 as const, is_planner: false };
    queryClient.setQueryData(queries.club('rowers').queryKey, club);
    return Response.json({ data: null, status: 403, error: 'not_admin' }, { status: 403 });
  };
  await press('Publish');
  await expectToast('Only admins can publish updates.', "You shouldn't even be here!");
  expect(server.sent).toEqual([
    {
      call: 'POST /api/v1/updates/rowers',
      body: { clubId: rowers.id, content: 'Hear me!', pictures: [] },
    },
  ]);
  await waitFor(() => expect(publish().disabled).toBe(true));
  expect(field('Content').value).toBe('Hear me!');
});

test.each([0, 100] as const)(
  'publishing: role %i sends nothing, even if the form is submitted without its button [TOAST-39]',
  async (role) => {
    show(role);
    fireEvent.submit(publish().closest('form') as HTMLFormElement);
    await expectToast('Only admins can publish updates.', "You shouldn't even be here!");
    expect(server.sent).toEqual([]);
  },
);

test('publishing: an empty update shows an error at its field, until something is written [UX-28]', async () => {
  show(200);
  server.respond = () => Response.json({ data: null, status: 400, error: 'bad_input' }, { status: 400 });
  await press('Publish');
  await expectToast('Error publishing update', 'Please try again.');
  expect(screen.getByText('Write something first.').getAttribute('role')).toBe('alert');
  expect(document.activeElement).toBe(field('Content'));
  await fill('Content', 'Mended');
  expect(screen.queryByText(/Write something first|wasn't published/)).toBeNull();
});
