import type { Page } from '@playwright/test';
import { expect, origin, test } from '#e2e/people.ts';

const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key);

/** Invalidates the access token in the browser, as if it had expired after 15 minutes. */
const expire = (page: Page) =>
  page.evaluate(() => {
    const auth = JSON.parse(localStorage.getItem('authData') ?? '') as { AccessToken: { Token: string } };
    auth.AccessToken.Token = 'expired';
    localStorage.setItem('authData', JSON.stringify(auth));
  });

test('without an access token: an invite page is reachable, other paths lead to the landing page [CHROME-01 ROUTE-04 ROUTE-05 ROUTE-06]', async ({
  visitor,
}) => {
  const { page } = await visitor();
  await page.goto('/app/club/any/thing');
  await expect(page.getByText('Invite not found')).toBeVisible();
  await expect(page.getByRole('button', { name: 'User menu' })).toHaveCount(0);
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

test('unknown paths: show Not Found, with the status 404 [ROUTE-07 WEB-01]', async ({ ada: { page } }) => {
  for (const path of ['/no/such/page', '/app/no/such/page']) {
    expect((await page.goto(path))?.status()).toBe(404);
    await expect(page.getByText('Not Found')).toBeVisible();
  }
});

test('expired access token: concurrent calls refresh it once and continue [AUTH-09 AUTH-10]', async ({
  person,
  club,
  event,
}) => {
  const ada = await person('Ada');
  await event(await club([ada]), ada);
  const { page } = ada;
  // The app does not run on this page, so it cannot refresh the token early.
  await page.goto('/icon.svg');
  await expire(page);
  const renewals: string[] = [];
  page.on('request', (sent) => void (sent.url().includes('/auth/refresh') && renewals.push(sent.url())));
  const refused = page.waitForResponse((response) => response.status() === 401);
  await page.goto('/app');
  await refused;
  await expect(page.getByText('Tuesday run').first()).toBeVisible();
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

test('expired session: leads to the login and stores path and query [AUTH-11 LOGIN-30]', async ({
  person,
}) => {
  const { page, api } = await person('Ada');
  await api.auth.logout({});
  await page.goto('/app/profile?tab=name');
  await expect(page).toHaveURL('/login');
  expect(await stored(page, 'returnUrl')).toBe('/app/profile?tab=name');
  expect(await stored(page, 'authData')).toBeNull();
});

test('app frame: has a header with the user menu, and a footer with links to the maker and, in a new tab, to donations [CHROME-01 CHROME-02 CHROME-05 CHROME-07 CHROME-08 CHROME-09]', async ({
  person,
}) => {
  const { page } = await person('Ada');
  await page.goto('/app/profile');
  const header = page.getByRole('banner');
  await header.getByRole('link', { name: /Muster/ }).click();
  await expect(page).toHaveURL('/app');
  await header.getByRole('button', { name: 'User menu' }).click();
  await page.getByRole('menuitem', { name: 'Account' }).click();
  await expect(page).toHaveURL('/app/profile');

  const link = (name: string) => page.getByRole('contentinfo').getByRole('link', { name });
  await expect(link('Donate')).toHaveAttribute('href', 'https://donate.test/muster');
  await expect(link('Donate')).toHaveAttribute('target', '_blank');
  await expect(link('Donate')).toHaveAttribute('rel', /noopener/);
  await expect(link('Dot & Line')).toHaveAttribute('href', 'https://developer.test/');
  await expect(link('Support')).toHaveAttribute('href', 'mailto:support@muster.test?subject=Muster');
});
