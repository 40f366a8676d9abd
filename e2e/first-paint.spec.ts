import type { Route } from '@playwright/test';
import { clubPath, eventPath } from '#e2e/event-page.ts';
import { holdScripts } from '#e2e/loading.ts';
import { expect, origin, test } from '#e2e/people.ts';

test('login: is rendered before the app loads, and an email address that is submitted too early is sent once the app has loaded', async ({
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

test('login: the form is never shown to a logged-in user', async ({ ada: { page } }) => {
  const release = await holdScripts(page);
  await page.goto('/login', { waitUntil: 'domcontentloaded' });
  await expect(page.locator('#root')).toBeEmpty();
  release();
  await expect(page.getByText('Logged in', { exact: true })).toBeVisible();
});

test('app frame: is rendered before the app loads and does not move', async ({ ada: { page }, rowers }) => {
  const frame = async () => [
    await page.getByRole('banner').boundingBox(),
    await page.getByRole('banner').getByRole('link', { name: 'Muster' }).boundingBox(),
    await page.getByRole('main').evaluate((main) => [main.getBoundingClientRect().top, main.clientWidth]),
  ];
  for (const path of ['/app/profile', '/app', clubPath(rowers)]) {
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

test('server-rendered screen: is not reused for another screen', async ({ ada: { page, api } }) => {
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

test('app frame: without a session, is shown neither on /app nor on an invite page', async ({ visitor }) => {
  for (const path of ['/app', '/app/club/rowers/unknown']) {
    const { page } = await visitor();
    const release = await holdScripts(page);
    await page.goto(path, { waitUntil: 'domcontentloaded' });
    await expect(page.locator('#root')).toBeEmpty();
    release();
  }
});

test('prefetch: starts before the app loads and requests nothing twice', async ({
  ada: { page },
  rowers,
}) => {
  // The first page of a new device also reports its time zone.
  await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'PATCH'),
    page.goto('/app'),
  ]);
  for (const [path, calls] of [
    ['/app', ['screen']],
    [clubPath(rowers), ['screen']],
    ['/app/feedback', ['v1/users']],
  ] as const) {
    const requested: string[] = [];
    page.on('request', (request) => {
      const [, call] = /\/api\/([^?]*)/.exec(request.url()) ?? [];
      if (call && call !== 'v1/notifications') requested.push(call);
    });
    const release = await holdScripts(page);
    await page.goto(path, { waitUntil: 'commit' });
    await expect.poll(() => requested.toSorted()).toEqual(calls);
    release();
    await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible();
    await page.waitForLoadState('networkidle');
    expect(requested.toSorted()).toEqual(calls);
    page.removeAllListeners('request');
  }
});

test.describe('in Kathmandu', () => {
  test.use({ timezoneId: 'Asia/Kathmandu' });

  test('server-rendered home, club, members and event pages: contain their data in local time and are hydrated', async ({
    ada,
    bob,
    rowers,
    event,
  }) => {
    const run = await event(rowers, ada, { name: 'Night row', details: 'Bring a lamp' });
    const { page } = ada;
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (line) => void (line.type() === 'error' && faults.push(line.text())));
    // The event's lists load after hydration and would change the page, so their requests stay pending.
    await page.route(/\/v1\/events\/[^/]+\/slots/, () => {});
    const { start_time } = await ada.api.events.get({ event: run.slug });
    const clock = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Asia/Kathmandu',
      minute: '2-digit',
      hour: 'numeric',
      hourCycle: 'h12',
    });
    for (const [path, ...words] of [
      ['/app', 'Welcome, Ada', 'Night row'],
      [clubPath(rowers), 'Night row', bob.name],
      [`${clubPath(rowers)}/members`, 'Members', bob.name, 'Eject'],
      [eventPath(run), 'Night row', 'Bring a lamp', clock.format(new Date(start_time))],
    ] as const) {
      const release = await holdScripts(page);
      await page.goto(path, { waitUntil: 'commit' });
      const main = page.getByRole('main');
      for (const word of words) await expect(main).toContainText(word);
      const before = await main.innerText();
      const heading = await main.getByRole('heading').first().elementHandle();
      release();
      // This button works only after hydration.
      await page.getByRole('button', { name: 'Notifications' }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
      expect(await main.innerText()).toBe(before);
      expect(await heading?.evaluate((element) => element.isConnected)).toBe(true);
    }
    expect(faults).toEqual([]);
  });
});

test('server-rendered club: shows nothing to an outsider', async ({ eve: { page }, rowers }) => {
  const release = await holdScripts(page);
  const refused = page.waitForResponse(/api\/screen/);
  await page.goto(clubPath(rowers), { waitUntil: 'commit' });
  expect((await refused).ok()).toBe(false);
  expect(await page.content()).not.toContain(rowers.club_name);
  release();
  await expect(page).toHaveURL('/app');
  expect(await page.content()).not.toContain(rowers.club_name);
});

test('server-side rendering: the app starts without the rendered screen if rendering fails or is slow', async ({
  ada: { page },
  rowers,
}) => {
  const failures = [
    (route: Route) => route.abort(),
    (route: Route) => route.fulfill({ status: 500, body: 'broken' }),
    (route: Route) => route.fulfill({ status: 200, body: '{}' }),
    () => undefined,
  ];
  for (const fail of failures) {
    await page.route(/api\/screen/, fail);
    await page.goto(clubPath(rowers));
    await expect(page.getByRole('heading', { name: rowers.club_name })).toBeVisible();
    await page.unroute(/api\/screen/);
  }
});

test('hydration: replays a click, also on a part that only hosts load, and keeps focus and scroll position', async ({
  person,
  club,
  event,
}) => {
  const ada = await person('Ada', { viewport: { width: 400, height: 400 } });
  const rowers = await club([ada]);
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

  const releaseAgain = await holdScripts(page);
  await page.goto(eventPath(await event(rowers, ada)), { waitUntil: 'commit' });
  await page.getByRole('button', { name: 'Message', exact: true }).click();
  releaseAgain();
  await expect(page.getByRole('dialog', { name: 'Message' })).toBeVisible();
});

test('long list: the visible part is rendered first, then the rest', async ({ person, club, event }) => {
  const ada = await person('Ada', { viewport: { width: 400, height: 700 } });
  const rowers = await club([ada]);
  // Create the events one after the other, because each creation locks the club.
  for (let at = 0; at < 10; at++) await event(rowers, ada, { startsIn: 24 + at });
  // All first steps of the new club are done, which the page saves to the server as soon as it is mounted.
  await ada.api.invites.create({ club_id: rowers.id });
  await ada.api.clubs.setFirstSteps({ club: rowers.id, first_steps: 'calendar_added' });
  const { page } = ada;
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  const rest: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'GET' && request.url().includes('/v1/clubs/')) rest.push(request.url());
  });
  const cards = page.getByRole('main').getByRole('article');
  const release = await holdScripts(page);
  await page.goto(`/app/clubs/${rowers.slug}`, { waitUntil: 'commit' });
  await expect(cards).toHaveCount(8);
  expect((await cards.last().boundingBox())?.y).toBeGreaterThan(700);
  expect(rest).toEqual([]);
  const first = await cards.first().elementHandle();
  release();
  await expect(cards).toHaveCount(10);
  expect(rest).toHaveLength(1);
  // The rest is added to the elements that the server rendered.
  expect(await first?.evaluate((element) => element.isConnected)).toBe(true);
  expect(faults).toEqual([]);
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
