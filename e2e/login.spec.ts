import type { Page } from '@playwright/test';
import { expect, freshAddress, emailTo, origin, test } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key);
const emailField = (page: Page) => page.getByRole('textbox', { name: 'Email' });
const loginButton = (page: Page) => page.getByRole('button', { name: 'Login', exact: true });
const codeDialog = (page: Page) => page.getByRole('dialog', { name: 'Enter your code?' });
const failure = ['An error occurred', 'Please try again, or contact support.'] as const;

async function askForCode(page: Page, email: string): Promise<void> {
  await emailField(page).fill(email);
  await loginButton(page).click();
}

test('login: asks for an email address only, and shows an error unless the response is 200 [LOGIN-01 LOGIN-02 LOGIN-03 LOGIN-04 LOGIN-10 LOGIN-11 LOGIN-12 TOAST-04 ROUTE-02]', async ({
  visitor,
}) => {
  const { page } = await visitor();
  await page.goto('/login');
  await expect(page).toHaveURL('/login');
  const email = emailField(page);
  await expect(email).toHaveAttribute('type', 'email');
  await expect(email).toHaveJSProperty('required', true);
  await expect(page.locator('input[type=password]')).toHaveCount(0);
  await expect(page.getByText(/Login to join/)).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'Support' })).toHaveAttribute(
    'href',
    'mailto:support@muster.test?subject=Muster',
  );
  await loginButton(page).click();
  await askForCode(page, 'no address');
  await expect(codeDialog(page)).toBeHidden();
  expect(await email.evaluate((field: HTMLInputElement) => field.validity.typeMismatch)).toBe(true);
  await page.route('**/api/v1/auth/login*', (route) =>
    route.fulfill({ status: 202, json: { data: { from: 'club@muster.test' }, status: 202, error: null } }),
  );
  const request = page.waitForRequest((sent) => sent.url().includes('/api/v1/auth/login?email='));
  await askForCode(page, 'ada@example.org');
  expect((await request).method()).toBe('GET');
  await expectToast(page, ...failure);
  await expect(codeDialog(page)).toBeHidden();
});

test('login: a logged-in user can continue or log out [LOGIN-06 LOGIN-07 LOGIN-08 LOGIN-09 AUTH-03 AUTH-04]', async ({
  person,
}) => {
  const { page, context, api } = await person('Ada');
  await api.users.update({ user_name: 'countess' });
  await page.goto('/login');
  await expect(page.getByText('Logged in', { exact: true })).toBeVisible();
  await expect(page.getByText('You are logged in as countess')).toBeVisible();
  await page.getByRole('link', { name: 'Go To App' }).click();
  await expect(page).toHaveURL('/app');
  const tab = await context.newPage();
  await tab.goto('/login');
  await tab.evaluate(() => localStorage.setItem('clubSlug', 'any'));
  await tab.getByRole('button', { name: 'Log Out' }).click();
  for (const each of [tab, page]) await expect(each).toHaveURL(`${origin()}/`);
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
  await expect(page.getByRole('link', { name: 'Sign up | Log in' })).toBeVisible();
  // The logout does not wait for the server.
  await expect.poll(() => api.users.me({}).catch(({ status }: { status: number }) => status)).toBe(401);
});

const linkIn = (text: string | undefined) => /https?:\/\/\S+\/confirm\?\S+/.exec(text ?? '')?.[0] ?? '';

test.describe('the link in the login email', () => {
  test('logs in with one more click in a browser without a session, and opening it alone does not use up the code [LOGIN-33 LOGIN-37 T6]', async ({
    visitor,
  }) => {
    const email = freshAddress('ada');
    const [first, { page }] = [await visitor(), await visitor()];
    await first.page.goto('/login');
    await askForCode(first.page, email);
    const link = linkIn((await emailTo(email)).text);
    await page.goto(link);
    await page.reload();
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
});
