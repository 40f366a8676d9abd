import type { Page, Route } from '@playwright/test';
import { expect, origin, test } from '#e2e/people.ts';

/** Holds back all scripts that run after the first paint, until the returned function is called. */
async function holdScripts(page: Page) {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  await page.route(/\/assets\/main-/, async (route) => {
    await promise;
    await route.continue();
  });
  return release;
}

test('login: is rendered before the app loads, and input and submit before that count', async ({
  visitor,
}) => {
  const { page } = await visitor();
  const release = await holdScripts(page);
  await page.goto('/login', { waitUntil: 'commit' });
  const email = page.getByRole('textbox', { name: 'Email' });
  await expect(email).toBeFocused();
  await page.keyboard.type('early@example.org');
  const field = await email.elementHandle();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/login');
  release();
  await expect(page.getByRole('dialog', { name: 'Enter your code?' })).toContainText('early@example.org');
  // React hydrated the existing elements and created no new ones.
  expect(await field?.evaluate((element) => element.isConnected)).toBe(true);
});

test('login: the form is never shown to a logged-in user', async ({ person }) => {
  const { page } = await person('Ada');
  const release = await holdScripts(page);
  await page.goto('/login', { waitUntil: 'domcontentloaded' });
  await expect(page.locator('#root')).toBeEmpty();
  release();
  await expect(page.getByText('Logged in', { exact: true })).toBeVisible();
});

test('app frame: is rendered before the app loads and does not move', async ({ person, club }) => {
  const ada = await person('Ada');
  const { slug } = await club([ada]);
  const { page } = ada;
  const frame = async () => [
    await page.getByRole('banner').boundingBox(),
    await page.getByRole('banner').getByRole('link', { name: 'Muster' }).boundingBox(),
    await page.getByRole('main').evaluate((main) => [main.getBoundingClientRect().top, main.clientWidth]),
  ];
  for (const path of ['/app/profile', '/app', `/app/clubs/${slug}`]) {
    const release = await holdScripts(page);
    await page.goto(path, { waitUntil: 'commit' });
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
    // A server-rendered screen replaces the frame.
    if (path !== '/app/profile')
      await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible();
    const before = await frame();
    release();
    await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible();
    expect(await frame()).toEqual(before);
  }
});

test('server-rendered screen: is not reused for another screen', async ({ person }) => {
  const { page, api } = await person('Ada');
  const errors: Error[] = [];
  page.on('pageerror', (error) => errors.push(error));
  await page.goto('/app/profile');
  await expect(page.getByRole('heading').first()).toBeVisible();
  // Leave the app, where the live connection would report the ended session.
  await page.goto('/privacy-policy');
  await api.auth.logout({});
  await page.goto('/app');
  await expect(page.getByRole('textbox', { name: 'Email' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Email' })).toBeVisible();
  expect(errors).toEqual([]);
});

test('app frame: is not shown to visitors, after a logout or on an invite', async ({ visitor }) => {
  for (const path of ['/app', '/app/club/rowers/unknown']) {
    const { page } = await visitor();
    const release = await holdScripts(page);
    await page.goto(path, { waitUntil: 'domcontentloaded' });
    await expect(page.locator('#root')).toBeEmpty();
    release();
  }
});

test('prefetch: starts before the app loads and requests nothing twice', async ({ person, club }) => {
  const ada = await person('Ada');
  const { slug } = await club([ada]);
  const { page } = ada;
  for (const [path, calls] of [
    ['/app', ['drawn']],
    [`/app/clubs/${slug}`, ['drawn']],
    ['/app/feedback', ['v1/users']],
  ] as const) {
    const asked: string[] = [];
    page.on('request', (request) => {
      const [, call] = /\/api\/([^?]*)/.exec(request.url()) ?? [];
      if (call && call !== 'v1/notifications') asked.push(call);
    });
    const release = await holdScripts(page);
    await page.goto(path, { waitUntil: 'commit' });
    await expect.poll(() => asked.toSorted()).toEqual(calls);
    release();
    await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible();
    await page.waitForLoadState('networkidle');
    expect(asked.toSorted()).toEqual(calls);
    page.removeAllListeners('request');
  }
});

test('prefetch: an expired access token is refreshed once', async ({ person, club }) => {
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

/** Errors in the page, such as hydration mismatches. */
function faultsOf(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  return faults;
}

test('server-rendered home, club and event: contain their data and are hydrated', async ({
  person,
  club,
  event,
}) => {
  const ada = await person('Ada', { timezoneId: 'Pacific/Auckland' });
  const rowers = await club([ada, await person('Bob')], 'Deep Water');
  const { slug } = await event(rowers, ada, { name: 'Night row', details: 'Bring a lamp' });
  const { page } = ada;
  const faults = faultsOf(page);
  for (const [path, ...words] of [
    ['/app', 'Welcome, Ada', 'Night row'],
    [`/app/clubs/${rowers.slug}`, 'Night row', 'Bob'],
    [`/app/events/${slug}`, 'Night row', 'Bring a lamp'],
  ] as const) {
    const release = await holdScripts(page);
    await page.goto(path, { waitUntil: 'commit' });
    const main = page.getByRole('main');
    for (const word of words) await expect(main.getByText(word).first()).toBeVisible();
    const before = await main.innerText();
    const heading = await main.getByRole('heading').first().elementHandle();
    release();
    // Works only after hydration.
    await page.getByRole('button', { name: 'Notifications' }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    expect(await main.innerText()).toBe(before);
    expect(await heading?.evaluate((element) => element.isConnected)).toBe(true);
  }
  expect(faults).toEqual([]);
});

test('server-rendered times: are in the time zone of the browser', async ({ person, club, event }) => {
  const ada = await person('Ada', { timezoneId: 'Asia/Kathmandu' });
  const rowers = await club([ada]);
  const { slug } = await event(rowers, ada);
  const { page } = ada;
  const release = await holdScripts(page);
  await page.goto(`/app/events/${slug}`, { waitUntil: 'commit' });
  const { start_time } = await ada.api.events.get({ event: slug });
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Asia/Kathmandu',
    minute: '2-digit',
    hour: 'numeric',
    hourCycle: 'h12',
  });
  await expect(page.getByRole('main')).toContainText(parts.format(new Date(start_time)));
  release();
});

test('server-rendered club: shows nothing to an outsider', async ({ person, club }) => {
  const [ada, eve] = [await person('Ada'), await person('Eve')];
  const { slug } = await club([ada], 'Deep Water');
  const { page } = eve;
  const release = await holdScripts(page);
  const refused = page.waitForResponse(/api\/drawn/);
  await page.goto(`/app/clubs/${slug}`, { waitUntil: 'commit' });
  expect((await refused).ok()).toBe(false);
  expect(await page.content()).not.toContain('Deep Water');
  release();
  await expect(page).toHaveURL('/app');
  expect(await page.content()).not.toContain('Deep Water');
});

test('server-side rendering: the app starts without it when it fails or is slow', async ({
  person,
  club,
}) => {
  const ada = await person('Ada');
  const { slug } = await club([ada], 'Deep Water');
  const { page } = ada;
  const failures = [
    (route: Route) => route.abort(),
    (route: Route) => route.fulfill({ status: 500, body: 'broken' }),
    (route: Route) => route.fulfill({ status: 200, body: '{}' }),
    () => undefined,
  ];
  for (const fail of failures) {
    await page.route(/api\/drawn/, fail);
    await page.goto(`/app/clubs/${slug}`);
    await expect(page.getByRole('heading', { name: 'Deep Water' })).toBeVisible();
    await page.unroute(/api\/drawn/);
  }
});

test('hydration: replays a click and keeps focus and scroll position', async ({ person, club }) => {
  const ada = await person('Ada', { viewport: { width: 400, height: 400 } });
  await club([ada]);
  const { page } = ada;
  const release = await holdScripts(page);
  await page.goto('/app', { waitUntil: 'commit' });
  const button = page.getByRole('button', { name: 'My Calendar' });
  await button.focus();
  await page.keyboard.press('Enter');
  await page.evaluate(() => window.scrollTo(0, 60));
  release();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(button).toBeFocused();
  expect(await page.evaluate(() => window.scrollY)).toBe(60);
});

test('long list: the visible part is rendered first, then the rest', async ({ person, club, event }) => {
  const ada = await person('Ada', { viewport: { width: 400, height: 700 } });
  const rowers = await club([ada]);
  await Promise.all(Array.from({ length: 12 }, (_, at) => event(rowers, ada, { startsIn: 24 + at })));
  const { page } = ada;
  const cards = page.getByRole('main').getByRole('article');
  const release = await holdScripts(page);
  await page.goto(`/app/clubs/${rowers.slug}`, { waitUntil: 'commit' });
  await expect(cards).toHaveCount(4);
  expect((await cards.last().boundingBox())?.y).toBeGreaterThan(700);
  release();
  await expect(cards).toHaveCount(12);
  await cards.last().scrollIntoViewIfNeeded();
  const place = await page.evaluate(() => window.scrollY);
  await page.reload();
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(place);
});

test('login: is shown without scripts and keeps the email out of the URL', async ({ browser }) => {
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
