// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { User } from '#features/users/contract.ts';
import { queries, queryClient } from './queries.ts';
import {
  beginSession,
  followGuide,
  endSession,
  isLoggedIn,
  leadToLogin,
  onSession,
  pendingInvite,
  rememberClub,
  returnUrl,
  session,
  sessionState,
  takeReturnUrl,
} from './session.ts';
import { useSession } from './useSession.ts';

const auth = { AccessToken: { Token: 'access' }, RefreshToken: { Token: 'refresh' } };

const user: User = {
  id: '00000000-0000-4000-8000-000000000000',
  email: 'ada@example.org',
  pending_email: null,
  user_name: '',
  first_name: 'Ada',
  last_name: '',
  profile_picture_url: null,
  ical_feed_url_id: 'secret',
  clubs: [],
};

/** Where the user stands, and where they were led. */
const way = { here: '/app', led: [] as string[], on: () => {} };

beforeEach(async () => {
  followGuide({
    here: () => way.here,
    go(path) {
      way.led.push(path);
      way.on();
    },
  });
  await endSession();
  Object.assign(way, { here: '/app', led: [], on: () => {} });
});

/** What another tab does to the storage this one learns from an event. */
function inOtherTab(key: string, value: string | null) {
  if (value === null) localStorage.removeItem(key);
  else localStorage.setItem(key, value);
  window.dispatchEvent(new StorageEvent('storage', { key, newValue: value }));
}

test('the session stands in local storage under authData, as the two tokens [AUTH-01]', () => {
  session.write(auth);
  expect(JSON.parse(localStorage.getItem('authData') ?? '')).toEqual(auth);
  expect(session.read()).toEqual(auth);
  expect(Object.keys(localStorage)).toEqual(['authData']);
});

test.each(['{', 'null', '"text"', '{}', '{"AccessToken":{"Token":"x"}}'])(
  'stored auth data of %s is logged and no token [AUTH-17]',
  (stored) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    localStorage.setItem('authData', stored);
    expect(session.read()).toBeUndefined();
    expect(isLoggedIn()).toBe(false);
    expect(warn).toHaveBeenCalled();
  },
);

test('a lost session is cleared and leads to the login, back to path and query [LOGIN-30 DATA-01]', () => {
  session.write(auth);
  way.here = '/app/clubs/chess?tab=events';
  session.lost();
  expect(localStorage.getItem('authData')).toBeNull();
  expect(sessionState().loggedIn).toBe(false);
  expect(way.led).toEqual(['/login']);
  expect(localStorage.getItem('returnUrl')).toBe('/app/clubs/chess?tab=events');
});

test('a loss after the logout leads nowhere', async () => {
  session.write(auth);
  await endSession();
  session.lost();
  expect(way.led).toEqual(['/']);
  expect(localStorage).toHaveLength(0);
});

describe('a loss while the session is being ended here', () => {
  const refusal = new Error('refused');

  test.each<[string, () => Promise<unknown>]>([
    ['before the answer', async () => session.lost()],
    ['on the way to the landing page', async () => void (way.on = () => session.lost())],
  ])('%s leads nowhere else', async (_when, operation) => {
    session.write(auth);
    await endSession(operation);
    expect(way.led).toEqual(['/']);
    expect(localStorage).toHaveLength(0);
    expect(sessionState().loggedIn).toBe(false);
  });

  test('counts if the deed fails', async () => {
    session.write(auth);
    const operation = async () => {
      session.lost();
      expect(way.led).toEqual([]);
      throw refusal;
    };
    await expect(endSession(operation)).rejects.toBe(refusal);
    expect(way.led).toEqual(['/login']);
    expect(localStorage.getItem('authData')).toBeNull();
    expect(localStorage.getItem('returnUrl')).toBe('/app');
  });

  test('is one like any other after a refused deed, which ends nothing', async () => {
    session.write(auth);
    await expect(endSession(() => Promise.reject(refusal))).rejects.toBe(refusal);
    expect([way.led, isLoggedIn(), sessionState().loggedIn]).toEqual([[], true, true]);
    session.lost();
    expect(way.led).toEqual(['/login']);
  });
});

test('a supplied address is saved instead of the current one [LOGIN-31]', () => {
  leadToLogin('/app/club/chess/token');
  expect(returnUrl()).toBe('/app/club/chess/token');
});

test.each(['/', '/login', '/login/', '/login?x=1', '/?x=1'])('on %s nothing is saved [LOGIN-32]', (here) => {
  way.here = here;
  leadToLogin();
  expect(localStorage.getItem('returnUrl')).toBeNull();
  expect(way.led).toEqual(['/login']);
});

test('the return address is used once, and only when it is a local path', () => {
  leadToLogin('/app/profile');
  expect(takeReturnUrl()).toBe('/app/profile');
  expect(takeReturnUrl()).toBeUndefined();
  localStorage.setItem('returnUrl', '//evil.example');
  expect(takeReturnUrl()).toBeUndefined();
  expect(localStorage.getItem('returnUrl')).toBeNull();
});

test('a pending invite is known by the club that was chosen and the address to return to', () => {
  leadToLogin('/app/club/chess/to%2Fken?from=mail');
  expect(pendingInvite()).toBeUndefined();
  rememberClub('chess');
  expect(pendingInvite()).toBe('to/ken');
  localStorage.setItem('returnUrl', '/app/clubs/chess');
  expect(pendingInvite()).toBeUndefined();
});

test('logging out forgets everything, and the screens learn of it on the landing page [AUTH-03 AUTH-04]', async () => {
  session.write(auth);
  rememberClub('chess');
  leadToLogin('/app/profile');
  way.led = [];
  const during: boolean[] = [];
  followGuide({
    here: () => way.here,
    go(path) {
      way.led.push(path);
      during.push(sessionState().loggedIn, isLoggedIn());
    },
  });
  await endSession();
  expect(during).toEqual([true, false]);
  expect(localStorage).toHaveLength(0);
  expect(sessionState().loggedIn).toBe(false);
  expect(way.led).toEqual(['/']);
});

test('a logout in another tab leads this one to the landing page, unless it stands on a public page', () => {
  session.write(auth);
  inOtherTab('authData', null);
  expect(way.led).toEqual(['/']);
  inOtherTab('authData', JSON.stringify(auth));
  expect(sessionState().loggedIn).toBe(true);
  way.here = '/privacy-policy?x=1';
  inOtherTab('authData', null);
  expect(way.led).toEqual(['/']);
  expect(sessionState().loggedIn).toBe(false);
});

test('a login as somebody else in another tab is a logout here, and then a login', () => {
  session.write(auth);
  localStorage.setItem('authData', JSON.stringify({ ...auth, AccessToken: { Token: 'of somebody else' } }));
  const told: boolean[] = [];
  const stop = onSession(() => told.push(sessionState().loggedIn));
  for (const newValue of [null, localStorage.getItem('authData')])
    window.dispatchEvent(new StorageEvent('storage', { key: 'authData', newValue }));
  stop();
  expect(told).toEqual([false, true]);
  expect(way.led).toEqual(['/']);
});

test('whoever enters is not taken for the one before', () => {
  session.write(auth);
  const told: boolean[] = [];
  const stop = onSession(() => told.push(sessionState().loggedIn));
  beginSession(auth);
  stop();
  expect(told).toEqual([false, true]);
  expect(session.read()).toEqual(auth);
});

test('work that needs to be alone is done also where the browser has no locks', async () => {
  expect('locks' in navigator).toBe(false);
  expect(await session.alone(async () => 'done')).toBe('done');
});

test('the context holds the user, whether there is a session, and when that changed [DATA-22 AUTH-02]', async () => {
  const { result } = renderHook(useSession, {
    wrapper: ({ children }) => <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>,
  });
  expect(result.current).toMatchObject({ user: undefined, loggedIn: false });
  const before = Date.now();
  act(() => {
    queryClient.setQueryData(queries.user().queryKey, user);
    session.write(auth);
  });
  expect(result.current).toMatchObject({ user, loggedIn: true });
  expect(result.current.updated).toBeGreaterThanOrEqual(before);
  await act(() => endSession());
  expect(result.current).toMatchObject({ user: undefined, loggedIn: false });
});
