import { fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { onePerScreen } from '#test/every-screen.tsx';
import { app, open, press, type, useEmptyTab } from '#test/render-app.tsx';
import { isLoggedIn } from '#web/first/session.ts';

useEmptyTab();
afterEach(() => vi.restoreAllMocks());

const notice = /^This browser does not store your login\./;

/** Replaces the storage of the browser. */
const withStorage = (kind: 'localStorage' | 'sessionStorage', get: () => unknown) =>
  vi.spyOn(window, kind, 'get').mockImplementation(get as () => Storage);

const storages = {
  denied() {
    for (const kind of ['localStorage', 'sessionStorage'] as const)
      withStorage(kind, () => {
        throw new DOMException('The operation is insecure.', 'SecurityError');
      });
  },
  missing() {
    for (const kind of ['localStorage', 'sessionStorage'] as const) withStorage(kind, () => null);
  },
  full() {
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
    });
  },
};

/** Without a stored login, all other paths lead to the landing page. */
const withoutLogin = onePerScreen.filter((path) => !/^\/app(?!\/club\/)/.test(path));

describe.each(Object.keys(storages) as (keyof typeof storages)[])('with a storage that is %s', (kind) => {
  test.each(withoutLogin)('%s says that this browser does not store the login [ROBUST-03]', async (path) => {
    storages[kind]();
    await open(path);
    expect((await screen.findByText(notice)).hidden).toBe(false);
  });

  test('the login asks for no code, and the link in the email does not use up its code [ROBUST-03]', async () => {
    storages[kind]();
    await open('/login');
    await type(/^Email/, 'bob@example.org');
    await press('Login');
    expect((await screen.findByRole('alert')).textContent).toMatch("We couldn't send the code");
    await open('/confirm?email=bob%40example.org&code=ABC234');
    await press('Log in');
    expect((await screen.findByRole('alert')).textContent).toMatch("We couldn't check your code");
    expect(app.sent.filter((call) => call.includes('/auth/'))).toEqual([]);
    expect(isLoggedIn()).toBe(false);
  });
});

test('a code that is entered after the storage has become full is not used up [ROBUST-03]', async () => {
  await open('/login');
  await type(/^Email/, 'bob@example.org');
  await press('Login');
  const code = await screen.findByLabelText('Code');
  storages.full();
  fireEvent.change(code, { target: { value: 'ABC234' } });
  await screen.findByText("We couldn't check your code");
  expect(app.sent.filter((call) => call.includes('/auth/confirm'))).toEqual([]);
});

test('with a working storage, no page says so [ROBUST-03]', async () => {
  await open('/login');
  await screen.findByRole('button', { name: 'Login' });
  expect(screen.queryByText(notice)).toBeNull();
});
