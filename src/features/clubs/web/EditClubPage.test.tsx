import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { Club } from '#features/clubs/contract.ts';
import {
  expectToast,
  failure,
  field,
  fill,
  press,
  renderPage,
  rowers,
  server,
  success,
} from '#test/render-page.tsx';
import EditClubPage from './EditClubPage.tsx';

const show = (role: 0 | 100 | 200 = 200, club: Partial<Club> = {}) =>
  renderPage(<EditClubPage />, {
    route: '/app/clubs/:slug/edit',
    path: '/app/clubs/rowers/edit',
    club: { ...rowers, my_club_role: role, ...club },
  });

test.each([
  ['Pier 9', 'rowers.example/club', 'Pier 9', 'rowers.example/club'],
  ['', ' ', null, null],
])(
  'edit club: location "%s" and website "%s" are sent as %j and %j [CLUBEDIT-02 CLUBEDIT-03 CLUBEDIT-04 CLUBEDIT-06 CLUBEDIT-08 CLUBEDIT-09 CLUBEDIT-10 TOAST-19 API-04 API-21]',
  async (location, website, location_name, sentWebsite) => {
    server.respond = () => success({ id: rowers.id, slug: 'rowers', club_name: 'Rowers', version: 2 }, 202);
    const router = show();
    await fill('Club Name', 'Rowers');
    await fill('Club Location', location);
    await fill('Club Website', website);
    await press('Update Club');
    await expectToast('Success', 'You have updated this club');
    const body = { clubId: 'id-of-rowers', club_name: 'Rowers', club_description: '', language: 'en' };
    expect(server.sent).toEqual([
      {
        call: 'PATCH /api/v1/clubs/rowers',
        body: { ...body, location_name, meta: { website: sentWebsite } },
      },
    ]);
    await vi.waitFor(() => expect(router.state.location.pathname).toBe('/app/clubs/rowers'));
  },
);

test('edit club: the language of the club is chosen from the languages of the app [LANG-11]', async () => {
  server.respond = () => success({ id: rowers.id, slug: 'rowers', club_name: 'Rowers', version: 2 }, 202);
  show();
  const select = screen.getByLabelText<HTMLSelectElement>('Language');
  expect([select.value, ...Array.from(select.options, ({ text }) => text)]).toEqual([
    'en',
    'English',
    'Deutsch',
  ]);
  fireEvent.change(select, { target: { value: 'de' } });
  await press('Update Club');
  await expectToast('Success', 'You have updated this club');
  expect(server.sent).toMatchObject([{ body: { language: 'de' } }]);
});

const mayPlan = () =>
  screen.getByRole<HTMLInputElement>('checkbox', { name: /^Let organisers plan events and publish updates/ });

test.each([
  ['an undecided club', null, true],
  ['a club whose organisers plan', true, false],
])('edit club: the switch for organisers of %s is saved [ROLE2-01]', async (_, organisers_plan, next) => {
  server.respond = () => success({ id: rowers.id, slug: 'rowers', club_name: 'Rowers', version: 2 }, 202);
  show(200, { organisers_plan });
  expect(mayPlan().checked).toBe(organisers_plan === true);
  fireEvent.click(mayPlan());
  await press('Update Club');
  await expectToast('Success', 'You have updated this club');
  expect(server.sent).toMatchObject([{ body: { organisers_plan: next } }]);
});

test('edit club: saving other fields of an undecided club decides nothing about organisers [ROLE2-01]', async () => {
  server.respond = () => success({ id: rowers.id, slug: 'rowers', club_name: 'Rowers', version: 2 }, 202);
  show();
  fireEvent.click(mayPlan());
  fireEvent.click(mayPlan());
  await fill('Club Name', 'Rowers');
  await press('Update Club');
  await expectToast('Success', 'You have updated this club');
  expect(server.sent[0]?.body).not.toHaveProperty('organisers_plan');
});

test('edit club: the form is not validated before it is sent, and keeps the input after a failure [CLUBEDIT-07 TOAST-18]', async () => {
  server.respond = () => failure(400);
  const router = show();
  await fill('Club Name', '');
  await fill('Club Website', 'javascript:alert(1)');
  await press('Update Club');
  await expectToast('Error', 'There was an error updating this club');
  expect(server.sent).toMatchObject([{ body: { club_name: '', meta: { website: 'javascript:alert(1)' } } }]);
  expect(field('Club Website').value).toBe('javascript:alert(1)');
  expect(router.state.location.pathname).toBe('/app/clubs/rowers/edit');
});

test('edit club: an empty name shows an error at its field until a name is entered [UX-28]', async () => {
  server.respond = () => failure(400);
  show();
  await fill('Club Name', '');
  await press('Update Club');
  await screen.findByText('A club needs a name.');
  expect(document.activeElement).toBe(field('Club Name'));
  await fill('Club Name', 'Rowers');
  expect(screen.queryByText('A club needs a name.')).toBeNull();
});

test('edit club: a field with only invisible characters shows an error at once, and the name needs others [ROBUST-07]', async () => {
  server.respond = () => failure(400);
  show();
  const invisible = 'Nobody can see these characters. Type something else.';
  await fill('Club Description', '\u200B');
  const error = screen.getByText(invisible);
  expect(field('Club Description').getAttribute('aria-describedby')).toBe(error.id);
  expect(field('Club Description').getAttribute('aria-invalid')).toBe('true');
  await fill('Club Description', '');
  expect(screen.queryByText(invisible)).toBeNull();
  await fill('Club Name', '\u2800');
  await press('Update Club');
  await screen.findByText('A club needs a name.');
  expect(screen.queryByText(invisible)).toBeNull();
});

test('edit club: Back leads to the club [CLUBEDIT-05]', async () => {
  const router = show();
  await press('Back');
  expect(router.state.location.pathname).toBe('/app/clubs/rowers');
});

test.each([0, 100] as const)(
  'edit club: role %i is redirected to the club page [CLUBEDIT-11]',
  async (role) => {
    const router = show(role);
    await expectToast('Permission denied', 'Only admins can edit this club.');
    expect(router.state.location.pathname).toBe('/app/clubs/rowers');
    expect(screen.queryByRole('textbox')).toBeNull();
  },
);

test('edit club: links to the breaks of the club [SERIES-16]', () => {
  show();
  const link = screen.getByRole('link', { name: 'Change breaks' });
  expect(link.getAttribute('href')).toBe('/app/clubs/rowers/breaks');
});
