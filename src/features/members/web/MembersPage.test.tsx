import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Club } from '#features/clubs/contract.ts';
import type { ClubRole } from '#features/users/contract.ts';
import { ada, expectToast, failure, press, renderPage, rowers, server, success } from '#test/render-page.tsx';
import { toasts } from '#ui/toast.ts';
import MembersPage from './MembersPage.tsx';

const person = (first_name: string, club_role: ClubRole) => ({
  ...ada,
  id: `id-of-${first_name.toLowerCase()}`,
  first_name,
  club_role,
});
const club: Club = {
  ...rowers,
  members: [person('Ada', 200), person('Olga', 100), person('Bob', 0)],
  member_count: 3,
};
const question = 'Let organisers plan events and publish updates?';

beforeEach(() => {
  vi.stubGlobal('matchMedia', () => ({ matches: true, addEventListener() {}, removeEventListener() {} }));
});

/** Shows the page of a club that the fake server stores. */
function show(part: Partial<Club> = {}) {
  let stored = { ...club, ...part };
  server.read = (path) =>
    success(path.includes('/admin/') ? { members: [], more: null } : path.includes('/clubs/') ? stored : ada);
  server.respond = (body) => {
    stored = { ...stored, ...(body as Partial<Club>), version: stored.version + 1 };
    return success({ id: club.id, slug: club.slug, club_name: club.club_name, version: stored.version });
  };
  return renderPage(<MembersPage />, {
    route: '/app/clubs/:slug/members',
    path: '/app/clubs/rowers/members',
    club: stored,
  });
}

test.each([
  ['Yes', true],
  ['No', false],
])(
  'members page: asks whether organisers plan, and "%s" answers it for all admins [ROLE2-03]',
  async (answer, organisers_plan) => {
    show();
    expect(screen.getByText(question)).toBeDefined();
    await press(answer);
    await expectToast('Success', 'You have updated this club');
    expect(server.sent).toEqual([{ call: 'PATCH /api/v1/clubs/rowers', body: { organisers_plan } }]);
    await waitFor(() => expect(screen.queryByText(question)).toBeNull());
  },
);

test.each([
  ['the club has no organiser', { members: [person('Ada', 200), person('Bob', 0)] }],
  ['an admin has answered yes', { organisers_plan: true }],
  ['an admin has answered no', { organisers_plan: false }],
  ['the viewer is no admin', { my_club_role: 100, members: [person('Ada', 100)] }],
] as [string, Partial<Club>][])('members page: does not ask about organisers if %s [ROLE2-03]', (_, part) => {
  show(part);
  expect(screen.queryByText(question)).toBeNull();
});

test('members page: the question stays if the answer was not saved [ROLE2-03]', async () => {
  show();
  server.respond = () => failure(503);
  await press('Yes');
  await vi.waitFor(() =>
    expect(toasts().find(({ open }) => open)).toMatchObject({ title: "Your choice wasn't saved" }),
  );
  expect(screen.getByText(question)).toBeDefined();
});
