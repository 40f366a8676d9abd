import { beforeEach, describe, expect, test } from 'vitest';
import {
  arrival,
  bindJoin,
  forgetInvite,
  isJoinIntended,
  pendingInvite,
  rememberArrival,
  rememberClub,
  rememberJoin,
  returnUrl,
  takeArrival,
  takeReturnUrl,
} from './after-login.ts';
import { redirectToLogin, setNavigation } from './session.ts';

beforeEach(() => {
  setNavigation({ here: () => '/', go: () => {} });
  localStorage.clear();
  sessionStorage.clear();
  document.documentElement.lang = 'en';
  document.head.replaceChildren();
});

test('return address: is used once, and only if it is a local path [T25]', () => {
  redirectToLogin('/app/profile');
  expect(takeReturnUrl()).toBe('/app/profile');
  expect(takeReturnUrl()).toBeUndefined();
  localStorage.setItem('returnUrl', '//evil.example');
  expect(takeReturnUrl()).toBeUndefined();
  expect(localStorage.getItem('returnUrl')).toBeNull();
});

const evening = { start: '2026-06-21T23:30:00.000Z', zone: 'Europe/London' };
const preview = (path: string, event: object = { title: 'Night & row', ...evening }) => `
    <link rel="canonical" href="https://muster.test${path}">
    <meta name="event" content="${JSON.stringify(event).replaceAll('"', '&quot;').replace('& ', '&amp; ')}">`;

describe('a page opened without a session', () => {
  test.each(['/app/events/tuesday-run?from=chat', '/app/clubs/rowers/updates', '/app/profile'])(
    'the login leads to %s, but only once [UX-21]',
    (path) => {
      rememberArrival(path);
      expect(arrival()).toEqual({ path });
      expect([returnUrl(), takeReturnUrl(), takeReturnUrl()]).toEqual([path, path, undefined]);
    },
  );

  test.each(['/app', '/app/', '/app?x=1', '/thankyou', '/no/such/page', '//evil.example', '/app//evil'])(
    '%s is not remembered [UX-21]',
    (path) => {
      rememberArrival(path);
      expect([arrival(), returnUrl()]).toEqual([undefined, undefined]);
    },
  );

  test.each([
    '{',
    'null',
    '"/app/profile"',
    '{"path":"https://evil.example/app/x"}',
    '{"path":"/app/../../evil"}',
    '{"path":"/login"}',
    '{"path":1}',
  ])('%s in the storage is ignored [T25 UX-21]', (stored) => {
    sessionStorage.setItem('arrival', stored);
    expect([arrival(), takeReturnUrl()]).toEqual([undefined, undefined]);
  });

  test('is replaced when another page redirects to the login [UX-21]', () => {
    rememberArrival('/app/profile');
    redirectToLogin('/app/club/rowers/token');
    expect([arrival(), returnUrl()]).toEqual([undefined, '/app/club/rowers/token']);
  });

  test('takes precedence over an earlier return address, perhaps of another tab, and removes that address [UX-21]', () => {
    redirectToLogin('/app/feedback');
    rememberArrival('/app/profile');
    expect([takeReturnUrl(), takeReturnUrl()]).toEqual(['/app/profile', undefined]);
  });

  test('is remembered with title and day if it is an event with a preview, and the day is in the language of the page that shows it [UX-22 AUTHUX-07]', () => {
    document.head.innerHTML = preview('/app/events/night-row');
    rememberArrival('/app/events/night-row?x=1');
    const shown = { path: '/app/events/night-row?x=1', title: 'Night & row' };
    expect(arrival()).toEqual({ ...shown, day: 'Monday 22 June 2026' });
    document.documentElement.lang = 'de';
    expect(arrival()).toEqual({ ...shown, day: 'Montag, 22. Juni 2026' });
  });

  test('is remembered with its title if the time of the event is not fixed yet [AUTHUX-07]', () => {
    document.head.innerHTML = preview('/app/events/night-row', { title: 'Night row' });
    rememberArrival('/app/events/night-row');
    expect(arrival()).toEqual({ path: '/app/events/night-row', title: 'Night row' });
  });

  test('is never remembered with the preview of another page [UX-22]', () => {
    document.head.innerHTML = preview('/app/events/night-row');
    rememberArrival('/app/events/tuesday-run');
    expect(arrival()).toEqual({ path: '/app/events/tuesday-run' });
    document.head.querySelector('[name=event]')?.remove();
    rememberArrival('/app/events/night-row');
    expect(arrival()).toEqual({ path: '/app/events/night-row' });
  });

  test('is forgotten when its notice is dismissed [UX-21]', () => {
    rememberArrival('/app/profile');
    expect(takeArrival()).toBe('/app/profile');
    expect(returnUrl()).toBeUndefined();
  });
});

test('pending invite: needs a remembered club and an invite as the return address', () => {
  redirectToLogin('/app/club/chess/to%2Fken?from=mail');
  expect(pendingInvite()).toBeUndefined();
  rememberClub('chess');
  expect(pendingInvite()).toBe('to/ken');
  rememberArrival('/app/events/run');
  expect(pendingInvite()).toBeUndefined();
  takeArrival();
  localStorage.setItem('returnUrl', '/app/clubs/chess');
  expect(pendingInvite()).toBeUndefined();
});

describe('an accepted invite', () => {
  const email = 'bob@example.org';

  test('counts only for the email that was entered last [UX-23]', () => {
    rememberJoin('token');
    expect(isJoinIntended('token', email)).toBe(false);
    bindJoin('bop@example.org');
    bindJoin('Bob@example.org');
    expect(isJoinIntended('token', email)).toBe(true);
    expect(isJoinIntended('token', 'bop@example.org')).toBe(false);
    expect(isJoinIntended('other', email)).toBe(false);
  });

  test('is replaced by the next accepted invite, for which an email has to be entered again [UX-23]', () => {
    rememberJoin('token');
    bindJoin(email);
    rememberJoin('other');
    expect([isJoinIntended('token', email), isJoinIntended('other', email)]).toEqual([false, false]);
    bindJoin(email);
    expect([isJoinIntended('token', email), isJoinIntended('other', email)]).toEqual([false, true]);
  });

  test('is forgotten, and so is the return address if it is the page of the invite; any other return address stays [UX-23]', () => {
    rememberClub('chess');
    rememberJoin('token');
    bindJoin(email);
    redirectToLogin('/app/club/chess/token');
    forgetInvite();
    expect([isJoinIntended('token', email), returnUrl(), localStorage.length]).toEqual([false, undefined, 0]);
    redirectToLogin('/app/profile');
    forgetInvite();
    expect(returnUrl()).toBe('/app/profile');
  });

  test('is not stored when an email is entered although "Accept Invite" has not been pressed [UX-23]', () => {
    bindJoin(email);
    expect(sessionStorage).toHaveLength(0);
  });
});
