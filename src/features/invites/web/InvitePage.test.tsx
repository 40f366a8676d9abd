import { screen } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { app, auth, bob, here, logIn, open, press, until, useEmptyTab, writes } from '#test/render-app.tsx';
import { dayKey } from '#wire/format.ts';
import { serverTime } from '#wire/server-time.ts';
import { session } from '#web/first/session.ts';
import { expectToast, failure, rowers, success } from '#test/render-page.tsx';

useEmptyTab();

const path = '/app/club/chess-cake/token';
const invite = {
  id: 'id-of-invite',
  club_id: 'id-of-chess',
  club_name: 'Chess & Cake',
  profile_picture_url: null as string | null,
  profile_banner_url: null as string | null,
  invited_by: 'Ada' as string | null,
  member_count: 1240,
  next_event_day: '2026-06-21' as string | null,
};
const chess = { ...rowers, id: 'id-of-chess', slug: 'chess-cake', club_name: 'Chess & Cake' };
const respondWith = (shown: object) =>
  (app.responses['GET /api/v1/invite-links/token'] = () => success({ ...invite, ...shown }));
const logInAs = (user: object) => {
  session.write(auth);
  app.responses['GET /api/v1/users'] = () => success(user);
};

beforeEach(() => {
  respondWith({});
  app.responses['GET /api/v1/clubs/chess-cake'] = () => success(chess);
});

test.each([
  ['a visitor', () => {}, '/'],
  ['a user', () => logInAs(bob), '/app'],
])(
  'invite page: %s sees it and can decline [INVITE-01 INVITE-03 INVITE-04 INVITE-05 INVITE-06 INVITE-08]',
  async (_, prepare, home) => {
    prepare();
    await open(path);
    await screen.findByText('You have been invited to join Chess & Cake');
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Club Invitation');
    await until(() => expect(document.title).toBe('Muster - Club Invitation'));
    expect(screen.getByRole('button', { name: 'Accept Invite' })).toBeDefined();
    await press('Decline Invite');
    await until(() => expect(here()).toBe(home));
    expect(writes()).toEqual([]);
  },
);

test('invite page: names the account that is logged in, and leads to the login of another one and back [FORMUX-06]', async () => {
  logInAs({ ...bob, last_name: 'Stone' });
  await open(path);
  await screen.findByText('You are Bob Stone (bob@example.org).');
  await press('Not you?');
  await until(() => expect(here()).toBe('/login'));
  await screen.findByText('Login to join Chess & Cake');
  expect(localStorage.getItem('authData')).toBeNull();
  app.responses['GET /api/v1/users'] = () => success({ ...bob, email: 'b@work.example', first_name: '' });
  await logIn('b@work.example');
  await until(() => expect(here()).toBe(path));
  await screen.findByText('You are b@work.example.');
  expect(app.opened).not.toContain('/');
  expect(writes().filter((call) => call.includes('join'))).toEqual([]);
});

test('invite page: a visitor sees no account [FORMUX-06]', async () => {
  await open(path);
  await screen.findByRole('button', { name: 'Accept Invite' });
  expect(screen.queryByRole('button', { name: 'Not you?' })).toBeNull();
});

test('invite page: leads a member to the club [INVITE-15]', async () => {
  logInAs({
    ...bob,
    clubs: [{ id: chess.id, slug: chess.slug, club_name: chess.club_name, club_role: 0, users: 2 }],
  });
  await open(path);
  await until(() => expect(here()).toBe('/app/clubs/chess-cake'));
});

test('invite page: shows no data of the club if the link is dead [INVITE-07 UX-25]', async () => {
  app.responses['GET /api/v1/invite-links/token'] = () => failure(404);
  await open(path);
  await screen.findByRole('heading', { name: 'Invite not found' });
  expect(document.querySelector('main')?.textContent).not.toMatch(/Chess|Accept|member/);
});

test('invite page: for a dead link, explains why and whom to ask; a member who logs in is redirected to the club', async () => {
  app.responses['GET /api/v1/invite-links/token'] = () => failure(404);
  await open(path);
  await screen.findByText(/work for 7 days\. This one has expired, was replaced/);
  expect(screen.getByText(/Ask the person who sent it, or a club admin/)).toBeDefined();
  await press('Already in the club? Log in');
  await until(() => expect(here()).toBe('/login'));
  app.responses['GET /api/v1/users'] = () =>
    success({ ...bob, clubs: [{ ...chess, club_role: 0, users: 2 }] });
  await logIn();
  await until(() => expect(here()).toBe('/app/clubs/chess-cake'));
});

test('invite page: names today as the day of the next event [UX-25]', async () => {
  respondWith({ next_event_day: dayKey(serverTime()) });
  await open(path);
  await screen.findByText('Next event: today');
});

const bannerAndAvatar = () => {
  const html = document
    .querySelector('main svg[viewBox="0 0 400 160"]')
    ?.innerHTML.replaceAll(/(id="|url\(#)[^")]+/g, '$1');
  return [html, document.querySelector('main [data-initials=CC]')?.parentElement?.dataset['hue']];
};

test('invite page: has the banner and avatar of the club page, and shows who invites, the number of members and the next event [UX-25]', async () => {
  await open(path);
  await screen.findByText('Invited by Ada · 1,240 members');
  screen.getByText('Next event: Sun 21 Jun');
  const generated = bannerAndAvatar();
  expect(generated).toEqual([expect.stringContaining('<path'), expect.stringMatching(/^\d+$/)]);
  logInAs({ ...bob, id: 'other' });
  await open('/app/clubs/chess-cake');
  await screen.findByRole('heading', { name: 'Chess & Cake', level: 1 });
  expect(bannerAndAvatar()).toEqual(generated);
});

test('invite page: shows the pictures of the club, and omits data that is null [UX-25]', async () => {
  respondWith({
    profile_picture_url: '/api/v1/media/avatar',
    profile_banner_url: '/api/v1/media/banner',
    invited_by: null,
    member_count: 1,
    next_event_day: null,
  });
  await open(path);
  await screen.findByText('1 member');
  expect([...document.querySelectorAll('main img')].map((picture) => picture.getAttribute('src'))).toEqual(
    expect.arrayContaining(['/api/v1/media/banner', '/api/v1/media/avatar']),
  );
  expect(screen.queryByText(/Invited by|Next event/)).toBeNull();
});

test('joining: takes one click for a user with a name, can be retried after a failure, and shows if the link no longer works [INVITE-09 INVITE-13 INVITE-14 TOAST-13]', async () => {
  logInAs(bob);
  await open(path);
  await press('Accept Invite');
  await expectToast('Failed to join club', 'Failed to join club, please try again later.');
  app.responses['POST /api/v1/invite-links/join/token'] = () => {
    app.responses['GET /api/v1/users'] = () =>
      success({ ...bob, clubs: [{ ...chess, club_role: 0, users: 2 }] });
    return success({ id: chess.id, slug: chess.slug });
  };
  await press('Accept Invite');
  await until(() => expect(here()).toBe('/app/clubs/chess-cake'));
  expect(writes()).toEqual(Array(2).fill('POST /api/v1/invite-links/join/token {}'));
  expect(app.sent.filter((call) => call === 'GET /api/v1/users')).toHaveLength(2);
  app.responses['GET /api/v1/users'] = () => success(bob);
  await open(path);
  await screen.findByRole('button', { name: 'Accept Invite' });
  app.responses['POST /api/v1/invite-links/join/token'] = () => failure(404);
  app.responses['GET /api/v1/invite-links/token'] = () => failure(404);
  await press('Accept Invite');
  await screen.findByRole('heading', { name: 'Invite not found' });
});
