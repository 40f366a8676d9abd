import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { expect, origin, test } from '#e2e/people.ts';

test.use({ serviceWorkers: 'allow' });

/** Resolves when a service worker controls the page, and so has cached its files. */
const controlled = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        if (navigator.serviceWorker.controller) resolve();
        navigator.serviceWorker.addEventListener('controllerchange', () => resolve());
      }),
  );

function countLoads(page: Page): { loads: number } {
  const count = { loads: 0 };
  page.on('load', () => count.loads++);
  return count;
}

/** A proxy in front of the app that can serve a new version of /sw.js, as after a build. */
async function openProxy() {
  let version: string | undefined;
  const server = createServer(async (request, response) => {
    const answer = await fetch(origin() + request.url);
    const type = answer.headers.get('content-type') ?? '';
    const body = Buffer.from(await answer.arrayBuffer());
    const isOther = version && request.url === '/sw.js';
    response.writeHead(answer.status, { 'content-type': type, 'cache-control': 'no-cache' });
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
    const answer = await page.request.get('/sw.js');
    expect(answer.headers()['cache-control']).toBe('no-cache');
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
  const loaded = [page, other].map((tab) => tab.waitForEvent('load'));
  await page.evaluate(() => navigator.serviceWorker.ready.then((registration) => void registration.update()));
  await Promise.all(loaded);
  await expect(page.getByRole('heading', { name: 'Privacy policy' })).toBeVisible();
  await page.waitForTimeout(500);
  expect(counts).toEqual([{ loads: 1 }, { loads: 1 }]);
  expect(await page.evaluate(() => caches.keys())).toEqual(['shell-another']);
});

test('offline: pages without data open completely, the app opens with a notice and continues when online', async ({
  person,
  club,
}) => {
  const ada = await person('Ada');
  const rowers = await club([ada]);
  const { page, context } = ada;
  const notice = page.getByText('You are offline. What you see may be out of date.');
  await page.goto('/app');
  await controlled(page);
  await context.setOffline(true);
  await page.goto(`/app/clubs/${rowers.slug}`);
  await expect(page.getByRole('heading', { name: 'You are offline' })).toBeVisible();
  await expect(page).toHaveURL(`/app/clubs/${rowers.slug}`);
  await context.setOffline(false);
  await expect(page.getByRole('heading', { name: rowers.club_name })).toBeVisible();
  await context.setOffline(true);
  await expect(notice).toBeVisible();
  await expect(page.getByRole('heading', { name: rowers.club_name })).toBeVisible();
  await context.setOffline(false);
  await expect(notice).toHaveCount(0);

  await context.setOffline(true);
  await page.goto('/privacy-policy');
  await expect(page.getByRole('heading', { name: 'Privacy policy' })).toBeVisible();
  await expect(notice).toBeVisible();
  await page.evaluate(() => localStorage.clear());
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'Organise your Club' })).toBeVisible();
});
