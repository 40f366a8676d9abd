import { screen } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import {
  ada,
  expectToast,
  failure,
  field,
  fill,
  press,
  renderPage,
  server,
  success,
} from '#test/render-page.tsx';
import NewClubPage from './NewClubPage.tsx';

test.each(['', '   ', '\u200B\u2800'])(
  'new club: the name "%s" shows an error and sends nothing [CLUBNEW-05 ROBUST-07]',
  async (name) => {
    renderPage(<NewClubPage />);
    await fill('Club Name', name);
    expect(screen.queryByText('This field is required!')).toBeNull();
    await press('Create Club');
    const error = screen.getByText('This field is required!');
    expect(field('Club Name').getAttribute('aria-describedby')).toContain(error.id);
    expect(document.activeElement).toBe(field('Club Name'));
    expect(server.sent).toEqual([]);
  },
);

test('new club: requires only a name and opens the page of the created club [CLUBNEW-01 CLUBNEW-02 CLUBNEW-04 CLUBNEW-07 API-16]', async () => {
  server.respond = () => success({ id: 'id', slug: 'riverside', club_name: 'Riverside Runners' });
  const router = renderPage(<NewClubPage />);
  expect(screen.getByText('Tell us what your club is called')).toBeDefined();
  expect(field('Club Name').required).toBe(true);
  await fill('Club Name', 'Riverside Runners');
  await press('Create Club');
  expect(server.sent).toEqual([{ call: 'POST /api/v1/clubs', body: { club_name: 'Riverside Runners' } }]);
  await vi.waitFor(() =>
    expect(router.state.location).toMatchObject({ pathname: '/app/clubs/riverside', hash: '#new-club' }),
  );
});

describe('new club: the first name field', () => {
  const nameless = { user: { ...ada, first_name: '' } };
  const created = { call: 'POST /api/v1/clubs', body: { club_name: 'Riverside Runners' } };
  const named = { call: 'PATCH /api/v1/users', body: { first_name: 'Ada' } };

  test('is shown to a user without a first name, which is saved before the club [UX-26]', async () => {
    server.respond = () => success(server.sent.length === 1 ? ada : { id: 'id', slug: 'riverside' });
    const router = renderPage(<NewClubPage />, nameless);
    await fill('Club Name', 'Riverside Runners');
    await fill('Your first name', ' Ada ');
    await press('Create Club');
    await vi.waitFor(() => expect(router.state.location.pathname).toBe('/app/clubs/riverside'));
    expect(server.sent).toEqual([named, created]);
  });

  test('can stay empty [UX-26]', async () => {
    renderPage(<NewClubPage />, nameless);
    expect(field('Your first name').required).toBe(false);
    await fill('Club Name', 'Riverside Runners');
    await press('Create Club');
    expect(server.sent).toEqual([created]);
  });

  test('keeps its value, as the club name does, if the club could not be created [UX-26]', async () => {
    server.respond = () => (server.sent.at(-1)?.call === named.call ? success(ada) : failure(500));
    renderPage(<NewClubPage />, nameless);
    await fill('Club Name', 'Riverside Runners');
    await fill('Your first name', 'Ada');
    await press('Create Club');
    await screen.findByText("The club wasn't created");
    expect([field('Club Name').value, field('Your first name').value]).toEqual(['Riverside Runners', 'Ada']);
    await press('Create Club');
    expect(server.sent).toEqual([named, created, named, created]);
  });

  test('is not shown to a user with a first name [UX-26]', () => {
    renderPage(<NewClubPage />);
    expect(screen.queryByLabelText('Your first name')).toBeNull();
  });
});

test('new club: a failure shows an error and keeps the name', async () => {
  server.respond = () => failure(500);
  renderPage(<NewClubPage />);
  await fill('Club Name', 'Riverside Runners');
  await press('Create Club');
  await expectToast("The club wasn't created", 'An unexpected error occurred');
  expect(field('Club Name').value).toBe('Riverside Runners');
});

test('new club: Back leads home [CLUBNEW-03]', async () => {
  const router = renderPage(<NewClubPage />);
  await press('Back');
  expect(router.state.location.pathname).toBe('/app');
});
