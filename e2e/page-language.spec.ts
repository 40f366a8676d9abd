import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { languages } from '#languages/languages.ts';
import { errorsOn, holdScripts } from '#e2e/loading.ts';
import { expect, origin, test } from '#e2e/people.ts';
import { englishTexts } from '#test/catalogues.ts';

/** The paths of the scripts with the texts of a language. */
async function textFiles(): Promise<string[]> {
  const worker = await (await fetch(`${origin()}/sw.js`)).text();
  const [, json = ''] = /^const build = (.*);\n/.exec(worker) ?? [];
  return (JSON.parse(json) as { texts: string[] }).texts;
}

const loginHeadings = { en: 'Sign up or log in', de: 'Registrieren oder einloggen' };
const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const started = (page: Page) => expect(page.locator('#root')).toHaveAttribute('data-begun');

test('login: is hydrated in the language in which it was rendered [LANG-06]', async ({ visitor }) => {
  for (const [locale, query, language] of [
    ['de-DE', '', 'de'],
    ['en-GB', '?lang=de', 'de'],
    ['de-DE', '?lang=en', 'en'],
    ['fr-FR', '?lang=xx', 'en'],
  ] as const) {
    const { page, context } = await visitor({ locale });
    const errors = errorsOn(page);
    const release = await holdScripts(page);
    await page.goto(`/login${query}`, { waitUntil: 'commit' });
    await expect(heading(page)).toHaveText(loginHeadings[language]);
    const element = await heading(page).elementHandle();
    release();
    await started(page);
    await expect(heading(page)).toHaveText(loginHeadings[language]);
    expect(await element?.evaluate(({ isConnected }) => isConnected)).toBe(true);
    await expect(page.locator('html')).toHaveAttribute('lang', language);
    expect(errors).toEqual([]);
    await context.close();
  }
});

test('login: is never shown in another language than that of the person who used this browser before [LANG-06]', async ({
  visitor,
}) => {
  for (const [locale, language] of [
    ['de-DE', 'en'],
    ['en-GB', 'de'],
  ] as const) {
    const { page } = await visitor({ locale });
    const errors = errorsOn(page);
    const look = JSON.stringify({ language, clock: 'auto' });
    await page.addInitScript((stored) => localStorage.setItem('look', stored), look);
    const release = await holdScripts(page);
    await page.goto('/login', { waitUntil: 'domcontentloaded' });
    await expect(page.locator('#root')).toBeEmpty();
    release();
    await started(page);
    await expect(heading(page)).toHaveText(loginHeadings[language]);
    await expect(page.locator('html')).toHaveAttribute('lang', language);
    // Without a session, the language in the URL counts more.
    const other = language === 'en' ? 'de' : 'en';
    await page.goto(`/login?lang=${other}`);
    await expect(heading(page)).toHaveText(loginHeadings[other]);
    expect(errors).toEqual([]);
  }
});

test('pages without a session: are in the language of the browser or the URL, also those that only scripts render [LANG-06]', async ({
  visitor,
  ada,
  rowers,
}) => {
  const { invite_link } = await ada.api.invites.create({ club_id: rowers.id });
  const { page } = await visitor({ locale: 'de-DE' });
  const invite = `/app/club/${rowers.slug}/${invite_link}`;
  for (const [path, german, english] of [
    ['/', 'Organisiere deinen Club', 'Organise your Club'],
    ['/privacy-policy', 'Datenschutzerklärung', 'Privacy policy'],
    ['/confirm', 'Dieser Link ist ungültig', 'This link is not valid'],
  ] as const) {
    await page.goto(path);
    await expect(heading(page)).toHaveText(german);
    await page.goto(`${path}?lang=en`);
    await expect(heading(page)).toHaveText(english);
  }
  await page.goto(invite);
  await expect(page.getByRole('button', { name: 'Einladung annehmen' })).toBeVisible();
  await page.goto(`${invite}?lang=en`);
  await expect(page.getByRole('button', { name: 'Accept Invite' })).toBeVisible();
});

const piecesOf = (texts: Record<string, string>) =>
  Object.values(texts).flatMap((text) => text.split(/<\/?\w+>/).map((piece) => piece.trim()));

/** The English texts, and their parts between tags, that no German text is equal to. */
async function onlyEnglish(): Promise<Set<string>> {
  const german = JSON.parse(await readFile('src/languages/de.json', 'utf8')) as Record<string, string>;
  return new Set(piecesOf(await englishTexts())).difference(new Set(['', '.', ...piecesOf(german)]));
}

/** Opens a path as a link of the app does, and returns all texts of the page. */
const textsAt = (page: Page, path: string) =>
  page.evaluate(async (to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate', { state: null }));
    const marked = document.querySelector('h1');
    for (let waited = 0; waited < 100 && marked === document.querySelector('h1'); waited++)
      await new Promise(requestAnimationFrame);
    const texts = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode())
      if (!walker.currentNode.parentElement?.closest('noscript'))
        texts.push(walker.currentNode.textContent ?? '');
    for (const name of ['aria-label', 'placeholder', 'alt', 'title'])
      for (const one of document.querySelectorAll(`[${name}]`)) texts.push(one.getAttribute(name) ?? '');
    return texts.map((text) => text.trim());
  }, path);

test('pages that are reached without a load: have no English text in German, logged in or not [LANG-06 AUTHUX-01]', async ({
  visitor,
  ada,
  rowers,
  run,
}) => {
  const { invite_link } = await ada.api.invites.create({ club_id: rowers.id });
  const { page } = await visitor({ locale: 'de-DE' });
  await ada.api.users.update({ language: 'de' });
  const forEverybody = [
    '/no/such/page',
    '/privacy-policy',
    '/login',
    '/confirm',
    '/confirm?email=ada@example.org&code=x',
    '/unsubscribe',
    '/revert-email',
    '/app/club/no-such-club/no-such-invite',
  ];
  const club = `/app/clubs/${rowers.slug}`;
  for (const [reader, start, paths] of [
    [
      page,
      '/app/feedback',
      [`/app/club/${rowers.slug}/${invite_link}`, ...forEverybody, club, `/app/events/${run.slug}`, '/app'],
    ],
    [
      ada.page,
      '/app',
      [
        ...['', '/edit', '/members', '/updates', '/new-update', '/new-event', '/breaks', '/attendance'].map(
          (path) => club + path,
        ),
        ...['', '/answers', '/check-in'].map((path) => `/app/events/${run.slug}${path}`),
        '/app/new-club',
        '/app/profile',
        '/app/away',
        '/app/notifications',
        '/app/settings/notifications',
        '/thankyou',
        ...forEverybody,
        '/app/feedback',
        '/app/no-such-page',
        '/app/clubs/no-such-club',
      ],
    ],
  ] as const) {
    const english = (await onlyEnglish()).difference(new Set([rowers.club_name]));
    await reader.goto(start);
    await expect(heading(reader)).toBeVisible();
    await started(reader);
    let loads = 0;
    reader.on('load', () => loads++);
    for (const path of paths)
      expect([path, (await textsAt(reader, path)).filter((text) => english.has(text))]).toEqual([path, []]);
    expect(loads).toBe(0);
  }
});

test('texts: only those of the chosen language are requested [LANG-19]', async ({ person, club }) => {
  const files = await textFiles();
  for (const [language, locale, chosen] of [
    ['en', 'de-DE', []],
    ['de', 'en-GB', files.filter((file) => file.startsWith('/assets/de-'))],
  ] as const) {
    const ada = await person('Ada', { locale });
    await ada.api.users.update({ language });
    const { slug } = await club([ada]);
    const requested = new Set<string>();
    ada.page.on('request', (request) => requested.add(new URL(request.url()).pathname));
    for (const path of ['/app', `/app/clubs/${slug}`, '/app/profile', '/privacy-policy']) {
      await ada.page.goto(path);
      await expect(ada.page.locator('html')).toHaveAttribute('lang', language);
    }
    expect(files.filter((file) => requested.has(file))).toEqual(chosen);
  }
});

test('texts: a page whose texts cannot be loaded opens in English and says so in both languages, and the next load tries again [LANG-20]', async ({
  visitor,
  person,
}) => {
  const guest = await visitor({ locale: 'de-DE' });
  const bob = await person('Bob', { locale: 'de-DE' });
  await bob.api.users.update({ language: 'de' });
  for (const [{ page }, path, english, german] of [
    [guest, '/login', loginHeadings.en, loginHeadings.de],
    [bob, '/app', 'Home', 'Startseite'],
  ] as const) {
    const errors: Error[] = [];
    page.on('pageerror', (error) => errors.push(error));
    for (const file of await textFiles()) await page.route(`**${file}`, (route) => route.abort());
    await page.goto(path);
    await expect(heading(page)).toHaveText(english);
    await expect(page.locator('html')).toHaveAttribute('lang', 'en');
    const notice = `${languages.en.notLoaded} ${languages.de.notLoaded}`;
    await expect(page.getByText(notice)).toBeVisible();
    await page.unrouteAll();
    await page.reload();
    await expect(heading(page)).toHaveText(german);
    await started(page);
    await expect(heading(page)).toHaveText(german);
    await expect(page.getByText(notice)).toHaveCount(0);
    expect(errors).toEqual([]);
  }
});

test.describe('with a service worker', () => {
  test.use({ serviceWorkers: 'allow' });

  test('texts: are stored when they are needed, so that the app opens offline in the language of its user [LANG-20]', async ({
    person,
  }) => {
    const { page, context, api } = await person('Ada', { locale: 'en-GB' });
    await api.users.update({ language: 'de' });
    await page.goto('/app');
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    await page.reload();
    const files = await textFiles();
    const isStored = () =>
      page.evaluate(async (all) => {
        const stored = await Promise.all(all.map((file) => caches.match(file)));
        return stored.some(Boolean);
      }, files);
    await expect.poll(isStored).toBe(true);
    await context.setOffline(true);
    await page.goto('/app');
    await expect(heading(page)).toHaveText('Startseite');
    await page.goto('/app/profile');
    await expect(page.locator('html')).toHaveAttribute('lang', 'de');
    await context.setOffline(false);
  });
});
