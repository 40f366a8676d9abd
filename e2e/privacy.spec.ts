import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { isPublicPath } from '#features/auth/rules.ts';
import { expectAccessible } from '#e2e/axe.ts';
import { expect, origin, test, type Visitor } from '#e2e/people.ts';

const part = ({ page }: Visitor, name: string) =>
  page
    .getByRole('article')
    .locator('section')
    .filter({ has: page.getByRole('heading', { level: 2, name, exact: true }) });

test('the policy stands at its address, for anybody, with all its parts [PRIV-01 PRIV-02 PRIV-03 PRIV-04 PRIV-06 PRIV-07 PRIV-08 PRIV-09 PRIV-10 PRIV-11]', async ({
  visitor,
}) => {
  const reader = await visitor();
  await reader.page.goto('/privacy-policy');
  await expect(reader.page.getByRole('heading', { level: 1 })).toHaveText('Privacy policy');
  await expect(reader.page.getByRole('heading', { level: 2 })).toHaveText([
    'Our privacy promise',
    'Your information',
    'How we use data',
    'Legal basis',
    'Requesting your information',
    'How we protect data',
    'How you can help',
    'Further information',
    'Changes',
    'Contact',
  ]);
  for (const heading of await reader.page.getByRole('heading', { level: 2 }).allTextContents())
    expect((await part(reader, heading).innerText()).length).toBeGreaterThan(heading.length + 40);
  await expect(part(reader, 'Contact').getByRole('link')).toHaveAttribute(
    'href',
    'mailto:support@muster.test',
  );
  await expectAccessible(reader.page);
});

test('the policy says what is collected, why, for how long and by whom [PRIV-05 PRIV-12 PRIV-13 PRIV-14 PRIV-16 PRIV-18 PRIV-20]', async ({
  visitor,
}) => {
  const reader = await visitor();
  await reader.page.goto('/privacy-policy');
  await expect(part(reader, 'Legal basis')).toContainText('The legal basis is your consent');
  const information = part(reader, 'Your information');
  await expect(information).toContainText('At sign-up and soon after we collect:');
  await expect(information.getByRole('listitem')).toContainText([
    'your e-mail address',
    'your name',
    'club information',
  ]);
  await expect(part(reader, 'How we use data')).toContainText('Data is kept while your account is active.');
  await expect(part(reader, 'Requesting your information')).toContainText(
    'When an account is deleted, its data is deleted permanently',
  );
  await expect(part(reader, 'Our privacy promise')).toContainText('We use no analytics.');
  await expect(part(reader, 'Our privacy promise')).toContainText('We use no cookies.');
  await expect(reader.page.getByRole('article')).toContainText(
    'is a project of Pier Street Consulting, a consulting company.',
  );
});

test('what the policy promises is where it says [PRIV-06]', async ({ person }) => {
  const ada = await person('Ada');
  await ada.page.goto('/privacy-policy');
  await part(ada, 'Requesting your information').getByRole('link', { name: 'My Account' }).click();
  await expect(ada.page).toHaveURL('/app/profile');
  for (const name of ['Download my data', 'Delete account', 'Log out everywhere'])
    await expect(ada.page.getByRole('button', { name })).toBeVisible();
});

const paths = (text: string) => [...text.matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path as string);

/** Every address that the app has, as the list of its routes says: a new one is visited without being named here. */
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

/** Listens to all that a browser asks for, to what the answers set, and to what it complains of. */
async function listen({ context, page }: Visitor) {
  const heard = { requests: [] as string[], cookies: [] as string[], complaints: [] as string[] };
  context.on('request', (request) => heard.requests.push(request.url()));
  context.on('response', async (response) => {
    const cookie = await response.headerValue('set-cookie').catch(() => null);
    if (cookie !== null) heard.cookies.push(`${response.url()}: ${cookie}`);
  });
  page.on('websocket', (socket) => heard.requests.push(socket.url()));
  page.on('pageerror', (error) => heard.complaints.push(error.message));
  page.on('console', (line) => line.type() === 'error' && heard.complaints.push(line.text()));
  await page.exposeFunction('complain', (complaint: string) => void heard.complaints.push(complaint));
  await page.addInitScript(() =>
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      (window as unknown as { complain(complaint: string): void }).complain(
        `${violatedDirective} ${blockedURI}`,
      ),
    ),
  );
  return heard;
}

/** What a browser keeps for the app, by place and key; of the caches each file. */
const keptIn = (page: Page) =>
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

/** ScrollRestoration of the router keeps how far each page was scrolled, until the tab is closed. */
const scrolled = 'react-router-scroll-positions';
const isFile = (path: string) => /^\/(app|icon\.svg|assets\/[\w.-]+)?$/.test(path);

test.describe('on every page', () => {
  test.use({ serviceWorkers: 'allow' });

  test('no cookie is set, nothing asked of another origin or kept that need not be [PRIV-17 PRIV-19]', async ({
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
      const heard = await listen({ page, context });
      for (const path of paths) {
        await page.goto(path);
        await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
        const { files, ...kept } = await keptIn(page);
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
      expect(heard.requests.length).toBeGreaterThan(paths.length);
      const foreign = heard.requests.filter(
        (url) => !['blob:', 'data:'].includes(new URL(url).protocol) && new URL(url).host !== own.host,
      );
      expect(foreign).toEqual([]);
      const watching = /analytics|gtag|telemetry|tracking|beacon/i;
      expect(heard.requests.filter((url) => watching.test(new URL(url).pathname))).toEqual([]);
      expect(heard.cookies).toEqual([]);
      expect(heard.complaints).toEqual([]);
      expect(await context.cookies()).toEqual([]);
    }
    await expect.poll(async () => (await keptIn(ada.page)).files).toContain('/app');
    expect((await keptIn(ada.page)).local).toContain('authData');
  });

  test('a logout leaves nothing of anybody behind, also without a network', async ({ person, club }) => {
    const ada = await person('Ada', { last_name: 'Canarylast' });
    const rowers = await club([ada], 'Canary Rowers');
    const { page, context } = ada;
    await page.goto(`/app/clubs/${rowers.slug}`);
    await expect(page.getByRole('heading', { name: rowers.club_name })).toBeVisible();
    await expect.poll(async () => (await keptIn(page)).files).toContain('/app');
    await page.reload();
    await page.evaluate(() => localStorage.setItem('returnUrl', '/app'));
    await page.evaluate(() => localStorage.setItem('clubSlug', 'any'));
    await context.setOffline(true);
    await page.getByRole('button', { name: 'User menu' }).click();
    await page.getByRole('menuitem', { name: 'Log Out' }).click();
    await expect(page).toHaveURL(`${origin()}/`);
    const { files, session, ...kept } = await keptIn(page);
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
