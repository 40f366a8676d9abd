import type { Page } from '@playwright/test';
import { codeIn, expect, freshAddress, emailTo, origin, test } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key);

const loginCard = (page: Page) => ({
  email: page.getByRole('textbox', { name: 'Email' }),
  login: page.getByRole('button', { name: 'Login', exact: true }),
  dialog: page.getByRole('dialog', { name: 'Enter your code?' }),
});

async function askForCode(page: Page, email: string) {
  const card = loginCard(page);
  await card.email.fill(email);
  await card.login.click();
  await expect(card.dialog).toBeVisible();
  return card.dialog;
}

async function enterCode(page: Page, code: string) {
  const dialog = page.getByRole('dialog', { name: 'Enter your code?' });
  await dialog.getByRole('textbox').fill(code);
  await dialog.getByRole('button', { name: 'Confirm Code' }).click();
}

test('login: asks for an email address only [LOGIN-01 LOGIN-02 LOGIN-03 LOGIN-04 LOGIN-10 LOGIN-11 ROUTE-02]', async ({
  visitor,
}) => {
  const { page } = await visitor();
  await page.goto('/login');
  const { email, login, dialog } = loginCard(page);
  await expect(email).toHaveAttribute('type', 'email');
  await expect(email).toHaveJSProperty('required', true);
  await expect(page.locator('input[type=password]')).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'Support' })).toHaveAttribute(
    'href',
    'mailto:support@muster.test?subject=Muster',
  );
  await login.click();
  await email.fill('no address');
  await login.click();
  await expect(dialog).toBeHidden();
  expect(await email.evaluate((field: HTMLInputElement) => field.validity.typeMismatch)).toBe(true);
});

test('code dialog: has six slots in two groups and needs six letters or digits [LOGIN-12 LOGIN-13 LOGIN-14 LOGIN-16 LOGIN-17 LOGIN-18 LOGIN-19 LOGIN-20 LOGIN-21 LOGIN-25]', async ({
  visitor,
}) => {
  const { page } = await visitor();
  await page.goto('/login');
  const request = page.waitForRequest((sent) => sent.url().includes('/api/v1/auth/login?email='));
  const dialog = await askForCode(page, freshAddress('ada'));
  expect((await request).method()).toBe('GET');
  await expect(dialog).toContainText('Check your email for the code and enter it below.');

  const input = dialog.getByRole('textbox');
  const confirm = dialog.getByRole('button', { name: 'Confirm Code' });
  await expect(input).toHaveValue('');
  await expect(confirm).toBeDisabled();
  const groups = dialog.locator('[data-slots]');
  await expect(groups).toHaveCount(2);
  for (const group of await groups.all()) await expect(group.locator('[data-slot]')).toHaveCount(3);

  await input.pressSequentially('ab-c!1 2');
  await expect(input).toHaveValue(/^abc12$/i);
  await expect(confirm).toBeDisabled();
  await input.press('9');
  await expect(confirm).toBeEnabled();
  await input.press('7');
  await expect(input).toHaveValue(/^abc12\d$/i);

  await page.mouse.click(5, 5);
  await expect(dialog).toBeVisible();
});

test('code dialog: a correct code logs in and leads to the app [LOGIN-26 LOGIN-29 AUTH-01 AUTH-02]', async ({
  visitor,
}) => {
  const { page } = await visitor();
  const email = freshAddress('ada');
  await page.goto('/login');
  await askForCode(page, email);
  const request = page.waitForRequest((sent) => sent.url().includes('/api/v1/auth/confirm'));
  await enterCode(page, codeIn(await emailTo(email)));
  expect((await request).method()).toBe('GET');
  await expect(page).toHaveURL('/app');
  await expect(page.getByRole('banner')).toBeVisible();
  const auth = JSON.parse((await stored(page, 'authData')) ?? '') as Record<string, { Token: string }>;
  expect(auth['AccessToken']?.Token).toMatch(/\S{20,}/);
  expect(auth['RefreshToken']?.Token).toMatch(/\S{20,}/);
});

test('code dialog: a pasted code fills every slot', async ({ visitor }) => {
  const { page, context } = await visitor();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const email = freshAddress('ada');
  await page.goto('/login');
  const dialog = await askForCode(page, email);
  const code = codeIn(await emailTo(email));
  await page.evaluate((text) => navigator.clipboard.writeText(text), `${code.slice(0, 3)} ${code.slice(3)}`);
  await dialog.getByRole('textbox').focus();
  await page.keyboard.press('ControlOrMeta+v');
  await dialog.getByRole('button', { name: 'Confirm Code' }).click();
  await expect(page).toHaveURL('/app');
});

test('code dialog: a wrong code closes it with an error [LOGIN-27 TOAST-06]', async ({ visitor }) => {
  const { page } = await visitor();
  await page.goto('/login');
  const dialog = await askForCode(page, freshAddress('ada'));
  await enterCode(page, 'AAAAAA');
  await expectToast(page, 'An error occurred', 'Please try again, or contact support.');
  await expect(dialog).toBeHidden();
  expect(await stored(page, 'authData')).toBeNull();
});

test('login: shows an error when the request for a code is refused [TOAST-04]', async ({ visitor }) => {
  const { page } = await visitor();
  await page.goto('/login');
  await loginCard(page).email.fill('ada@localhost');
  await loginCard(page).login.click();
  await expectToast(page, 'An error occurred', 'Please try again, or contact support.');
  await expect(loginCard(page).dialog).toBeHidden();
});

test('code dialog: the code can be sent again after a minute, repeatedly [LOGIN-15 LOGIN-22 LOGIN-23 LOGIN-24 TOAST-05]', async ({
  visitor,
}) => {
  const { page, context } = await visitor();
  await page.clock.install();
  await page.goto('/login');
  const dialog = await askForCode(page, freshAddress('ada'));
  const resend = dialog.getByRole('button', { name: /Resend Email/ });
  await expect(resend).toHaveText(/^Resend Email \((60|59)s\)$/);
  await expect(resend).toBeDisabled();
  await page.clock.runFor(30_000);
  await expect(resend).toHaveText(/^Resend Email \((30|29)s\)$/);
  await page.clock.runFor(31_000);
  await expect(resend).toHaveText('Resend Email');

  await context.setOffline(true);
  await resend.click();
  await expectToast(page, 'An error occurred', 'Please try again, or contact support.');
  await context.setOffline(false);

  const sent = page.waitForRequest((request) => request.url().includes('/api/v1/auth/login'));
  await resend.click();
  await sent;
  await expect(resend).toHaveText(/^Resend Email \((60|59)s\)$/);
  await expect(resend).toBeDisabled();
});

test('code dialog: survives a reload', async ({ visitor }) => {
  const { page } = await visitor();
  const email = freshAddress('ada');
  await page.goto('/login');
  await askForCode(page, email);
  await page.reload();
  await enterCode(page, codeIn(await emailTo(email)));
  await expect(page).toHaveURL('/app');
});

test('login: a logged-in user can continue or log out [LOGIN-06 LOGIN-07 LOGIN-08 LOGIN-09 AUTH-03 AUTH-04]', async ({
  person,
}) => {
  const { page, api } = await person('Ada');
  await api.users.update({ user_name: 'countess' });
  await page.goto('/login');
  await expect(page.getByText('Logged in', { exact: true })).toBeVisible();
  await expect(page.getByText('You are logged in as countess')).toBeVisible();
  await page.getByRole('link', { name: 'Go To App' }).click();
  await expect(page).toHaveURL('/app');
  await page.goto('/login');
  await page.getByRole('button', { name: 'Log Out' }).click();
  await expect(page).toHaveURL('/');
  expect(await stored(page, 'authData')).toBeNull();
  await expect(page.getByRole('link', { name: 'Sign up | Log in' })).toBeVisible();
  // The logout does not wait for the server.
  await expect.poll(() => api.users.me({}).catch((failure: { status: number }) => failure.status)).toBe(401);
});

test('return address: is used once after the login, and ignored when it is on another origin [LOGIN-28 DATA-01 T25]', async ({
  visitor,
}) => {
  for (const [returnUrl, path] of [
    ['/app/new-club', '/app/new-club'],
    ['//evil.test/x', '/app'],
  ] as const) {
    const { page } = await visitor();
    const email = freshAddress('ada');
    await page.goto('/login');
    await page.evaluate((address) => localStorage.setItem('returnUrl', address), returnUrl);
    await page.reload();
    await askForCode(page, email);
    await enterCode(page, codeIn(await emailTo(email)));
    await expect(page).toHaveURL(path);
    expect(await stored(page, 'returnUrl')).toBeNull();
  }
});

test('expired session: leads to the login and back to path and query [LOGIN-30 AUTH-11 AUTH-12]', async ({
  person,
}) => {
  const { page, api } = await person('Ada');
  await api.auth.logout({});
  await page.goto('/app/profile?tab=name');
  await expect(page).toHaveURL('/login');
  expect(await stored(page, 'returnUrl')).toBe('/app/profile?tab=name');
  expect(await stored(page, 'authData')).toBeNull();
});

for (const status of [400, 403, 404])
  test(`expired session: a ${status} of the refresh clears it and leads to the login [AUTH-11]`, async ({
    person,
  }) => {
    const { page } = await person('Ada');
    await page.goto('/app');
    await expect(page.getByText('Join or create a club to get started!')).toBeVisible();
    await page.route('**/api/v1/auth/refresh*', (route) =>
      route.fulfill({ status, json: { data: null, status, error: 'bad_input' } }),
    );
    await page.route('**/api/v1/users/sessions', (route) =>
      route.fulfill({ status: 401, json: { data: null, status: 401, error: 'not_signed_in' } }),
    );
    await page.getByRole('button', { name: 'User menu' }).click();
    await page.getByRole('menuitem', { name: 'Account' }).click();
    await expect(page).toHaveURL('/login');
    expect(await stored(page, 'authData')).toBeNull();
    expect(await stored(page, 'returnUrl')).toBe('/app/profile');
  });

test('login from an invite: stores the address of the invite and names the club [LOGIN-05 LOGIN-31 DATA-02]', async ({
  person,
  club,
  visitor,
}) => {
  const ada = await person('Ada');
  const { id, slug } = await club([ada], 'Chess & Cake');
  const { invite_link } = await ada.api.invites.create({ club_id: id });
  const { page } = await visitor();
  await page.goto('/login');
  await expect(page.getByText(/Login to join/)).toHaveCount(0);
  const path = `/app/club/${slug}/${invite_link}`;
  await page.goto(path);
  await page.getByRole('button', { name: 'Accept Invite' }).click();
  await expect(page).toHaveURL('/login');
  await expect(page.getByText('Login to join Chess & Cake')).toBeVisible();
  expect(await stored(page, 'returnUrl')).toBe(path);
  expect(await stored(page, 'clubSlug')).toBe(slug);
});

test('return address: is not stored when coming from the landing page or the login [LOGIN-32]', async ({
  visitor,
}) => {
  const { page } = await visitor();
  await page.goto('/');
  await page.getByRole('link', { name: 'Sign up | Log in' }).click();
  await expect(page).toHaveURL('/login');
  expect(await stored(page, 'returnUrl')).toBeNull();
});

const linkIn = (text: string | undefined) => /https?:\/\/\S+\/confirm\?\S+/.exec(text ?? '')?.[0] ?? '';

test.describe('the link in the login email', () => {
  test('logs in with one more click in a browser without a session, and loading it does not use the code [LOGIN-33 LOGIN-37 T6]', async ({
    visitor,
  }) => {
    const email = freshAddress('ada');
    const first = await visitor();
    await first.page.goto('/login');
    await askForCode(first.page, email);
    const link = linkIn((await emailTo(email)).text);
    const scanner = await visitor();
    await scanner.page.goto(link);
    await expect(scanner.page.getByRole('button', { name: 'Log in' })).toBeVisible();

    const { page } = await visitor();
    await page.goto(link);
    await expect(page.getByText(email)).toBeVisible();
    expect(await stored(page, 'authData')).toBeNull();
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect(page).toHaveURL('/app');
  });

  test('switches the account in all tabs when another user is logged in', async ({ person, club }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    await club([ada]);
    await ada.page.goto('/app');
    await expect(ada.page.getByText('Welcome, Ada')).toBeVisible();
    await bob.api.auth.login({ email: bob.email });
    const tab = await ada.context.newPage();
    await tab.goto(linkIn((await emailTo(bob.email, 1)).text));
    await tab.getByRole('button', { name: 'Log in' }).click();
    const nothingYet = 'Join or create a club to get started!';
    await expect(tab.getByText(nothingYet)).toBeVisible();
    await expect(ada.page).toHaveURL('/');
    await expect(ada.page.getByText('Welcome, Ada')).toHaveCount(0);
    await ada.page.goto('/app');
    await expect(ada.page.getByText(nothingYet)).toBeVisible();
  });

  for (const [missing, query, id] of [
    ['code', '?email=ada@example.org', 'LOGIN-34'],
    ['email', '?code=abcdef', 'LOGIN-35'],
  ] as const) {
    test(`is not valid without its ${missing} [${id}]`, async ({ visitor }) => {
      const { page } = await visitor();
      await page.goto(`/confirm${query}`);
      await expect(page.getByText('This link is not valid')).toBeVisible();
      await expect(page.getByRole('button', { name: 'Log in' })).toHaveCount(0);
      await page.getByRole('link', { name: /login/i }).click();
      await expect(page).toHaveURL('/login');
    });
  }

  test('leads to the root with an expired code [LOGIN-36]', async ({ visitor }) => {
    const { page } = await visitor();
    await page.goto(`/confirm?email=${freshAddress('ada')}&code=${'x'.repeat(43)}`);
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect(page).toHaveURL(`${origin()}/`);
  });
});
