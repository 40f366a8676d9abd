import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { Section } from '#features/sections/contract.ts';
import type { ClubRole } from '#features/users/contract.ts';
import { failure, press, renderPage, rowers, server, success } from '#test/render-page.tsx';
import SectionsPage from './SectionsPage.tsx';

const section = (name: string, members = 0): Section => ({
  id: `id-of-${name.toLowerCase()}`,
  name,
  members,
});
const [tenor, bass] = [section('Tenor', 1), section('Bass', 4)];

/** Shows the page of a club with these sections, and gives every save this response. */
function show(sections: Section[], { saved = sections, role = 200 as ClubRole } = {}) {
  server.read = (path) => (path.endsWith('/sections') ? success(sections) : failure(404));
  server.respond = () => success(saved);
  renderPage(<SectionsPage />, {
    route: '/app/clubs/:slug/sections',
    path: '/app/clubs/rowers/sections',
    club: { ...rowers, my_club_role: role },
  });
}

const rows = async () => (await screen.findAllByRole('listitem')).map(({ textContent }) => textContent);
const saves = () => server.sent.map(({ body }) => body);
const choose = async (name: string, item: string) => {
  await press(`Actions for ${name}`);
  await userEvent.click(await screen.findByRole('menuitem', { name: item }));
};

test('sections page: lists the sections in order with their numbers of members, each with a link to them [SECT-01 SECT-02]', async () => {
  show([tenor, bass]);
  expect(await rows()).toEqual(['Tenor1 member', 'Bass4 members']);
  expect(screen.getByRole('link', { name: /Bass/ }).getAttribute('href')).toBe(
    '/app/clubs/rowers/sections/id-of-bass',
  );
});

test('sections page: adds a section behind the others, and names a name that the club has [SECT-01]', async () => {
  const alto = section('Alto');
  show([tenor, bass], { saved: [tenor, bass, alto] });
  const name = await screen.findByRole('textbox', { name: 'New section' });
  await userEvent.type(name, ' bASS ');
  await press('Add section');
  expect(screen.getByText('The club already has this section.')).toBeDefined();
  await userEvent.clear(name);
  await press('Add section');
  expect(screen.getByText('Enter a name.')).toBeDefined();
  expect(saves()).toEqual([]);
  await userEvent.type(name, 'Alto');
  await press('Add section');
  expect(saves()).toEqual([{ sections: [{ id: tenor.id }, { id: bass.id }, { name: 'Alto' }] }]);
  await waitFor(async () => expect(await rows()).toHaveLength(3));
  expect(name).toHaveProperty('value', '');
});

test('sections page: renames one without sending the names of others, moves and removes it [SECT-01]', async () => {
  show([tenor, bass]);
  await screen.findAllByRole('listitem');
  await choose('Tenor', 'Rename');
  const dialog = await screen.findByRole('dialog', { name: 'Rename Tenor' });
  const name = within(dialog).getByRole('textbox', { name: 'Name' });
  await userEvent.type(name, 's{Enter}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await choose('Bass', 'Move up');
  await waitFor(() => expect(saves()).toHaveLength(2));
  await choose('Tenor', 'Remove');
  await press('Remove');
  await waitFor(() => expect(saves()).toHaveLength(3));
  expect(saves()).toEqual([
    { sections: [{ id: tenor.id, name: 'Tenors' }, { id: bass.id }] },
    { sections: [{ id: bass.id }, { id: tenor.id }] },
    { remove: [tenor.id] },
  ]);
});

test('sections page: says why a section was not saved, and keeps what was typed [SECT-01]', async () => {
  show([tenor]);
  server.respond = () => failure(500);
  await userEvent.type(await screen.findByRole('textbox', { name: 'New section' }), 'Alto');
  await press('Add section');
  expect(await screen.findByText("The sections weren't saved")).toBeDefined();
  expect(screen.getByRole('textbox', { name: 'New section' })).toHaveProperty('value', 'Alto');
});

test('sections page: says what to do while there are none [SECT-01]', async () => {
  show([]);
  expect(await screen.findByText('No sections yet')).toBeDefined();
});

test('sections page: a club with thirty sections cannot add more [SECT-01]', async () => {
  show(Array.from({ length: 30 }, (_, nth) => section(`Boat ${nth}`)));
  expect(await screen.findByText('A club can have thirty sections.')).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Add section' })).toBeNull();
});

test('sections page: members and organisers read that it is for admins [SECT-01]', async () => {
  show([tenor], { role: 100 });
  expect(await screen.findByText('Only club admins can view this page')).toBeDefined();
  expect(screen.queryByText('Tenor')).toBeNull();
});
