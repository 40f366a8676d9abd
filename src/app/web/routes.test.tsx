import { act, fireEvent, screen } from '@testing-library/react';
import type { RouteObject } from 'react-router';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  app,
  auth,
  bob,
  follow,
  here,
  logIn,
  open,
  press,
  type,
  until,
  useEmptyTab,
  writes,
} from '#test/render-app.tsx';
import { ada, failure, rowers, run, success } from '#test/render-page.tsx';
import { bindJoin, rememberJoin } from '#web/first/after-login.ts';
import { queryClient } from '#web/queries.ts';
import { session } from '#web/first/session.ts';
import { pagePaths, screenPaths } from '#app/page-scripts.ts';
import { routes } from './routes.tsx';

useEmptyTab();

const invite = {
  id: 'id-of-invite',
  club_id: 'id-of-rowers',
  club_name: 'Harbour Rowers',
  profile_picture_url: null,
  profile_banner_url: null,
  invited_by: 'Ada',
  member_count: 1,
  next_event_day: null,
};
const invitePath = '/app/club/rowers/token';

describe('a path under /app without a session', () => {
  test.each([
    ['/app/events/tuesday-run?from=chat', 'event'],
    ['/app/clubs/rowers', 'club'],
    ['/app/feedback?x=1', 'page'],
  ])(
    '%s leads to / with a notice, and the login leads back to the path with its query [UX-21]',
    async (path, what) => {
      await open(path);
      await screen.findByText(`Log in to open the ${what} you were sent`);
      expect(here()).toBe('/');
      await follow('Log in');
      await logIn();
      await until(() => expect(app.opened).toContain(path));
      expect(sessionStorage.getItem('arrival')).toBeNull();
    },
  );

  test.each([
    ['the notice is dismissed', () => press('Dismiss'), () => follow('Get started'), '/app'],
    [
      'the visitor logs in to create a club',
      async () => {},
      () => follow('Create Your Club'),
      '/app/new-club',
    ],
  ])('is forgotten when %s [UX-21 FORMUX-05]', async (_, before, toLogin, leadsTo) => {
    await open('/app/feedback');
    await screen.findByText('Log in to open the page you were sent');
    await before();
    await toLogin();
    await logIn();
    await until(() => expect(here()).toBe(leadsTo));
  });

  test('the thank-you page of a donation also leads to / [THANKS-06]', async () => {
    await open('/thankyou');
    await screen.findByText('Organise your Club');
    expect(here()).toBe('/');
    expect(screen.queryByText('Thank You for Your Donation!')).toBeNull();
  });

  test('/app leads to / without a notice [UX-21]', async () => {
    await open('/app');
    await screen.findByText('Organise your Club');
    expect(here()).toBe('/');
    expect(screen.queryByText(/Log in to open/)).toBeNull();
  });

  test('shows the name and day of an event whose preview is public [UX-22]', async () => {
    document.head.innerHTML = `<link rel="canonical" href="https://muster.test/app/events/tuesday-run">
      <meta name="event" content='{"title":"<b>Tuesday</b> run","start":"2099-06-08T17:30:00.000Z","zone":"Europe/London"}'>`;
    document.documentElement.lang = 'en';
    const tags = document.head.innerHTML;
    await open('/app/events/tuesday-run');
    await screen.findByText('<b>Tuesday</b> run · Monday 8 June 2099');
    expect(document.head.innerHTML).toContain(tags);
  });

  test('is opened from the landing page when the user has logged in in another tab [UX-21]', async () => {
    sessionStorage.setItem('arrival', '{"path":"/app/feedback"}');
    session.write(auth);
    await open('/');
    await until(() => expect(here()).toBe('/app/feedback'));
  });
});

const accept = async () => {
  await open(invitePath);
  await press('Accept Invite');
};
const joined = (body: object) => [`POST /api/v1/invite-links/join/token ${JSON.stringify(body)}`];

describe('accepting an invite without a session', () => {
  beforeEach(() => {
    app.responses['GET /api/v1/invite-links/token'] = () => success(invite);
    app.responses['POST /api/v1/invite-links/join/token'] = () => success({ id: 'id', slug: 'rowers' });
  });

  test('joins after the login without another click [UX-23]', async () => {
    await accept();
    await until(() => expect(here()).toBe('/login'));
    await logIn('Bob@example.org');
    await until(() => expect(writes()).toEqual(joined({})));
    await until(() => expect(sessionStorage.getItem('join')).toBeNull());
    expect(localStorage.getItem('clubSlug')).toBeNull();
  });

  test('asks for a missing name after the login, even after a reload [UX-23]', async () => {
    app.responses['GET /api/v1/users'] = () => success({ ...bob, first_name: '' });
    await accept();
    await logIn();
    await screen.findByRole('dialog', { name: "What's your name?" });
    await open();
    await type(/^First Name/, 'Bob');
    await type(/^Last Name/, 'Stone');
    expect(writes()).toEqual([]);
    await press('Join club');
    await until(() => expect(writes()).toEqual(joined({ first_name: 'Bob', last_name: 'Stone' })));
  });

  test('ends with an explanation if the invite has expired in the meantime [UX-23]', async () => {
    await accept();
    app.responses['GET /api/v1/invite-links/token'] = () => failure(404);
    await logIn();
    await screen.findByText(/expired or was replaced while you were logging in, so you haven't joined/);
    expect(screen.getByRole('heading', { name: 'Invite not found' })).toBeDefined();
    expect([writes(), sessionStorage.getItem('join')]).toEqual([[], null]);
  });

  test('ends with the reason if joining is refused [UX-23]', async () => {
    app.responses['POST /api/v1/invite-links/join/token'] = () =>
      Response.json({ data: null, status: 403, error: 'ejected' }, { status: 403 });
    await accept();
    await logIn();
    await screen.findByText('You were removed from this club. Ask an admin for a new invite link.');
  });

  test('leads to the club and is forgotten when the user is already a member [UX-23]', async () => {
    app.responses['GET /api/v1/users'] = () => success({ ...bob, clubs: ada.clubs });
    await accept();
    await logIn();
    await until(() => expect(sessionStorage.getItem('join')).toBeNull());
    expect(writes()).toEqual([]);
  });

  test('does not add a user who logs in with another email or in another tab [UX-23]', async () => {
    rememberJoin('token');
    bindJoin('eve@example.org');
    session.write(auth);
    await open(invitePath);
    await screen.findByRole('button', { name: 'Accept Invite' });
    expect(writes()).toEqual([]);
  });

  test('is forgotten by "Decline Invite" [UX-23]', async () => {
    await accept();
    await open(invitePath);
    await press('Decline Invite');
    await until(() => expect(here()).toBe('/'));
    expect([localStorage.length, sessionStorage.getItem('join')]).toEqual([0, null]);
  });
});

describe('home of a person without a club', () => {
  test('shows a server error while the user cannot be loaded, and afterwards a link to create a club [HOME-01 HOME-02 HOME-03 HOME-04 HOME-16 HOME-17 HOME-18 HOME-19 HOME-21 CHROME-03]', async () => {
    session.write(auth);
    app.responses['GET /api/v1/users'] = () => Promise.reject(new TypeError('Failed to fetch'));
    await open('/app');
    await screen.findByRole('heading', { name: 'Server Error' });
    screen.getByText("We're experiencing some technical difficulties", { exact: false });
    const tips = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
    expect(tips).toEqual(['Refresh the page', "Clear your browser's cache", 'Try again later']);
    expect(screen.getByRole('link', { name: 'Go Home' }).getAttribute('href')).toBe('/');
    app.responses['GET /api/v1/users'] = () => success(bob);
    await open('/app');

    await screen.findByText('Join or create a club to get started!');
    screen.getByText('You must be invited to join a club.');
    expect(screen.queryByText('Events Attending')).toBeNull();
    // The search is only for users with a club.
    screen.getByRole('button', { name: 'User menu' });
    expect(screen.queryByRole('button', { name: 'Search' })).toBeNull();
    fireEvent.keyDown(document.body, { key: 'j', ctrlKey: true });
    expect(screen.queryByRole('dialog')).toBeNull();
    await follow('Create Club');
    await until(() => expect(here()).toBe('/app/new-club'));
  });
});

const lost = () => Promise.reject(new TypeError('Failed to fetch'));

describe('a server that can not be reached, though the device has a network', () => {
  const now = Date.now();
  const calls = ['users', 'users/events', 'users/clubs/events', 'clubs/rowers', 'events/tuesday-run'];
  const member = { ...bob, clubs: ada.clubs };

  type Screen = [key: string[], data: unknown];

  /** Stubs the Cache API, which jsdom lacks, with screens that were stored for the session an hour ago. */
  function store(screens: Screen[]): void {
    const entries = new Map(
      screens.map(([key, data]) => [
        `http://localhost/screens/${encodeURIComponent(JSON.stringify(key))}`,
        new Response(JSON.stringify(data), { headers: { 'x-at': String(now - 3_600_000) } }),
      ]),
    );
    vi.stubGlobal('caches', {
      open: async () => ({
        keys: async () => [...entries.keys()].map((url) => ({ url })),
        match: async ({ url }: Request) => entries.get(url)?.clone(),
      }),
      keys: async () => [],
    });
  }

  beforeEach(() => {
    session.write(auth);
    for (const call of calls) app.responses[`GET /api/v1/${call}`] = lost;
  });
  afterEach(() => vi.stubGlobal('caches', undefined));

  test.each<[path: string, name: string, ...stored: Screen[]]>([
    ['/app', 'Welcome, Bob', [['attending'], [{ ...run, faces: [] }]], [['ofMyClubs'], []]],
    ['/app/clubs/rowers', 'Harbour Rowers', [['club', 'rowers'], rowers]],
    ['/app/events/tuesday-run', 'Tuesday run', [['event', 'tuesday-run'], run]],
  ])('%s opens with stored data and shows when it was stored [UX-33]', async (path, name, ...stored) => {
    store([[['user'], member], ...stored]);
    await open(path);
    await screen.findByRole('heading', { name, level: 1 });
    await screen.findByText(/^Offline, as of/);
    await act(() => queryClient.invalidateQueries());
    for (const [key, data] of stored) expect(queryClient.getQueryData(key)).toEqual(data);
    Object.assign(app.responses, {
      'GET /api/v1/users': () => success(member),
      'GET /api/v1/users/events': () => success([]),
      'GET /api/v1/users/clubs/events': () => success([]),
      'GET /api/v1/clubs/rowers': () => success(rowers),
      'GET /api/v1/events/tuesday-run': () => success(run),
    });
    await act(() => queryClient.invalidateQueries());
    await until(() => expect(screen.queryByText(/^Offline, as of/)).toBeNull());
  });
});

test('routes: the server knows the path of each page [WEB-01]', () => {
  const pathsIn = ({ path = '', children = [] }: RouteObject): string[] => [
    path,
    ...children.flatMap(pathsIn).map((child) => (path === 'app' ? `app/${child}` : child)),
  ];
  const paths = routes.flatMap(pathsIn).filter((path) => /^\w.*[^/*]$/.test(path));
  expect(paths.map((path) => `/${path}`).toSorted()).toEqual(
    [...pagePaths.filter((path) => path !== '/app/*'), ...screenPaths].toSorted(),
  );
});
