import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { isPublicPath } from '#features/auth/rules.ts';
import { expect, origin, test } from '#e2e/people.ts';
import { newSeries } from '#test/new-series.ts';

const paths = (text: string) => [...text.matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path as string);

/** All paths of the app, taken from its routes, so that new routes are included. */
async function addresses(): Promise<string[]> {
  const [, inside = '', whole = ''] = (await readFile('src/app/web/routes.tsx', 'utf8')).split(
    /const app: RouteObject\[\] = |export const routes: RouteObject\[\] = /,
  );
  const all = ['app', ...paths(inside).map((path) => `app/${path}`), ...paths(whole)];
  return all.map((path) => `/${path}`.replace('//', '/').replace('*', 'no-such-page'));
}

/** All stored data, except the app's files and the scroll positions, which the router keeps until the tab closes. */
const storedIn = (page: Page) =>
  page.evaluate(async () => {
    const caches = await Promise.all(
      (await window.caches.keys()).map(async (name) => (await window.caches.open(name)).keys()),
    );
    const files = caches.flat().map(({ url }) => new URL(url).pathname);
    return {
      cookies: document.cookie,
      local: Object.keys(localStorage),
      session: Object.keys(sessionStorage).filter((key) => key !== 'react-router-scroll-positions'),
      databases: await indexedDB.databases(),
      files: files.filter((path) => !/^\/(app|answer\/offline|icon\.svg|assets\/[\w.-]+)?$/.test(path)),
    };
  });
const nothing = { cookies: '', local: [], session: [], databases: [], files: [] };

const isOwn = ({ protocol, host }: URL) =>
  ['blob:', 'data:'].includes(protocol) || host === new URL(origin()).host;

/** Waits until the service worker has cached the app. */
const expectCached = (page: Page) =>
  expect.poll(() => page.evaluate(async () => (await caches.match('/app')) !== undefined)).toBe(true);

test.describe('on every page', () => {
  test.use({ serviceWorkers: 'allow' });

  test('the app sets no cookie, contacts no other origin, stores only what it needs and violates no security policy [PRIV-17 PRIV-19 T23]', async ({
    visitor,
    person,
    club,
    event,
  }) => {
    test.setTimeout(180_000);
    const [reader, ada] = [await visitor(), await person('Ada')];
    const chess = await club([ada], 'Chess Club');
    const { slug } = await event(chess, ada);
    const { slug: series } = await ada.api.series.plan({ ...newSeries, club: chess.id });
    const slugs: Record<string, string> = { events: slug, series };
    const { invite_link } = await ada.api.invites.create({ club_id: chess.id });
    const { id } = await ada.api.updates.publish({ club: chess.id, content: 'News' });
    const [section] = await ada.api.sections.save({
      club: chess.id,
      sections: [{ name: 'Juniors' }],
      remove: [],
    });
    const all = (await addresses()).map((path) =>
      path
        .replace(':invite', invite_link)
        .replace(':update', id)
        .replace(':section', section?.id ?? '')
        .replace(':slug', slugs[path.split('/')[2] ?? ''] ?? chess.slug),
    );
    expect(all.length).toBeGreaterThan(24);
    expect(all.filter((path) => path.includes(':'))).toEqual([]);
    const open = [...all.filter(isPublicPath), '/thankyou', '/app', '/confirm?email=a@example.org&code=x'];
    expect(open.length).toBeGreaterThan(7);
    for (const [{ page, context }, paths] of [
      [reader, open],
      [ada, all],
    ] as const) {
      const requests: string[] = [];
      const complaints: string[] = [];
      context.on('request', (request) => requests.push(request.url()));
      page.on('websocket', (socket) => requests.push(socket.url()));
      page.on('pageerror', (error) => complaints.push(error.message));
      // The browser also logs each violation of the security policy.
      page.on('console', (line) => {
        // An unknown page has the status 404, which the browser logs.
        const isExpected = line.text().includes('404') && line.location().url.endsWith('/no-such-page');
        if (line.type() === 'error' && !isExpected) complaints.push(line.text());
      });
      for (const path of paths) {
        await page.goto(path);
        await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
        const stored = await storedIn(page);
        const local = stored.local.filter(
          (key) => !['authData', 'returnUrl', 'clubSlug', 'look', 'visits'].includes(key),
        );
        // Screens of a logged-in user may be stored, because they open offline.
        const files = stored.files.filter((file) => page !== ada.page || !file.startsWith('/screens/'));
        expect({ path, ...stored, local, files }).toEqual({ path, ...nothing });
      }
      expect(requests.length).toBeGreaterThan(paths.length);
      const urls = requests.map((url) => new URL(url));
      expect(urls.filter((url) => !isOwn(url))).toEqual([]);
      const watching = /analytics|gtag|telemetry|tracking|beacon/i;
      expect(urls.filter(({ pathname }) => watching.test(pathname))).toEqual([]);
      expect(complaints).toEqual([]);
      expect(await context.cookies()).toEqual([]);
    }
    await expectCached(ada.page);
    expect((await storedIn(ada.page)).local).toContain('authData');
  });

  test('a logout removes all personal data, even when offline', async ({ person, club }) => {
    const ada = await person('Ada', { last_name: 'Canarylast' });
    const rowers = await club([ada], 'Canary Rowers');
    const { page, context } = ada;
    await page.goto(`/app/clubs/${rowers.slug}`);
    await expect(page.getByRole('heading', { name: rowers.club_name })).toBeVisible();
    await expectCached(page);
    await page.reload();
    await expect.poll(async () => (await storedIn(page)).files.join()).toContain('/screens/');
    await page.evaluate(() => Object.assign(localStorage, { returnUrl: '/app', clubSlug: 'any' }));
    await context.setOffline(true);
    await page.getByRole('button', { name: 'User menu' }).click();
    await page.getByRole('menuitem', { name: 'Log Out' }).click();
    await expect(page).toHaveURL(`${origin()}/`);
    await expect.poll(() => storedIn(page)).toEqual(nothing);
    const bodies = await page.evaluate(async () => {
      const names = await caches.keys();
      const responses = await Promise.all(names.map(async (name) => (await caches.open(name)).matchAll()));
      return (await Promise.all(responses.flat().map((response) => response.text()))).join('');
    });
    expect(bodies).not.toContain('Canary');
    expect(bodies.length).toBeGreaterThan(10_000);
    await expect(page.getByText('Canary')).toHaveCount(0);
  });
});
