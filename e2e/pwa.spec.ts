import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { expectAccessible } from '#e2e/axe.ts';
import { expect, origin, test } from '#e2e/people.ts';

test.use({ serviceWorkers: 'allow' });

/** Resolves when a service worker controls the page, which means that the worker has cached the app. */
const controlled = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        if (navigator.serviceWorker.controller) resolve();
        navigator.serviceWorker.addEventListener('controllerchange', () => resolve());
      }),
  );

/** The URL under which the data of a query is stored for offline use. */
const storedAt = (...key: string[]) => `/screens/${encodeURIComponent(JSON.stringify(key))}`;

function countLoads(page: Page): { loads: number } {
  const count = { loads: 0 };
  page.on('load', () => count.loads++);
  return count;
}

/** A proxy in front of the app that can serve a new version of /sw.js, as after a build. */
async function openProxy() {
  let version: string | undefined;
  const server = createServer(async (request, response) => {
    const { authorization = '' } = request.headers;
    const upstream = await fetch(origin() + request.url, { headers: { authorization } });
    const type = upstream.headers.get('content-type') ?? '';
    const body = Buffer.from(await upstream.arrayBuffer());
    const isOther = version && request.url === '/sw.js';
    response.writeHead(upstream.status, { 'content-type': type, 'cache-control': 'no-cache' });
    response.end(isOther ? body.toString().replace(/"version":\s*"\w+"/, `"version":"${version}"`) : body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    update: (to: string) => void (version = to),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('service worker: is registered at once, for all paths, without a reload [PWA-01 PWA-02 PWA-03]', async ({
  visitor,
}) => {
  for (const path of ['/', '/login']) {
    const { page } = await visitor();
    const count = countLoads(page);
    await page.goto(path);
    await controlled(page);
    const worker = await page.evaluate(async () => {
      const { scope, active } = await navigator.serviceWorker.ready;
      return { scope, script: active?.scriptURL };
    });
    expect(worker).toEqual({ scope: `${origin()}/`, script: `${origin()}/sw.js` });
    const response = await page.request.get('/sw.js');
    expect(response.headers()['cache-control']).toBe('no-cache');
    // The first worker is not an update and causes no reload.
    await page.waitForTimeout(500);
    expect(count.loads).toBe(1);
  }
});

test('update: a new version reloads every tab once [PWA-04 PWA-05]', async ({ visitor }) => {
  await using app = await openProxy();
  const { page, context } = await visitor();
  await page.goto(`${app.address}/privacy-policy`);
  await controlled(page);
  await page.reload();
  const other = await context.newPage();
  await other.goto(`${app.address}/login`);
  const counts = [page, other].map(countLoads);
  app.update('another');
  const loaded = [page, other].map((tab) => tab.waitForEvent('load', { timeout: 30_000 }));
  await page.evaluate(() => navigator.serviceWorker.ready.then((registration) => void registration.update()));
  await Promise.all(loaded);
  await expect(page.getByRole('heading', { name: 'Privacy policy' })).toBeVisible();
  await page.waitForTimeout(500);
  expect(counts).toEqual([{ loads: 1 }, { loads: 1 }]);
  expect(await page.evaluate(() => caches.keys())).toEqual(['shell-another']);
});

test('update: a page with unsaved text is reloaded by the next navigation, not before [ROBUST-04]', async ({
  visitor,
}) => {
  await using app = await openProxy();
  const { page } = await visitor();
  await page.goto(`${app.address}/login`);
  await controlled(page);
  await page.reload();
  await page.getByLabel('Email').fill('ada@example.org');
  const count = countLoads(page);
  const updated = page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        navigator.serviceWorker.addEventListener('controllerchange', () => resolve());
      }),
  );
  app.update('another');
  await page.evaluate(() => navigator.serviceWorker.ready.then((registration) => void registration.update()));
  await updated;
  await expect(page.getByLabel('Email')).toHaveValue('ada@example.org');
  expect(count.loads).toBe(0);
  const loaded = page.waitForEvent('load', { timeout: 30_000 });
  await page.getByRole('link', { name: 'Privacy policy' }).click();
  await loaded;
  await expect(page.getByRole('heading', { name: 'Privacy policy' })).toBeVisible();
});

test('a dialog and a page whose files cannot be loaded say so in their place, and load when one tries again [ROBUST-04]', async ({
  ada,
  rowers,
}) => {
  const { page, context } = ada;
  const files = '**/assets/{CalendarDialog,ProfilePage}-*.js';
  await context.route(files, (route) => route.abort());
  await page.goto(`/app/clubs/${rowers.slug}`);
  await page.getByRole('button', { name: 'Club Calendar' }).click();
  await expect(page.getByText("This part couldn't be loaded")).toBeVisible();
  await expect(page.getByRole('heading', { name: rowers.club_name, level: 1 })).toBeVisible();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'User menu' }).click();
  await page.getByRole('menuitem', { name: 'Account' }).click();
  await expect(page.getByRole('heading', { name: "This page couldn't be loaded" })).toBeVisible();
  await context.unroute(files);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByLabel('First Name')).toBeVisible();
});

test('update: a new version deletes the screens that an older one stored', async ({ ada, rowers }) => {
  await using app = await openProxy();
  await ada.page.goto('/app');
  const auth = await ada.page.evaluate(() => localStorage.getItem('authData') ?? '');
  const page = await ada.context.newPage();
  await page.goto(`${app.address}/privacy-policy`);
  await page.evaluate((data) => localStorage.setItem('authData', data), auth);
  await page.goto(`${app.address}/app/clubs/${rowers.slug}`);
  await controlled(page);
  const stored = () =>
    page.evaluate(async () => {
      const name = (await caches.keys()).find((each) => each.startsWith('screens-'));
      const files = name ? await (await caches.open(name)).keys() : [];
      return files.map(({ url }) => new URL(url).pathname);
    });
  await expect.poll(stored).toContain(storedAt('club', rowers.slug));
  // Go to another page before the reload, so that the club page does not store the club again.
  await page.goto(`${app.address}/app`);
  expect(await stored()).toContain(storedAt('club', rowers.slug));
  const loaded = page.waitForEvent('load', { timeout: 30_000 });
  app.update('another');
  await page.evaluate(() => navigator.serviceWorker.ready.then((registration) => void registration.update()));
  await loaded;
  expect(await page.evaluate(() => caches.keys())).toContain('shell-another');
  expect(await stored()).not.toContain(storedAt('club', rowers.slug));
});

test('offline: screens that were opened earlier show their stored data, and offer only actions that work offline [UX-33]', async ({
  ada,
  rowers,
  run,
}) => {
  const { page, context } = ada;
  const asOf = page.getByText(/^Offline, as of \d+:\d\d [ap]m$/);
  const screens = [
    ['/app', 'Welcome, Ada', 2, storedAt('ofMyClubs')],
    [`/app/clubs/${rowers.slug}`, rowers.club_name, 3, storedAt('club', rowers.slug)],
    [`/app/events/${run.slug}`, run.name, 2, storedAt('event', run.slug)],
  ] as const;
  await page.goto('/app');
  await controlled(page);
  for (const offline of [false, true]) {
    await context.setOffline(offline);
    for (const [path, name, count, stored] of screens) {
      await page.goto(path);
      await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
      await expect(asOf).toHaveCount(offline ? 1 : 0);
      const controls = page
        .getByRole('button', { name: 'Search' })
        .or(page.getByRole('link', { name: /New|Edit/ }));
      await expect(controls).toHaveCount(offline ? 0 : count);
      await page.waitForFunction((url) => caches.match(url), stored);
    }
  }
  await expectAccessible(page);
  await page.goto(`/app/clubs/${rowers.slug}/updates`);
  await expect(page.getByRole('heading', { name: "You're offline" })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole('heading', { name: `${rowers.club_name} updates` })).toBeVisible();
  await expect(asOf).toHaveCount(0);

  await context.setOffline(true);
  await page.goto('/privacy-policy');
  await expect(page.getByRole('heading', { name: 'Privacy policy' })).toBeVisible();
  await expect(page.getByText("You're offline.")).toBeVisible();
  await page.evaluate(() => localStorage.clear());
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'Organise your Club' })).toBeVisible();
});

test('offline: the check-in list of an event is there after a reload, with the taps that are not sent [CAME-02]', async ({
  ada,
  rowers,
  event,
}) => {
  const { page, context } = ada;
  const { id, slug } = await event(rowers, ada, { startsIn: 1 });
  await page.goto('/app');
  await controlled(page);
  await page.goto(`/app/events/${slug}/check-in`);
  await expect(page.getByText('Here 0 of 1')).toBeVisible();
  await page.waitForFunction((url) => caches.match(url), storedAt('checkIns', rowers.id, id));
  await page.waitForFunction((url) => caches.match(url), storedAt('event', slug));
  await context.setOffline(true);
  await page.getByRole('button', { name: /^Ada/ }).click();
  for (const reload of [false, true]) {
    if (reload) await page.reload();
    await expect(page.getByText('Here 1 of 1')).toBeVisible();
    await expect(page.getByText("1 tap isn't sent yet")).toBeVisible();
  }
  await context.setOffline(false);
  await expect.poll(async () => (await ada.api.checkins.list({ event: id })).people[0]?.came).toBe(true);
});

test('offline: an answer link explains the problem, and loads when the network is back [LINK-11]', async ({
  ada,
}) => {
  const { page, context } = ada;
  await page.goto('/app');
  await controlled(page);
  await context.setOffline(true);
  await page.goto('/answer/any-token?a=no');
  await expect(page.getByRole('heading', { name: "You're offline" })).toBeVisible();
  await expect(page.getByText('Connect to the internet to answer.')).toBeVisible();
  await expectAccessible(page);
  await context.setOffline(false);
  await page.getByRole('link', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: "This link doesn't work any more" })).toBeVisible();
});
