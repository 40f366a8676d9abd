import type { Page } from '@playwright/test';
import { expect, origin, test, type Person } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key);

/** Invalidates the access token in the browser, like its expiry after 15 minutes. */
const expire = (page: Page) =>
  page.evaluate(() => {
    const auth = JSON.parse(localStorage.getItem('authData') ?? '') as { AccessToken: { Token: string } };
    auth.AccessToken.Token = 'expired';
    localStorage.setItem('authData', JSON.stringify(auth));
  });

function countCalls(page: Page, path: string): string[] {
  const calls: string[] = [];
  page.on('request', (request) => void (request.url().includes(path) && calls.push(request.url())));
  return calls;
}

test.describe('without an access token', () => {
  for (const [path, id, shown] of [
    ['/', 'ROUTE-01', 'Organise your Club'],
    ['/login', 'ROUTE-02', 'Login'],
    ['/privacy-policy', 'ROUTE-03', 'Privacy'],
    ['/app/club/any/thing', 'ROUTE-04', 'Invite not found'],
  ] as const) {
    test(`${path} is reachable [${id}]`, async ({ visitor }) => {
      const { page } = await visitor();
      await page.goto(path);
      await expect(page).toHaveURL(path);
      await expect(page.getByText(shown).first()).toBeVisible();
    });
  }

  test('every other path leads to the landing page and stores no return address [ROUTE-05 ROUTE-06]', async ({
    visitor,
  }) => {
    const { page } = await visitor();
    for (const path of [
      '/app',
      '/app/clubs/any',
      '/app/profile',
      '/app/events/any',
      '/no/such/page',
      '/thankyou',
    ]) {
      await page.goto(path);
      await expect(page).toHaveURL(`${origin()}/`);
      expect(await page.evaluate(() => localStorage.length)).toBe(0);
    }
  });
});

test('unknown path: shows Not Found [ROUTE-07]', async ({ person }) => {
  const { page } = await person('Ada');
  for (const path of ['/no/such/page', '/app/no/such/page']) {
    await page.goto(path);
    await expect(page.getByText('Not Found')).toBeVisible();
  }
});

test('club and updates: lead to the app when they do not load [ROUTE-08 ROUTE-09 TOAST-17]', async ({
  person,
}) => {
  const { page } = await person('Ada');
  await page.goto('/app/clubs/no-such-club');
  await expect(page).toHaveURL('/app');
  await expectToast(page, 'Error', 'Club not found');
  await page.goto('/app/clubs/no-such-club/updates');
  await expect(page).toHaveURL('/app');
});

test('expired access token: concurrent calls refresh it once and continue [AUTH-09 AUTH-10]', async ({
  person,
  club,
  event,
}) => {
  const ada = await person('Ada');
  const handle = await club([ada]);
  await event(handle, ada);
  const { page } = ada;
  // The app does not run on this page, so it cannot refresh the token early.
  await page.goto('/icon.svg');
  await expire(page);
  const renewals = countCalls(page, '/auth/refresh');
  const refused = page.waitForResponse((answer) => answer.status() === 401);
  await page.goto('/app');
  await refused;
  await expect(page.getByText('Tuesday run')).toBeVisible();
  expect(renewals).toHaveLength(1);
  expect(await stored(page, 'authData')).not.toContain('expired');
});

test('expired access token: two tabs that refresh it both stay logged in [C6]', async ({ person }) => {
  test.setTimeout(90_000);
  const { page, context } = await person('Ada');
  await page.goto('/app');
  const other = await context.newPage();
  await other.goto('/app');
  for (let round = 0; round < 20; round++) {
    await expire(page);
    await Promise.all([page.goto('/app/profile'), other.goto('/app/profile')]);
    await expect(page.getByLabel('First Name')).toHaveValue('Ada');
    await expect(other.getByLabel('First Name')).toHaveValue('Ada');
  }
});

test('expired access token: ends the session without a refresh token [AUTH-13]', async ({ person }) => {
  const { page } = await person('Ada');
  // The app does not run on this page, so it notices only on the next page.
  await page.goto('/icon.svg');
  await page.evaluate(() => {
    localStorage.setItem(
      'authData',
      JSON.stringify({ AccessToken: { Token: 'expired' }, RefreshToken: { Token: '' } }),
    );
  });
  await page.goto('/app/new-club');
  await expect(page).toHaveURL('/login');
  expect(await stored(page, 'authData')).toBeNull();
});

test('unreadable auth data: counts as no session and shows no error [AUTH-17]', async ({ visitor }) => {
  const { page } = await visitor();
  const warnings: string[] = [];
  page.on('console', (message) => void (message.type() === 'warning' && warnings.push(message.text())));
  await page.goto('/privacy-policy');
  await page.evaluate(() => localStorage.setItem('authData', '{broken'));
  await page.goto('/login');
  await expect(page.getByRole('button', { name: 'Login', exact: true })).toBeVisible();
  expect(warnings.join()).toContain('session');
  await expect(page.getByRole('region', { name: /^Notifications/ }).getByRole('listitem')).toHaveCount(0);
});

test('logout: clears all stored data', async ({ person }) => {
  const { page } = await person('Ada');
  await page.goto('/app');
  await page.evaluate(() => localStorage.setItem('clubSlug', 'any'));
  await page.getByRole('button', { name: /menu|account/i }).click();
  await page.getByRole('menuitem', { name: 'Log Out' }).click();
  await expect(page).toHaveURL(`${origin()}/`);
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
});

test('logout: applies to other tabs too', async ({ person }) => {
  const { page, context } = await person('Ada');
  await page.goto('/app');
  const other = await context.newPage();
  await other.goto('/app');
  await page.goto('/login');
  await page.getByRole('button', { name: 'Log Out' }).click();
  await expect(other).toHaveURL(`${origin()}/`);
});

const header = ({ page }: Person) => page.getByRole('banner');

test.describe('app frame', () => {
  test('shows header and user menu [CHROME-01 CHROME-02 CHROME-05]', async ({ person, visitor }) => {
    const ada = await person('Ada');
    await ada.page.goto('/app/profile');
    await header(ada)
      .getByRole('link', { name: /Muster/ })
      .click();
    await expect(ada.page).toHaveURL('/app');
    await header(ada)
      .getByRole('button', { name: /menu|account/i })
      .click();
    await ada.page.getByRole('menuitem', { name: 'Account' }).click();
    await expect(ada.page).toHaveURL('/app/profile');

    const { page } = await visitor();
    await page.goto('/app/club/any/thing');
    await expect(page.getByText('Invite not found')).toBeVisible();
    await expect(page.getByRole('button', { name: /menu|account/i })).toHaveCount(0);
  });

  test('shows a footer with the maker and donations in a new tab [CHROME-07 CHROME-08 CHROME-09]', async ({
    person,
  }) => {
    const { page } = await person('Ada');
    await page.goto('/app');
    const footer = page.getByRole('contentinfo');
    const donate = footer.getByRole('link', { name: 'Donate' });
    await expect(donate).toHaveAttribute('href', 'https://donate.test/muster');
    await expect(donate).toHaveAttribute('target', '_blank');
    await expect(donate).toHaveAttribute('rel', /noopener/);
    await expect(footer.getByRole('link', { name: /Dot & Line/ })).toHaveAttribute(
      'href',
      'https://developer.test/',
    );
    await expect(footer.getByRole('link', { name: 'Support' })).toHaveAttribute(
      'href',
      'mailto:support@muster.test?subject=Muster',
    );
  });
});
