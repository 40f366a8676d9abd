// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Club } from '#features/clubs/contract.ts';
import type { MemberForAdmin } from '#features/members/contract.ts';
import type { ClubRole, User } from '#features/users/contract.ts';
import { Toaster } from '#ui/Toaster.tsx';

/** The network: what was sent to change something, and what it answers. */
const network = { sent: [] as string[], status: 200, error: null as string | null };

// The client takes hold of `fetch` when it is loaded.
vi.stubGlobal('fetch', (url: string, { method = 'GET', body }: RequestInit = {}) => {
  if (method === 'GET') return Promise.resolve(new Response(null, { status: 404 }));
  network.sent.push([method, url, body].filter(Boolean).join(' '));
  const { status, error } = network;
  return Promise.resolve(Response.json({ data: null, status, error }, { status }));
});

const loadScreens = async () => ({
  ...(await import('./MemberTable.tsx')),
  ...(await import('#web/queries.ts')),
});
let screens: Awaited<ReturnType<typeof loadScreens>>;
beforeAll(async () => {
  screens = await loadScreens();
});

const person = (first_name: string, club_role: ClubRole): MemberForAdmin => ({
  id: `id-of-${first_name}`,
  first_name,
  last_name: '',
  profile_picture_url: null,
  club_role,
  user_name: '',
  email: `${first_name}@example.org`,
  club_name: 'Runners',
});
const ada = person('Ada', 200);
const bob = person('Bob', 0);

const me: User = {
  ...ada,
  pending_email: null,
  ical_feed_url_id: 'secret',
  clubs: [],
};

function show(members: MemberForAdmin[]) {
  const { MemberTable, queries, queryClient } = screens;
  queryClient.setQueryData(queries.user().queryKey, me);
  const club = { id: 'id-of-club', slug: 'runners', club_name: 'Runners', members } as unknown as Club;
  render(
    <QueryClientProvider client={queryClient}>
      <main id="main" tabIndex={-1}>
        <MemberTable club={club} members={members} />
      </main>
      <Toaster />
    </QueryClientProvider>,
  );
}

beforeEach(() => Object.assign(network, { sent: [], status: 200, error: null }));
afterEach(() => {
  cleanup();
  screens.queryClient.clear();
});

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

test('a role is chosen from Admin, Organiser and Member [MEMBERS-06 TOAST-26]', async () => {
  show([ada, bob]);
  const select = screen.getByLabelText('Role of Bob');
  expect(
    within(select)
      .getAllByRole('option')
      .map((option) => option.textContent),
  ).toEqual(['Admin', 'Organiser', 'Member']);
  await choose('Bob', '100');
  expect(network.sent).toEqual(['PATCH /api/v1/clubs/id-of-club/role/id-of-Bob {"role":100}']);
  await screen.findByText('Updated');
  expect(screen.getByText('User role has been updated')).toBeTruthy();
});

test('the only admin is not demoted, and nothing is sent [MEMBERS-09 TOAST-27]', async () => {
  show([ada, bob]);
  await choose('Ada', '0');
  await screen.findByText("You cannot remove a club's only admin");
  expect(network.sent).toEqual([]);
});

test('stepping down oneself is asked about first', async () => {
  show([ada, person('Cy', 200)]);
  await choose('Ada', '0');
  expect(network.sent).toEqual([]);
  await press('Step down', screen.getByRole('alertdialog'));
  expect(network.sent).toEqual(['PATCH /api/v1/clubs/id-of-club/role/id-of-Ada {"role":0}']);
});

test('a role that was refused is the old one again', async () => {
  Object.assign(network, { status: 400, error: 'only_admin_left' });
  show([ada, person('Cy', 200)]);
  await choose('Cy', '0');
  await screen.findByText("You cannot remove a club's only admin");
  expect(screen.getByLabelText<HTMLSelectElement>('Role of Cy').value).toBe('200');
});

test('nobody ejects themselves [MEMBERS-10 TOAST-28]', async () => {
  show([ada, bob]);
  await press('Eject Ada');
  await screen.findByText('You cannot eject yourself from a club');
  expect(network.sent).toEqual([]);
});

test('a member is ejected after a question [MEMBERS-12 TOAST-31]', async () => {
  show([ada, bob]);
  await press('Eject Bob');
  expect(network.sent).toEqual([]);
  await press('Eject', screen.getByRole('alertdialog'));
  expect(network.sent).toEqual(['PUT /api/v1/clubs/id-of-club/eject/id-of-Bob {}']);
  await screen.findByText('Ejected');
  expect(screen.getByText('User has been ejected')).toBeTruthy();
  expect(screen.queryByRole('alertdialog')).toBeNull();
});

test('an ejection by somebody who is no admin any more [TOAST-29]', async () => {
  Object.assign(network, { status: 403, error: 'not_admin' });
  show([ada, bob]);
  await eject('Bob');
  await screen.findByText('Error Removing user.');
  expect(screen.getByText('You are not an admin.')).toBeTruthy();
});

test.each(['only_admin_left', 'bad_input', null])(
  'an ejection that is answered with 400 and the code %s [TOAST-30]',
  async (error) => {
    Object.assign(network, { status: 400, error });
    show([ada, bob]);
    await eject('Bob');
    await screen.findByText('Error Removing user.');
    expect(screen.getByText('The user is the only admin left.')).toBeTruthy();
  },
);

test.each([404, 409, 500])(
  'an ejection that is answered with %i says nothing of the only admin [TOAST-30]',
  async (status) => {
    Object.assign(network, { status, error: 'only_admin_left' });
    show([ada, bob]);
    await eject('Bob');
    await screen.findByText('Error Removing user.');
    expect(screen.queryByText('The user is the only admin left.')).toBeNull();
  },
);
