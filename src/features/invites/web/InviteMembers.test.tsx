import { screen } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { app, auth, bob, follow, here, open, press, type, until, useEmptyTab } from '#test/render-app.tsx';
import { rowers, success } from '#test/render-page.tsx';
import { session } from '#web/first/session.ts';

useEmptyTab();

const club = { id: rowers.id, slug: rowers.slug, club_name: rowers.club_name, club_role: 200, users: 1 };
const nameless = { ...bob, first_name: '', clubs: [{ ...club, profile_picture_url: null }] };
const goOn = () => screen.queryByRole('link', { name: 'Go on inviting to Harbour Rowers' });

beforeEach(async () => {
  session.write(auth);
  app.responses['GET /api/v1/users'] = () => success(nameless);
  app.responses['GET /api/v1/clubs/rowers'] = () => success(rowers);
  await open('/app/clubs/rowers');
  await press('Invite members');
  await screen.findByRole('dialog', { name: 'Update your name' });
  await follow('Update Name');
});

test('home page: offers once to continue inviting after the name was saved [UX-37]', async () => {
  const named = { ...nameless, first_name: 'Bob' };
  app.responses['PATCH /api/v1/users'] = () => {
    app.responses['GET /api/v1/users'] = () => success(named);
    return success(named);
  };
  await type('First Name', 'Bob');
  await press('Save Changes');
  await follow('Go on inviting to Harbour Rowers');
  await screen.findByRole('dialog', { name: 'Invite members' });
  expect(here()).toBe('/app/clubs/rowers');
  await app.router?.navigate('/app');
  await screen.findByText('Welcome, Bob');
  expect(goOn()).toBeNull();
});

test('home page: does not offer to continue inviting while the name is empty, or to another user [UX-37]', async () => {
  await app.router?.navigate('/app');
  await screen.findByRole('heading', { level: 1 });
  expect([here(), goOn()]).toEqual(['/app', null]);
  app.responses['GET /api/v1/users'] = () => success({ ...nameless, id: 'other', first_name: 'Eve' });
  await open('/app');
  await until(() => expect(screen.getByText('Welcome, Eve')).toBeDefined());
  expect(goOn()).toBeNull();
});
