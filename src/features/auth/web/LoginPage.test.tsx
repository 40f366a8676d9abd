import { act, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  app,
  askForCode,
  auth,
  bob,
  follow,
  here,
  open,
  press,
  type,
  until,
  useEmptyTab,
} from '#test/render-app.tsx';
import { expectToast, failure, success } from '#test/render-page.tsx';
import { timeOfDay } from '#wire/format.ts';
import { dismissToast, toasts } from '#ui/toast.ts';
import { settings } from '#web/settings.ts';

useEmptyTab();

const failed = ['An error occurred', 'Please try again, or contact support.'] as const;
const confirmations = () => app.sent.filter((call) => call.startsWith('GET /api/v1/auth/confirm'));
const requests = () => app.sent.filter((call) => call.startsWith('GET /api/v1/auth/login'));
const refused = (status: number, error: string, headers = {}) =>
  Response.json({ data: null, status, error }, { status, headers });
const dialog = () => screen.queryByRole('dialog', { name: 'Enter your code?' });
const code = () => screen.findByLabelText<HTMLInputElement>('Code');
/** The code field on the card, which is shown after a failure. */
const codeAgain = () => screen.queryByLabelText<HTMLInputElement>('Enter the code again');
const resend = () => screen.getByRole<HTMLButtonElement>('button', { name: /^Resend Email/ });
const sentStatus = (sent_ago: number, next_in: number, good_for: number) => () =>
  success({ from: 'Muster <club@muster.test>', sent_ago, next_in, good_for });
const pass = (seconds: number) => act(() => vi.advanceTimersByTimeAsync(seconds * 1000));
const closeToasts = () => act(() => toasts().forEach(({ id }) => dismissToast(id)));
/** What the card says about the code after the dialog was closed. */
const notice = () => screen.getByRole('button', { name: 'Login' }).closest('main')?.textContent;

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: Date.parse('2026-06-21T17:30:00.000Z') });
});
afterEach(() => vi.useRealTimers());

async function openDialog(): Promise<void> {
  await open('/login');
  await askForCode(bob.email);
  await code();
}

async function close(): Promise<void> {
  await code();
  fireEvent.click(within(dialog() as HTMLElement).getByRole('button', { name: 'Close' }));
  await until(() => expect(dialog()).toBeNull());
}

/** Enters a code that the server refuses, and waits until the dialog is closed. */
async function enterWrong(entered: string, response = () => refused(400, 'wrong_code')): Promise<void> {
  app.responses['GET /api/v1/auth/confirm'] = response;
  await type(/^(Code|Enter the code again)$/, entered);
  await until(() => expect([dialog(), codeAgain()?.value ?? '']).toEqual([null, '']));
}

test.each(['', 'horst', 'horst.krause@example', 'horst@exam ple.org'])(
  'login: the address "%s" is not sent, and the field says what is wrong until it is edited [LOGIN-10 LOGIN-11 AUTHUX-05]',
  async (address) => {
    closeToasts();
    await open('/login');
    await askForCode(address);
    const field = screen.getByLabelText<HTMLInputElement>(/Email/);
    const error = await screen.findByText('Enter your full email, such as you@example.com.');
    expect([field.ariaInvalid ?? field.getAttribute('aria-invalid'), document.activeElement]).toEqual([
      'true',
      field,
    ]);
    expect([requests(), toasts().filter((toast) => toast.open)]).toEqual([[], []]);
    await type(/Email/, 'h');
    await until(() => expect(error.isConnected).toBe(false));
  },
);

test('login: says to what one agrees [AUTHUX-06]', async () => {
  await open('/login');
  await screen.findByText('By logging in, you agree to the privacy policy.');
  expect(screen.getByRole('link', { name: 'Privacy policy' }).getAttribute('href')).toBe('/privacy-policy');
});

describe('code dialog', () => {
  test('opens empty for a requested code, and a press outside leaves it open [LOGIN-12 LOGIN-13 LOGIN-14 LOGIN-15 LOGIN-16 LOGIN-17 LOGIN-25]', async () => {
    await openDialog();
    expect(requests()).toEqual(['GET /api/v1/auth/login?email=bob@example.org']);
    expect(dialog()?.textContent).toContain('Check your email for the code and enter it below.');
    expect((await code()).value).toBe('');
    expect(resend().textContent).toBe('Resend Email (60s)');
    // The dialog starts listening to presses outside of it in the next task.
    await pass(1);
    fireEvent.pointerDown(document.body, { pointerType: 'mouse' });
    fireEvent.click(document.body);
    await pass(1);
    expect(dialog()).not.toBeNull();
  });

  test('six characters log in at once; fewer keep the button disabled [LOGIN-19 LOGIN-20 LOGIN-26 LOGIN-29 AUTH-01 UX-20]', async () => {
    await openDialog();
    const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Confirm Code' });
    await type('Code', 'ABC23');
    expect([button.disabled, confirmations()]).toEqual([true, []]);
    await type('Code', 'ABC234');
    fireEvent.click(button);
    fireEvent.submit(button);
    await until(() => expect(here()).toBe('/app'));
    expect(confirmations()).toEqual(['GET /api/v1/auth/confirm?email=bob@example.org&code=ABC234']);
    expect(JSON.parse(localStorage.getItem('authData') ?? '')).toEqual(auth);
  });

  test('can resend the email after a minute [LOGIN-22 LOGIN-23 LOGIN-24 TOAST-05]', async () => {
    await openDialog();
    await pass(30);
    expect([resend().textContent, resend().disabled]).toEqual(['Resend Email (30s)', true]);
    await pass(30);
    expect([resend().textContent, resend().disabled]).toEqual(['Resend Email', false]);
    app.responses['GET /api/v1/auth/login'] = () => failure(500);
    fireEvent.click(resend());
    await expectToast(...failed);
    await closeToasts();
    app.responses['GET /api/v1/auth/login'] = sentStatus(0, 60, 600);
    fireEvent.click(resend());
    await until(() => expect(resend().textContent).toBe('Resend Email (60s)'));
    expect((await code()).value).toBe('');
    expect(requests()).toHaveLength(3);
  });

  test('can be reopened after it was closed, and is empty then [UX-18]', async () => {
    await openDialog();
    await type('Code', 'ABC');
    await close();
    expect(notice()).toContain('Sent to bob@example.org');
    await press('Enter the code again');
    expect((await code()).value).toBe('');
  });

  test('reopens after a reload', async () => {
    await openDialog();
    await open();
    await code();
    expect(requests()).toHaveLength(1);
  });
});

describe('the card', () => {
  const defaults = { ...settings };
  afterEach(() => {
    for (const key of ['registration', 'allowedEmailDomains'] as const) delete settings[key];
    Object.assign(settings, defaults);
  });

  test.each([
    ['everybody', {}, /^Sign up or log in.*We'll email you a code\. No password needed\.Email/],
    [
      'invited people',
      { registration: 'invited' },
      /^Sign up or log in.*if you have an account or come from an invite link\./,
    ],
    [
      'nobody new',
      { registration: 'closed' },
      /^Log in.*if you have an account\. New accounts can't be created here\./,
    ],
    [
      'people of some domains',
      { allowedEmailDomains: ['club.example', 'school.example'] },
      /^Sign up.*New accounts need an email that ends with @club\.example or @school\.example\./,
    ],
  ] as const)(
    'says before an address is entered that %s may create an account [OPER-06 OPER-07]',
    async (_who, registration, text) => {
      Object.assign(settings, registration);
      await open('/login');
      expect((await screen.findByRole('button', { name: 'Login' })).closest('form')?.textContent).toMatch(
        text,
      );
      expect(requests()).toEqual([]);
    },
  );
});

test('a failed request for a code: the card shows the error until a code is sent, and keeps the email [UX-28]', async () => {
  app.responses['GET /api/v1/auth/login'] = () => failure(500);
  await open('/login');
  await askForCode(bob.email);
  await expectToast(...failed);
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toMatch(/^We couldn't send the code.+\. Try again in a moment\.$/);
  expect(screen.getByLabelText<HTMLInputElement>(/^Email/).value).toBe(bob.email);
  app.responses['GET /api/v1/auth/login'] = sentStatus(0, 60, 600);
  await press('Login');
  await code();
  expect(screen.queryByText("We couldn't send the code")).toBeNull();
});

describe('a wrong code', () => {
  test('closes the dialog with a toast, and the card offers to enter the code again while the sent code is valid [LOGIN-27 TOAST-06 UX-18]', async () => {
    await openDialog();
    await enterWrong('AAAAAA');
    await expectToast(...failed);
    expect(localStorage.getItem('authData')).toBeNull();
    expect(screen.getByRole('alert').textContent).toContain("That code isn't right");
    expect(notice()).toContain(`Sent to bob@example.org at ${timeOfDay('2026-06-21T17:30:00.000Z')}.`);
    expect(notice()).toMatch(/You can get another code in (60|5\d)\ss\./);
    await open();
    expect((await screen.findByRole('alert')).textContent).toContain("That code isn't right");
    await pass(60);
    expect(notice()).toContain('You can get another code now.');
    expect(codeAgain()?.value).toBe('');
    expect(requests()).toHaveLength(1);
    await pass(540);
    expect(codeAgain()).toBeNull();
    expect(notice()).toMatch(/no longer works\.\s*You can get another code now\./);
  });

  test('moves the focus to an empty field, whose description is the error [UX-18 UX-20]', async () => {
    await openDialog();
    const focused: unknown[] = [];
    document.addEventListener('focusin', ({ target }) => focused.push(target));
    for (const wrong of ['AAAAAA', 'BBBBBB']) {
      await enterWrong(wrong);
      await until(() => expect(document.activeElement).toBe(codeAgain()));
      // The closed dialog returns the focus in a timer.
      await pass(1);
      expect(document.activeElement).toBe(codeAgain());
      // On a phone, a button that gets the focus in between would close the keyboard.
      expect(focused).not.toContain(screen.getByRole('button', { name: 'Login' }));
      const reason = document.getElementById(codeAgain()?.getAttribute('aria-describedby') ?? '');
      expect(reason?.textContent).toBe("That code isn't right");
      expect(screen.getByRole('alert').contains(reason)).toBe(true);
    }
    app.responses['GET /api/v1/auth/confirm'] = () => success(auth);
    await type('Enter the code again', 'ABC234');
    await until(() => expect(here()).toBe('/app'));
  });

  test('is never sent twice, and each attempt shows an error [UX-20]', async () => {
    await openDialog();
    await enterWrong('AAAAAA');
    await closeToasts();
    await enterWrong('aaaaaa');
    await expectToast(...failed);
    expect(screen.getByRole('alert').textContent).toContain("That code isn't right");
    expect(confirmations()).toHaveLength(1);
    await enterWrong('BBBBBB');
    expect(confirmations()).toHaveLength(2);
  });

  test('cannot be entered again on the card after the fifth attempt [UX-18]', async () => {
    await openDialog();
    for (const wrong of ['AAAAAA', 'BBBBBB', 'CCCCCC', 'DDDDDD']) {
      await enterWrong(wrong);
      expect(codeAgain()).not.toBeNull();
    }
    await enterWrong('EEEEEE');
    expect(notice()).toMatch(
      /That code isn't right.* no longer works\.\s*You can get another code in \d+\ss\./,
    );
    expect(codeAgain()).toBeNull();
  });

  test.each([
    ['60', /Too many wrong codes.*Try again at \d+:31 [ap]m, or use the link in the email\./],
    ['86400', /Try again tomorrow at \d+:30 [ap]m, or use the link/],
  ])(
    'after too many attempts (retry-after: %s): the card shows when to try again, and the code is not resent [UX-18]',
    async (seconds, text) => {
      await openDialog();
      await enterWrong('AAAAAA', () => refused(429, 'too_often', { 'retry-after': seconds }));
      await expectToast(...failed);
      expect(confirmations()).toHaveLength(1);
      expect(screen.getByRole('alert').textContent).toMatch(text);
      expect(notice()).not.toContain('Enter the code again');
      if (seconds !== '60') return;
      await pass(61);
      await press('Enter the code again');
      await code();
    },
  );

  test('that the server could not check is not reported as wrong [UX-18]', async () => {
    await openDialog();
    await enterWrong('AAAAAA', () => refused(503, 'unavailable'));
    expect(screen.getByRole('alert').textContent).toMatch(/couldn't check your code.*service is unavailable/);
    app.responses['GET /api/v1/auth/confirm'] = () => success(auth);
    await type('Enter the code again', 'AAAAAA');
    await until(() => expect(here()).toBe('/app'));
  });
});

describe('a code that was sent before', () => {
  test('less than a minute ago: the dialog says when it was sent and counts down to the next one [UX-19]', async () => {
    app.responses['GET /api/v1/auth/login'] = sentStatus(45, 15, 555);
    await openDialog();
    expect(dialog()?.textContent).toContain(
      `at ${timeOfDay('2026-06-21T17:29:15.000Z')}. It can take a minute.`,
    );
    expect(resend().textContent).toBe('Resend Email (15s)');
    await pass(15);
    expect(resend().textContent).toBe('Resend Email');
  });

  test('and has expired: the dialog does not claim that a code was sent now [UX-19]', async () => {
    app.responses['GET /api/v1/auth/login'] = sentStatus(1200, 2400, 0);
    await openDialog();
    const time = timeOfDay('2026-06-21T17:10:00.000Z');
    expect(dialog()?.textContent).toContain(`The code sent to bob@example.org at ${time} no longer works.`);
    expect(dialog()?.textContent).not.toContain('can take a minute');
    expect(resend().textContent).toBe('Resend Email (2400s)');
    await close();
    expect(notice()).toContain('no longer works');
  });

  test('keeps its count of wrong tries when the user requests a code again [UX-18]', async () => {
    await openDialog();
    for (const wrong of ['AAAAAA', 'BBBBBB', 'CCCCCC', 'DDDDDD']) await enterWrong(wrong);
    app.responses['GET /api/v1/auth/login'] = sentStatus(0, 60, 600);
    await press('Login');
    await code();
    await enterWrong('EEEEEE');
    expect(notice()).toContain('no longer works');
  });
});

describe('the link in the login email', () => {
  test.each(['?email=ada@example.org', '?code=abcdef', ''])(
    'with the query "%s" is not valid and leads to the login [LOGIN-34 LOGIN-35]',
    async (query) => {
      await open(`/confirm${query}`);
      await screen.findByText('This link is not valid');
      expect(screen.queryByRole('button', { name: 'Log in' })).toBeNull();
      await follow('Go to login');
      await until(() => expect(here()).toBe('/login'));
    },
  );

  const link = `/confirm?email=bob@example.org&code=${'x'.repeat(43)}`;

  test('leads to the root when its code has expired, which says so and leads on to a new code and to the page of the link [LOGIN-36 AUTHUX-02]', async () => {
    app.responses['GET /api/v1/auth/confirm'] = () => refused(400, 'wrong_code');
    await open(`${link}&rUrl=/app/feedback`);
    await press('Log in');
    await until(() => expect(here()).toBe('/'));
    await expectToast(...failed);
    await screen.findByText('This link has expired or was already used.');
    await follow('Request a new code');
    const email = await screen.findByLabelText<HTMLInputElement>(/Email/);
    expect(email.value).toBe('bob@example.org');
    app.responses['GET /api/v1/auth/confirm'] = () => success(auth);
    await press('Login');
    await type('Code', 'ABC234');
    await until(() => expect(app.opened).toContain('/app/feedback'));
  });

  test.each([
    ['another reason', () => refused(503, 'unavailable')],
    ['no reason that a new code would help with', () => refused(409, 'email_taken')],
  ])('leads to the root after %s without that notice [LOGIN-36 AUTHUX-02]', async (_, response) => {
    app.responses['GET /api/v1/auth/confirm'] = response;
    await open(link);
    await press('Log in');
    await until(() => expect(here()).toBe('/'));
    expect(screen.queryByText(/link has expired/)).toBeNull();
  });

  test('stays on its page when the network fails, and can be used again [AUTHUX-02]', async () => {
    app.responses['GET /api/v1/auth/confirm'] = () => Promise.reject(new TypeError('Failed to fetch'));
    await open(link);
    await press('Log in');
    expect((await screen.findByRole('alert')).textContent).toContain("We couldn't check your code");
    expect(here()).toContain('/confirm');
    app.responses['GET /api/v1/auth/confirm'] = () => success(auth);
    await press('Log in');
    await until(() => expect(here()).toBe('/app'));
  });
});
