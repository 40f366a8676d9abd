import { QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { User } from '#features/users/contract.ts';
import { toasts } from '#ui/toast.ts';
import { queries, queryClient } from '#web/queries.ts';
import { rememberArrival, rememberClub, rememberJoin, returnUrl } from './after-login.ts';
import {
  beginSession,
  setNavigation,
  endSession,
  isLoggedIn,
  redirectToLogin,
  onSession,
  session,
  sessionState,
} from './session.ts';
import { useSession } from '#web/useSession.ts';

const auth = { AccessToken: { Token: 'access' }, RefreshToken: { Token: 'refresh' } };

const user: User = {
  id: '00000000-0000-4000-8000-000000000000',
  email: 'ada@example.org',
  pending_email: null,
  email_refused: false,
  user_name: '',
  first_name: 'Ada',
  last_name: '',
  phone: '',
  profile_picture_url: null,
  ical_feed_url_id: 'secret',
  invites_by_mail: false,
  language: 'en',
  clock: 'auto',
  time_zone: null,
  device_zone: null,
  clubs: [],
};

/** The current location, and the paths that the session navigated to. */
const browser = { here: '/app', visited: [] as string[], on: () => {} };

beforeEach(async () => {
  setNavigation({
    here: () => browser.here,
    go(path) {
      browser.visited.push(path);
      browser.on();
    },
  });
  await endSession();
  Object.assign(browser, { here: '/app', visited: [], on: () => {} });
});

/** Changes the storage as another tab would, which fires an event in this tab. */
function inOtherTab(key: string, value: string | null) {
  if (value === null) localStorage.removeItem(key);
  else localStorage.setItem(key, value);
  window.dispatchEvent(new StorageEvent('storage', { key, newValue: value }));
}

test('session: local storage holds both tokens under authData [AUTH-01]', () => {
  session.write(auth);
  expect(JSON.parse(localStorage.getItem('authData') ?? '')).toEqual(auth);
  expect(session.read()).toEqual(auth);
  expect(Object.keys(localStorage)).toEqual(['authData']);
});

test.each(['{', 'null', '"text"', '{}', '{"AccessToken":{"Token":"x"}}'])(
  'session: stored auth data of %s is only logged and treated as no session [AUTH-17]',
  (stored) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const before = toasts();
    localStorage.setItem('authData', stored);
    expect(session.read()).toBeUndefined();
    expect(isLoggedIn()).toBe(false);
    expect(warn).toHaveBeenCalled();
    expect(toasts()).toBe(before);
  },
);

test('session loss: clears the storage, redirects to the login and stores path and query [LOGIN-30 DATA-01]', () => {
  session.write(auth);
  browser.here = '/app/clubs/chess?tab=events';
  session.lost();
  expect(localStorage.getItem('authData')).toBeNull();
  expect(sessionState().loggedIn).toBe(false);
  expect(browser.visited).toEqual(['/login']);
  expect(localStorage.getItem('returnUrl')).toBe('/app/clubs/chess?tab=events');
});

test('session loss: does not redirect after the logout', async () => {
  session.write(auth);
  await endSession();
  session.lost();
  expect(browser.visited).toEqual(['/']);
  expect(localStorage).toHaveLength(0);
});

describe('session loss during a logout in this tab', () => {
  const error = new Error('refused');

  test.each<[string, () => Promise<unknown>]>([
    ['before the response', async () => session.lost()],
    ['during the navigation to the landing page', async () => void (browser.on = () => session.lost())],
  ])('%s: does not redirect again', async (_when, operation) => {
    session.write(auth);
    await endSession(operation);
    expect(browser.visited).toEqual(['/']);
    expect(localStorage).toHaveLength(0);
    expect(sessionState().loggedIn).toBe(false);
  });

  test('redirects to the login if the logout fails', async () => {
    session.write(auth);
    const operation = async () => {
      session.lost();
      expect(browser.visited).toEqual([]);
      throw error;
    };
    await expect(endSession(operation)).rejects.toBe(error);
    expect(browser.visited).toEqual(['/login']);
    expect(localStorage.getItem('authData')).toBeNull();
    expect(localStorage.getItem('returnUrl')).toBe('/app');
  });

  test('redirects to the login if it comes after a failed logout, which keeps the session', async () => {
    session.write(auth);
    await expect(endSession(() => Promise.reject(error))).rejects.toBe(error);
    expect([browser.visited, isLoggedIn(), sessionState().loggedIn]).toEqual([[], true, true]);
    session.lost();
    expect(browser.visited).toEqual(['/login']);
  });
});

test('login redirect: stores a supplied return address instead of the current one [LOGIN-31]', () => {
  redirectToLogin('/app/club/chess/token');
  expect(returnUrl()).toBe('/app/club/chess/token');
});

test.each(['/', '/login', '/login/', '/login?x=1', '/?x=1'])(
  'login redirect: on %s no return address is stored [LOGIN-32]',
  (here) => {
    browser.here = here;
    redirectToLogin();
    expect(localStorage.getItem('returnUrl')).toBeNull();
    expect(browser.visited).toEqual(['/login']);
  },
);

test('logout: clears the storage and notifies the screens after the navigation to the landing page [AUTH-03 AUTH-04]', async () => {
  session.write(auth);
  rememberClub('chess');
  redirectToLogin('/app/profile');
  rememberArrival('/app/feedback');
  rememberJoin('token');
  browser.visited = [];
  const logInStates: boolean[] = [];
  setNavigation({
    here: () => browser.here,
    go(path) {
      browser.visited.push(path);
      logInStates.push(sessionState().loggedIn, isLoggedIn());
    },
  });
  await endSession();
  expect(logInStates).toEqual([true, false]);
  expect([localStorage, sessionStorage].map(({ length }) => length)).toEqual([0, 0]);
  expect(sessionState().loggedIn).toBe(false);
  expect(browser.visited).toEqual(['/']);
});

test('logout in another tab: redirects to the landing page, except from a public page', () => {
  session.write(auth);
  rememberJoin('token');
  inOtherTab('authData', null);
  expect(browser.visited).toEqual(['/']);
  expect(sessionStorage).toHaveLength(0);
  inOtherTab('authData', JSON.stringify(auth));
  expect(sessionState().loggedIn).toBe(true);
  browser.here = '/privacy-policy?x=1';
  inOtherTab('authData', null);
  expect(browser.visited).toEqual(['/']);
  expect(sessionState().loggedIn).toBe(false);
});

test('login as another user in another tab: reports a logout, then a login', () => {
  session.write(auth);
  localStorage.setItem('authData', JSON.stringify({ ...auth, AccessToken: { Token: 'of somebody else' } }));
  const reported: boolean[] = [];
  const stop = onSession(() => reported.push(sessionState().loggedIn));
  for (const newValue of [null, localStorage.getItem('authData')])
    window.dispatchEvent(new StorageEvent('storage', { key: 'authData', newValue }));
  stop();
  expect(reported).toEqual([false, true]);
  expect(browser.visited).toEqual(['/']);
});

test('beginSession: reports a logout of the previous user first', () => {
  session.write(auth);
  const reported: boolean[] = [];
  const stop = onSession(() => reported.push(sessionState().loggedIn));
  beginSession(auth);
  stop();
  expect(reported).toEqual([false, true]);
  expect(session.read()).toEqual(auth);
});

test('session lock: runs the work if the browser has no locks', async () => {
  expect('locks' in navigator).toBe(false);
  expect(await session.alone(async () => 'done')).toBe('done');
});

test('useSession: returns the user, whether there is a session, and the time of the last change [DATA-22 AUTH-02]', async () => {
  const { result } = renderHook(useSession, {
    wrapper: ({ children }) => <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>,
  });
  expect(result.current).toMatchObject({ user: undefined, loggedIn: false });
  const before = Date.now();
  act(() => {
    session.write(auth);
    queryClient.setQueryData(queries.user().queryKey, user);
  });
  expect(result.current).toMatchObject({ user, loggedIn: true });
  expect(result.current.updated).toBeGreaterThanOrEqual(before);
  await act(() => endSession());
  expect(result.current).toMatchObject({ user: undefined, loggedIn: false });
});
