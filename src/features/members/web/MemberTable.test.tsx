import { QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Club } from '#features/clubs/contract.ts';
import type { MemberForAdmin } from '#features/members/contract.ts';
import type { ClubRole, User } from '#features/users/contract.ts';
import { Toaster } from '#ui/Toaster.tsx';
import { queries, queryClient } from '#web/queries.ts';
import { MemberTable } from './MemberTable.tsx';

/** The fake server: the mutations it received and the response it sends. */
const server = { sent: [] as string[], status: 200, error: null as string | null };

beforeEach(() => {
  Object.assign(server, { sent: [], status: 200, error: null });
  vi.stubGlobal('fetch', (url: string, { method = 'GET', body }: RequestInit = {}) => {
    if (method === 'GET') return Promise.resolve(new Response(null, { status: 404 }));
    server.sent.push([method, url, body].filter(Boolean).join(' '));
    const { status, error } = server;
    return Promise.resolve(Response.json({ data: null, status, error }, { status }));
  });
});

const person = (first_name: string, club_role: ClubRole): MemberForAdmin => ({
  id: `id-of-${first_name}`,
  first_name,
  last_name: '',
  profile_picture_url: null,
  club_role,
  section_ids: [],
  user_name: '',
  email: `${first_name}@example.org`,
  email_refused: false,
  club_name: 'Runners',
});
const ada = person('Ada', 200);
const bob = person('Bob', 0);

const me: User = {
  ...ada,
  phone: '',
  pending_email: null,
  ical_feed_url_id: 'secret',
  invites_by_mail: false,
  language: 'en',
  clock: 'auto',
  time_zone: null,
  device_zone: null,
  clubs: [],
};

function show(members: MemberForAdmin[]) {
  queryClient.setQueryData(queries.user().queryKey, me);
  const club = { id: 'id-of-club', slug: 'runners', club_name: 'Runners', members } as unknown as Club;
  render(
    <QueryClientProvider client={queryClient}>
      <main id="main" tabIndex={-1}>
        <MemberTable club={club} members={members} sections={[]} />
      </main>
      <Toaster />
    </QueryClientProvider>,
  );
}

const choose = (name: string, role: string) =>
  act(async () => {
    fireEvent.change(screen.getByLabelText(`Role of ${name}`), { target: { value: role } });
  });
const press = (name: string, within_ = screen.getByRole('main', { hidden: true })) =>
  act(async () => void fireEvent.click(within(within_).getByRole('button', { name })));

async function eject(name: string) {
  await press(`Eject ${name}`);
  await press('Eject', screen.getByRole('alertdialog'));
}

test('role: can be changed to Admin, Organiser or Member [MEMBERS-06 TOAST-26]', async () => {
  show([ada, bob]);
  const select = screen.getByLabelText('Role of Bob');
  expect(
    within(select)
      .getAllByRole('option')
      .map((option) => option.textContent),
  ).toEqual(['Admin', 'Organiser', 'Member']);
  await choose('Bob', '100');
  expect(server.sent).toEqual(['PATCH /api/v1/clubs/id-of-club/role/id-of-Bob {"role":100}']);
  await screen.findByText('Updated');
  expect(screen.getByText('User role has been updated')).toBeTruthy();
});

test('role: demoting the only admin shows an error and sends nothing [MEMBERS-09 TOAST-27]', async () => {
  show([ada, bob]);
  await choose('Ada', '0');
  await screen.findByText("You cannot remove a club's only admin");
  expect(server.sent).toEqual([]);
});

test('role: stepping down needs confirmation', async () => {
  show([ada, person('Cy', 200)]);
  await choose('Ada', '0');
  expect(server.sent).toEqual([]);
  await press('Step down', screen.getByRole('alertdialog'));
  expect(server.sent).toEqual(['PATCH /api/v1/clubs/id-of-club/role/id-of-Ada {"role":0}']);
});

test.each([
  [400, 'only_admin_left', "You cannot remove a club's only admin"],
  [500, null, 'An unexpected error occurred'],
])('role: is restored when the server rejects the change with %i', async (status, error, text) => {
  Object.assign(server, { status, error });
  show([ada, person('Cy', 200)]);
  await choose('Cy', '0');
  await screen.findByText(text);
  expect(screen.getByLabelText<HTMLSelectElement>('Role of Cy').value).toBe('200');
});

test('eject: ejecting oneself shows an error and sends nothing [MEMBERS-10 TOAST-28]', async () => {
  show([ada, bob]);
  await press('Eject Ada');
  await screen.findByText('You cannot eject yourself from a club');
  expect(server.sent).toEqual([]);
  expect(screen.queryByRole('alertdialog')).toBeNull();
});

test('eject: removes a member after confirmation [MEMBERS-12 TOAST-31]', async () => {
  show([ada, bob]);
  await press('Eject Bob');
  expect(server.sent).toEqual([]);
  await press('Eject', screen.getByRole('alertdialog'));
  expect(server.sent).toEqual(['PUT /api/v1/clubs/id-of-club/eject/id-of-Bob {}']);
  await screen.findByText('Ejected');
  expect(screen.getByText('User has been ejected')).toBeTruthy();
  expect(screen.queryByRole('alertdialog')).toBeNull();
});

test.each<[status: number, error: string | null, text: string]>([
  [403, 'not_admin', 'You are not an admin.'],
  // A proxy may return these statuses with its own body.
  [403, null, 'You are not an admin.'],
  [202, null, 'An unexpected error occurred'],
])('eject: %i with the code %s shows “%s” [TOAST-29 TOAST-31]', async (status, error, text) => {
  Object.assign(server, { status, error });
  show([ada, bob]);
  await eject('Bob');
  await screen.findByText('Error Removing user.');
  expect(screen.getByText(text)).toBeTruthy();
  expect(screen.getByLabelText('Role of Bob')).toBeTruthy();
});

test.each(['only_admin_left', 'bad_input', null])(
  'eject: 400 with the code %s shows the toast for the only admin [TOAST-30]',
  async (error) => {
    Object.assign(server, { status: 400, error });
    show([ada, bob]);
    await eject('Bob');
    await screen.findByText('Error Removing user.');
    expect(screen.getByText('The user is the only admin left.')).toBeTruthy();
  },
);

test.each([404, 409, 500])(
  'eject: %i does not show the toast for the only admin [TOAST-30]',
  async (status) => {
    Object.assign(server, { status, error: 'only_admin_left' });
    show([ada, bob]);
    await eject('Bob');
    await screen.findByText('Error Removing user.');
    expect(screen.queryByText('The user is the only admin left.')).toBeNull();
  },
);
