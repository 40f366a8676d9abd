import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { isPublicPath } from '#features/auth/rules.ts';
import { expectAccessible } from '#e2e/axe.ts';
import { expect, origin, test, type Visitor } from '#e2e/people.ts';

const longText = '.{40}';

/** The sections in order, each with a part of its text. */
const policy = {
  'Our privacy promise': 'We use no analytics.*We use no cookies',
  'Your information':
    'At sign-up and soon after we collect:.*your e-mail address.*your name.*club information',
  'How we use data': 'Data is kept while your account is active',
  'Legal basis': 'The legal basis is your consent',
  'Requesting your information': 'When an account is deleted, its data is deleted permanently',
  'How we protect data': longText,
  'How you can help': longText,
  'Further information': longText,
  Changes: longText,
  Contact: longText,
};

test('privacy policy: says in its sections which data is collected, why, for how long and by whom [PRIV-01 PRIV-02 PRIV-03 PRIV-04 PRIV-05 PRIV-06 PRIV-07 PRIV-08 PRIV-09 PRIV-10 PRIV-11 PRIV-12 PRIV-13 PRIV-14 PRIV-16 PRIV-18 PRIV-20]', async ({
  person,
}) => {
  const { page } = await person('Ada');
  await page.goto('/privacy-policy');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Privacy policy');
  const headings = page.getByRole('heading', { level: 2 });
  await expect(headings).toHaveText(Object.keys(policy));
  const article = page.getByRole('article');
  const sections = article.locator('section').filter({ has: headings });
  await expect(sections).toHaveText(
    Object.entries(policy).map(([heading, text]) => new RegExp(`^${heading}.*${text}`, 's')),
  );
  await expect(article).toContainText('is a project of Pier Street Consulting, a consulting company.');
  const support = sections.last().getByRole('link');
  await expect(support).toHaveAttribute('href', 'mailto:support@muster.test');
  await expectAccessible(page);
  await sections.getByRole('link', { name: 'My Account' }).click();
  await expect(page).toHaveURL('/app/profile');
  for (const name of ['Download my data', 'Delete account', 'Log out everywhere'])
    await expect(page.getByRole('button', { name })).toBeVisible();
});

const paths = (text: string) => [...text.matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path as string);

/** All paths of the app, taken from its routes, so that a new one is included. */
async function addresses(): Promise<string[]> {
  const [, inside = '', whole = ''] = (await readFile('src/app/web/routes.tsx', 'utf8')).split(
    /const app: RouteObject\[\] = |export const routes: RouteObject\[\] = /,
  );
  return [
    '/app',
    ...paths(inside).map((path) => `/app/${path}`),
    ...paths(whole).map((path) => `/${path}`),
  ].map((path) => path.replace('//', '/').replace('*', 'no-such-page'));
}

/** Records the requests, cookies and console messages of a browser. */
async function listen({ context, page }: Visitor) {
  const recorded = { requests: [] as string[], cookies: [] as string[], complaints: [] as string[] };
  context.on('request', (request) => recorded.requests.push(request.url()));
  context.on('response', async (response) => {
    const cookie = await response.headerValue('set-cookie').catch(() => null);
    if (cookie !== null) recorded.cookies.push(`${response.url()}: ${cookie}`);
  });
  page.on('websocket', (socket) => recorded.requests.push(socket.url()));
  page.on('pageerror', (error) => recorded.complaints.push(error.message));
  page.on('console', (line) => line.type() === 'error' && recorded.complaints.push(line.text()));
  await page.exposeFunction('complain', (complaint: string) => void recorded.complaints.push(complaint));
  await page.addInitScript(() =>
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      (window as unknown as { complain(complaint: string): void }).complain(
        `${violatedDirective} ${blockedURI}`,
      ),
    ),
  );
  return recorded;
}

/** All stored entries of the app by storage and key, including each cached file. */
const storedIn = (page: Page) =>
  page.evaluate(async () => {
    const caches = await Promise.all(
      (await window.caches.keys()).map(async (name) => (await window.caches.open(name)).keys()),
    );
    return {
      cookies: document.cookie,
      local: Object.keys(localStorage),
      session: Object.keys(sessionStorage),
      databases: (await indexedDB.databases()).map(({ name }) => name),
      files: caches.flat().map(({ url }) => new URL(url).pathname),
    };
  });

/** ScrollRestoration of the router stores scroll positions until the tab is closed. */
const scrolled = 'react-router-scroll-positions';
const isFile = (path: string) => /^\/(app|icon\.svg|assets\/[\w.-]+)?$/.test(path);

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
    const { invite_link } = await ada.api.invites.create({ club_id: chess.id });
    const all = (await addresses()).map((path) =>
      path
        .replace(':invite', invite_link)
        .replace(':slug', path.startsWith('/app/events/') ? slug : chess.slug),
    );
    expect(all.length).toBeGreaterThan(24);
    expect(all.filter((path) => path.includes(':'))).toEqual([]);
    const open = [...all.filter(isPublicPath), '/thankyou', '/app', '/confirm?email=a@example.org&code=x'];
    expect(open.length).toBeGreaterThan(7);
    const own = new URL(origin());
    for (const [{ page, context }, paths] of [
      [reader, open],
      [ada, all],
    ] as const) {
      const recorded = await listen({ page, context });
      for (const path of paths) {
        await page.goto(path);
        await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
        const { files, ...kept } = await storedIn(page);
        const others = kept.local.filter((key) => !['authData', 'returnUrl', 'clubSlug'].includes(key));
        const session = kept.session.filter((key) => key !== scrolled);
        expect({ path, ...kept, local: others, session }).toEqual({
          path,
          cookies: '',
          local: [],
          session: [],
          databases: [],
        });
        expect(files.filter((file) => !isFile(file))).toEqual([]);
      }
      expect(recorded.requests.length).toBeGreaterThan(paths.length);
      const foreign = recorded.requests.filter(
        (url) => !['blob:', 'data:'].includes(new URL(url).protocol) && new URL(url).host !== own.host,
      );
      expect(foreign).toEqual([]);
      const watching = /analytics|gtag|telemetry|tracking|beacon/i;
      expect(recorded.requests.filter((url) => watching.test(new URL(url).pathname))).toEqual([]);
      expect(recorded.cookies).toEqual([]);
      expect(recorded.complaints).toEqual([]);
      expect(await context.cookies()).toEqual([]);
    }
    await expect.poll(async () => (await storedIn(ada.page)).files).toContain('/app');
    expect((await storedIn(ada.page)).local).toContain('authData');
  });

  test('a logout removes all personal data, even when offline', async ({ person, club }) => {
    const ada = await person('Ada', { last_name: 'Canarylast' });
    const rowers = await club([ada], 'Canary Rowers');
    const { page, context } = ada;
    await page.goto(`/app/clubs/${rowers.slug}`);
    await expect(page.getByRole('heading', { name: rowers.club_name })).toBeVisible();
    await expect.poll(async () => (await storedIn(page)).files).toContain('/app');
    await page.reload();
    await page.evaluate(() => Object.assign(localStorage, { returnUrl: '/app', clubSlug: 'any' }));
    await context.setOffline(true);
    await page.getByRole('button', { name: 'User menu' }).click();
    await page.getByRole('menuitem', { name: 'Log Out' }).click();
    await expect(page).toHaveURL(`${origin()}/`);
    const { files, session, ...kept } = await storedIn(page);
    expect(kept).toEqual({ cookies: '', local: [], databases: [] });
    expect(session.filter((key) => key !== scrolled)).toEqual([]);
    expect(files.filter((file) => !isFile(file))).toEqual([]);
    const bodies = await page.evaluate(async () => {
      const names = await caches.keys();
      const answers = await Promise.all(names.map(async (name) => (await caches.open(name)).matchAll()));
      return (await Promise.all(answers.flat().map((answer) => answer.text()))).join('');
    });
    expect(bodies).not.toContain('Canary');
    expect(bodies.length).toBeGreaterThan(10_000);
    await expect(page.getByText('Canary')).toHaveCount(0);
  });
});
