// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, configure, fireEvent, render, screen } from '@testing-library/react';
import { type RouteObject, RouterProvider } from 'react-router';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ada, failure, run, success } from '#test/render-page.tsx';
import { bindJoin, rememberJoin } from '#web/after-login.ts';
import { queryClient } from '#web/queries.ts';
import { startRouter } from '#web/router.ts';
import { endSession } from '#web/session.ts';
import { routes } from './routes.tsx';

const auth = { AccessToken: { Token: 'access' }, RefreshToken: { Token: 'refresh' } };
const invite = { id: 'id-of-invite', club_name: 'Harbour Rowers' };
const invitePath = '/app/club/rowers/token';

/** What the server responds, by call; 404 to all other calls. `sent` are the writes. */
let responses: Record<string, () => Response>;
let sent: string[];
let router: ReturnType<typeof startRouter>;

beforeEach(() => {
  sent = [];
  responses = {
    'GET /api/v1/auth/login': () => success({ from: 'Muster <club@muster.test>' }),
    'GET /api/v1/auth/confirm': () => success(auth),
    'GET /api/v1/users': () => success({ ...ada, email: 'bob@example.org', clubs: [] }),
    'GET /api/v1/users/events': () => success([]),
    'GET /api/v1/users/clubs/events': () => success([]),
    'GET /api/v1/notifications': () => success([]),
    'GET /api/v1/events/tuesday-run': () => success(run),
    'GET /api/v1/invite-links/token': () => success(invite),
    'POST /api/v1/invite-links/join/token': () => success({ id: 'id-of-rowers', slug: 'rowers' }),
  };
  vi.stubGlobal('fetch', async (url: string, { method = 'GET', body }: RequestInit = {}) => {
    const call = `${method} ${url.split('?', 1)[0]}`;
    if (method !== 'GET') sent.push(`${call} ${String(body)}`);
    return responses[call]?.() ?? failure(404);
  });
  vi.stubGlobal(
    'WebSocket',
    class extends EventTarget {
      close() {}
    },
  );
  vi.stubGlobal('scrollTo', () => {});
});

afterEach(async () => {
  await act(() => endSession());
  cleanup();
  router.dispose();
  queryClient.clear();
  document.head.replaceChildren();
});

/** Each router empties the `lazy` objects of its routes. */
const copied = (all: RouteObject[]): RouteObject[] =>
  all.map((each) => ({
    ...each,
    ...(each.lazy && { lazy: { ...(each.lazy as object) } }),
    ...(each.children && { children: copied(each.children) }),
  })) as RouteObject[];

/** Opens an address, as the browser does with an empty tab. */
async function open(path: string) {
  window.history.replaceState(null, '', path);
  router = startRouter(copied(routes));
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await until(() => expect(router.state.initialized).toBe(true));
}

// Importing a page for the first time takes long on a busy machine.
configure({ asyncUtilTimeout: 10_000 });
const until = (check: () => void) => vi.waitFor(check, 10_000);

const here = () => window.location.pathname + window.location.search;
const press = async (role: 'link' | 'button', name: string) =>
  fireEvent.click(await screen.findByRole(role, { name }));

/** Enters an email and the code. */
async function logIn(email = 'bob@example.org') {
  fireEvent.change(await screen.findByLabelText(/^Email/), { target: { value: email } });
  await press('button', 'Login');
  fireEvent.change(await screen.findByLabelText('Code'), { target: { value: 'ABC234' } });
  await press('button', 'Confirm Code');
}

describe('a path under /app without a session', () => {
  test.each([
    ['/app/events/tuesday-run?from=chat', 'event'],
    ['/app/clubs/rowers', 'club'],
    ['/app/feedback?x=1', 'page'],
  ])('%s: leads to / with a notice, and after the login to it with its query [UX-21]', async (path, what) => {
    await open(path);
    await screen.findByText(`Log in to open the ${what} you were sent`);
    expect(here()).toBe('/');
    await press('link', 'Log in');
    const asked: string[] = [];
    router.subscribe(
      ({ navigation: { location } }) => location && asked.push(location.pathname + location.search),
    );
    await logIn();
    await until(() => expect(asked).toContain(path));
    expect(sessionStorage.getItem('arrival')).toBeNull();
  });

  test.each([
    ['dismissed', () => press('button', 'Dismiss'), () => press('link', 'Get started')],
    ['the login is to create a club', async () => {}, () => press('link', 'Create Your Club')],
  ])('is forgotten when the notice is %s [UX-21]', async (_, before, toLogin) => {
    await open('/app/feedback');
    await screen.findByText('Log in to open the page you were sent');
    await before();
    await toLogin();
    await logIn();
    await until(() => expect(here()).toBe('/app'));
  });

  test('/app leads to / without a notice [UX-21]', async () => {
    await open('/app');
    await screen.findByText('Organise your Club');
    expect(here()).toBe('/');
    expect(screen.queryByText(/Log in to open/)).toBeNull();
  });

  test('names an event whose preview may be seen, with its day [UX-22]', async () => {
    document.head.innerHTML = `<link rel="canonical" href="https://muster.test/app/events/tuesday-run">
      <meta property="og:title" content="<b>Tuesday</b> run"><meta name="event-day" content="Monday 8 June 2099">`;
    const tags = document.head.innerHTML;
    await open('/app/events/tuesday-run');
    await screen.findByText('<b>Tuesday</b> run · Monday 8 June 2099');
    expect(document.head.innerHTML).toContain(tags);
  });

  test('opens from the landing page when the user has logged in in another tab [UX-21]', async () => {
    sessionStorage.setItem('arrival', '{"path":"/app/feedback"}');
    localStorage.setItem('authData', JSON.stringify(auth));
    await open('/');
    await until(() => expect(here()).toBe('/app/feedback'));
  });
});

const accept = async () => {
  await open(invitePath);
  await press('button', 'Accept Invite');
};
const joined = (body: object) => [`POST /api/v1/invite-links/join/token ${JSON.stringify(body)}`];

describe('accepting an invite without a session', () => {
  test('joins after the login without another click [UX-23]', async () => {
    await accept();
    await until(() => expect(here()).toBe('/login'));
    await logIn('Bob@example.org');
    await until(() => expect(sent).toEqual(joined({})));
    await until(() => expect(sessionStorage.getItem('join')).toBeNull());
    expect(localStorage.getItem('clubSlug')).toBeNull();
  });

  test('asks for a missing name after the login, also after a reload [UX-23]', async () => {
    responses['GET /api/v1/users'] = () =>
      success({ ...ada, email: 'bob@example.org', first_name: '', clubs: [] });
    await accept();
    await logIn();
    await screen.findByRole('dialog', { name: 'What is your name?' });
    router.dispose();
    cleanup();
    queryClient.clear();
    await open(here());
    fireEvent.change(await screen.findByLabelText(/^First Name/), { target: { value: 'Bob' } });
    fireEvent.change(screen.getByLabelText(/^Last Name/), { target: { value: 'Stone' } });
    expect(sent).toEqual([]);
    await press('button', 'Join club');
    await until(() => expect(sent).toEqual(joined({ first_name: 'Bob', last_name: 'Stone' })));
  });

  test('says why when the invite died meanwhile [UX-23]', async () => {
    await accept();
    responses['GET /api/v1/invite-links/token'] = () => failure(404);
    await logIn();
    await screen.findByText(/expired or was replaced while you logged in, so you have not joined/);
    expect(screen.getByRole('heading', { name: 'Invite not found' })).toBeDefined();
    expect([sent, sessionStorage.getItem('join')]).toEqual([[], null]);
  });

  test('says why when joining is refused [UX-23]', async () => {
    responses['POST /api/v1/invite-links/join/token'] = () =>
      Response.json({ data: null, status: 403, error: 'ejected' }, { status: 403 });
    await accept();
    await logIn();
    await screen.findByText('You were removed from this club. Ask an admin for a new link.');
  });

  test('leads to the club when the user is a member already, and is forgotten [UX-23]', async () => {
    responses['GET /api/v1/users'] = () => success({ ...ada, email: 'bob@example.org' });
    await accept();
    await logIn();
    await until(() => expect(sessionStorage.getItem('join')).toBeNull());
    expect(sent).toEqual([]);
  });

  test('joins nobody who logs in with another email or in another tab [UX-23]', async () => {
    rememberJoin('token');
    bindJoin('eve@example.org');
    localStorage.setItem('authData', JSON.stringify(auth));
    await open(invitePath);
    await screen.findByRole('button', { name: 'Accept Invite' });
    expect(sent).toEqual([]);
  });

  test('is forgotten by "Decline Invite" [UX-23]', async () => {
    await accept();
    await act(() => router.navigate(invitePath));
    await press('button', 'Decline Invite');
    await until(() => expect(here()).toBe('/'));
    expect([localStorage.length, sessionStorage.getItem('join')]).toEqual([0, null]);
  });
});
