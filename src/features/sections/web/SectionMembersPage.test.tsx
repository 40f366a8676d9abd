import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { MemberForAdmin } from '#features/members/contract.ts';
import { failure, press, renderPage, rowers, server, success } from '#test/render-page.tsx';
import { toasts } from '#ui/toast.ts';
import SectionMembersPage from './SectionMembersPage.tsx';

const person = (first_name: string, ...section_ids: string[]): MemberForAdmin => ({
  id: `id-of-${first_name.toLowerCase()}`,
  first_name,
  last_name: '',
  profile_picture_url: null,
  club_role: 0,
  section_ids,
  user_name: '',
  email: `${first_name}@example.org`,
  email_refused: false,
  club_name: 'Harbour Rowers',
});

function show(section: string) {
  const members = [person('Ada', 'id-of-tenor'), person('Bob'), person('Cyd', 'id-of-bass', 'id-of-tenor')];
  server.read = (path) => {
    if (path.endsWith('/sections')) return success([{ id: 'id-of-tenor', name: 'Tenor', members: 2 }]);
    return path.includes('/admin/') ? success({ members, more: null }) : failure(404);
  };
  renderPage(<SectionMembersPage />, {
    route: '/app/clubs/:slug/sections/:section',
    path: `/app/clubs/rowers/sections/${section}`,
    club: rowers,
  });
}

const box = (name: RegExp) => screen.findByRole<HTMLInputElement>('checkbox', { name });

test('members of a section: are ticked, and only changed boxes are saved [SECT-02]', async () => {
  show('id-of-tenor');
  expect([(await box(/Ada/)).checked, (await box(/Bob/)).checked, (await box(/Cyd/)).checked]).toEqual([
    true,
    false,
    true,
  ]);
  await userEvent.click(await box(/Bob/));
  await userEvent.click(await box(/Cyd/));
  server.respond = () => failure(500);
  await press('Save');
  expect(await screen.findByText("The members weren't saved")).toBeDefined();
  expect((await box(/Bob/)).checked).toBe(true);
  server.respond = () => success({ members: 2 });
  await press('Save');
  await vi.waitFor(() => expect(toasts().find(({ open }) => open)).toMatchObject({ title: 'Members saved' }));
  const saved = {
    call: 'PUT /api/v1/clubs/rowers/sections/id-of-tenor/members',
    body: { add: ['id-of-bob'], remove: ['id-of-cyd'] },
  };
  await waitFor(() => expect(server.sent).toEqual([saved, saved]));
});

test('members of a section: that was removed leads to the others [SECT-02]', async () => {
  show('id-of-alto');
  expect(await screen.findByText('This section was removed')).toBeDefined();
  expect(screen.getByRole('link', { name: 'Go to the sections' }).getAttribute('href')).toBe(
    '/app/clubs/rowers/sections',
  );
});
