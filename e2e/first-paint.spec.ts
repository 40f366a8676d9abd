import type { Page } from '@playwright/test';
import { expect, origin, test } from '#e2e/people.ts';

/** Holds everything of the app back but what runs before the first paint; let go, it comes. */
async function held(page: Page) {
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  await page.route(/\/assets\/main-/, async (route) => {
    await promise;
    await route.continue();
  });
  return letGo;
}

test('the login is there before the app, and what is typed and sent meanwhile counts', async ({
  visitor,
}) => {
  const { page } = await visitor();
  const letGo = await held(page);
  await page.goto('/login', { waitUntil: 'commit' });
  const email = page.getByRole('textbox', { name: 'Email' });
  await expect(email).toBeFocused();
  await page.keyboard.type('early@example.org');
  const field = await email.elementHandle();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/login');
  letGo();
  await expect(page.getByRole('dialog', { name: 'Enter your code?' })).toContainText('early@example.org');
  // React has gone on with what stood there and made nothing anew.
  expect(await field?.evaluate((element) => element.isConnected)).toBe(true);
});

test('whoever is logged in never sees the form of the login', async ({ person }) => {
  const { page } = await person('Ada');
  const letGo = await held(page);
  await page.goto('/login', { waitUntil: 'domcontentloaded' });
  await expect(page.locator('#root')).toBeEmpty();
  letGo();
  await expect(page.getByText('Logged in', { exact: true })).toBeVisible();
});

test('the frame of the app is there before the app, and stays where it is', async ({ person, club }) => {
  const ada = await person('Ada');
  const { slug } = await club([ada]);
  const { page } = ada;
  const frame = async () => [
    await page.getByRole('banner').boundingBox(),
    await page.getByRole('banner').getByRole('link', { name: 'Muster' }).boundingBox(),
    await page.getByRole('main').evaluate((main) => [main.getBoundingClientRect().top, main.clientWidth]),
  ];
  for (const path of ['/app', `/app/clubs/${slug}`]) {
    const letGo = await held(page);
    await page.goto(path, { waitUntil: 'commit' });
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
    const before = await frame();
    letGo();
    await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible();
    expect(await frame()).toEqual(before);
  }
});

test('nothing that was drawn is taken for another screen', async ({ person }) => {
  const { page, api } = await person('Ada');
  const errors: Error[] = [];
  page.on('pageerror', (error) => errors.push(error));
  await page.goto('/app/profile');
  await expect(page.getByRole('heading').first()).toBeVisible();
  await api.auth.logout({});
  await page.goto('/app');
  await expect(page.getByRole('textbox', { name: 'Email' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Email' })).toBeVisible();
  expect(errors).toEqual([]);
});

test('a visitor sees no frame of the app, on the way out or at an invite', async ({ visitor }) => {
  for (const path of ['/app', '/app/club/rowers/unknown']) {
    const { page } = await visitor();
    const letGo = await held(page);
    await page.goto(path, { waitUntil: 'domcontentloaded' });
    await expect(page.locator('#root')).toBeEmpty();
    letGo();
  }
});

test('the screen asks for nothing twice, and begins before the app is there', async ({ person, club }) => {
  const ada = await person('Ada');
  const { slug } = await club([ada]);
  const { page } = ada;
  for (const [path, calls] of [
    ['/app', ['users', 'users/clubs/events', 'users/events']],
    [`/app/clubs/${slug}`, [`clubs/${slug}`, 'users']],
  ] as const) {
    const asked: string[] = [];
    page.on('request', (request) => {
      const [, call] = /\/api\/v1\/(.*)/.exec(request.url()) ?? [];
      if (call && call !== 'notifications') asked.push(call);
    });
    const letGo = await held(page);
    await page.goto(path, { waitUntil: 'commit' });
    await expect.poll(() => asked.toSorted()).toEqual(calls);
    letGo();
    await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible();
    await page.waitForLoadState('networkidle');
    expect(asked.toSorted()).toEqual(calls);
    page.removeAllListeners('request');
  }
});

test('an access token that has run out is renewed once, whatever was asked for ahead', async ({
  person,
  club,
}) => {
  const ada = await person('Ada');
  await club([ada]);
  const { page } = ada;
  await page.goto('/privacy-policy');
  await page.evaluate(() => {
    const auth = JSON.parse(localStorage.getItem('authData') ?? '') as { AccessToken: { Token: string } };
    auth.AccessToken.Token = 'over';
    localStorage.setItem('authData', JSON.stringify(auth));
  });
  const renewals: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/auth/refresh')) renewals.push(request.url());
  });
  await page.goto('/app');
  await expect(page.getByText('Welcome, Ada')).toBeVisible();
  expect(renewals).toHaveLength(1);
});

test('without any script the login stands there, and keeps the address out of the URL', async ({
  browser,
}) => {
  const context = await browser.newContext({ baseURL: origin(), javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto('/login');
  await expect(page.getByRole('heading', { name: 'Sign up or log in' })).toBeVisible();
  await expect(page.locator('noscript')).toBeVisible();
  await page.getByRole('textbox', { name: 'Email' }).fill('ada@example.org');
  await page.getByRole('button', { name: 'Login' }).click();
  await expect(page).toHaveURL('/login');
  await context.close();
});
