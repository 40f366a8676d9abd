// `npm run screenshots`: captures every screen into screenshots/, for phone and desktop, light and dark. Arguments filter
// by name. `-- --before ../before/screenshots` also writes sheet.html, which shows each screen beside the earlier picture.
// `-- --language de` shows the screens in German. A step whose text is not found there is reported as a problem.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chromium, type BrowserContext, type Page } from '@playwright/test';
import { isLanguage } from '#languages/languages.ts';
import { launchOptions } from '#e2e/browser.ts';
import { account } from '#e2e/people.ts';
import { seed, startApp } from '#e2e/server.ts';
import { englishTexts } from '#test/catalogues.ts';
import { opened } from './app.ts';
import { findPlaces, viewers, type Accounts, type Viewer } from './screens/places.ts';
import { inFront, reach } from './screens/steps.ts';

const folder = 'screenshots';
const windows = {
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  desktop: { viewport: { width: 1440, height: 900 } },
};
type WindowName = keyof typeof windows;
/** The maximum height of a picture in pixels. */
const maxHeight = 2600;
/** Names of screens that log an error to the console. On other screens, such an error is a problem. */
const logged = /^server-error|offline/;

interface Screen {
  name: string;
  viewer: string;
  path: string;
  steps: string[];
}

/** Reads the list and replaces the words in braces. */
async function screensOf(places: Record<string, string>): Promise<Screen[]> {
  const lines = (await readFile('scripts/screens/list.txt', 'utf8')).split('\n');
  const valueOf = (_: string, word: string) => {
    const value = word === 'random' ? randomUUID() : places[word];
    if (value === undefined) throw new Error(`No place {${word}}`);
    return value;
  };
  const screens = lines.filter((line) => line && !line.startsWith('#'));
  return screens.map((line) => {
    const [name = '', viewer = '', path = '', ...steps] = line.replaceAll(/\{(\w+)\}/g, valueOf).split(' | ');
    return { name, viewer, path, steps };
  });
}

/** Takes one picture and returns the detected problems: errors, or a page wider than its window. */
async function take(page: Page, { name, path, steps }: Screen, file: string): Promise<string[]> {
  const problems: string[] = [];
  page.setDefaultTimeout(7000);
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // Failed requests are expected: some screens show errors.
    const isExpected = logged.test(name) || message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isExpected) problems.push(message.text());
  });
  try {
    await reach(page, path, steps, translate);
    await page.waitForLoadState('networkidle');
  } catch (error) {
    problems.push((error as Error).message.split('\n', 1)[0] as string);
  }
  // If a dialog or menu is open, the picture shows only the window, not the whole page.
  const isWhole = (await page.locator(inFront).count()) === 0;
  // A scrolled page would show sticky elements in the middle of the picture.
  if (isWhole) await page.evaluate('scrollTo(0, 0)');
  const [width, height] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, document.documentElement.scrollHeight]',
  );
  const window = page.viewportSize()?.width ?? width;
  if (width > window) problems.push(`${width - window} pixels wider than the window`);
  const clip = { x: 0, y: 0, width: window, height: Math.min(height, maxHeight) };
  const whole = isWhole ? { fullPage: true, clip } : {};
  await page.screenshot({ path: file, animations: 'disabled', caret: 'hide', ...whole });
  await page.context().setOffline(false);
  return problems;
}

/** Takes all pictures of one window and color scheme, and returns the numbers of pictures and problems. */
async function takeAll(window: WindowName, colorScheme: 'light' | 'dark', accounts: Accounts) {
  /** One browser context per viewer, and a new one for each visitor without a session. */
  const contexts = new Map<string, BrowserContext>();
  const contextOf = async (viewer: string) => {
    const existing = contexts.get(viewer);
    if (existing) return existing;
    const auth = viewer === '-' ? undefined : accounts[viewer as Viewer].auth;
    const localStorage = auth ? [{ name: 'authData', value: JSON.stringify(auth) }] : [];
    const context = await browser.newContext({
      baseURL: app.origin,
      ...windows[window],
      colorScheme,
      reducedMotion: 'reduce',
      locale: language,
      timezoneId: 'Europe/London',
      storageState: { cookies: [], origins: [{ origin: app.origin, localStorage }] },
    });
    if (auth) contexts.set(viewer, context);
    return context;
  };
  const count = { pictures: 0, problems: 0 };
  for (const screen of await screensOf(places)) {
    const [name, only = window] = screen.name.split('.');
    const full = `${name}.${window}-${colorScheme}`;
    if (only !== window || !isWanted(full)) continue;
    const page = await (await contextOf(screen.viewer)).newPage();
    const problems = await Promise.race([
      take(page, screen, `${folder}/${full}.png`).catch(({ message }: Error) => [message]),
      // Evaluating in a page that hangs has no timeout of its own.
      setTimeout(60_000, ['took longer than a minute'], { ref: false }),
    ]);
    for (const problem of problems) console.log(`✗ ${full}: ${problem}`);
    count.pictures += 1;
    count.problems += problems.length;
    await (screen.viewer === '-' ? page.context() : page).close();
  }
  return count;
}

/** Writes a page with all pictures, each beside the one of the same name in `before`. */
async function writeSheet(before: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.png'));
  const rows = names.sort().map((name) => {
    const sources = [`${relative(folder, before)}/${name}`, name];
    const pictures = sources.map((source) => `<img loading="lazy" src="${source}" alt="not there">`);
    return `<h2>${name}</h2><div>${pictures.join('')}</div>`;
  });
  const style =
    'div { display: flex; gap: 16px } img { max-width: 49%; align-self: start; border: 1px solid }';
  const head = `<title>Before and after</title><style>${style}</style>`;
  await writeFile(`${folder}/sheet.html`, head + rows.join(''));
}

/** Returns a function that finds the text of the language for an English text or a part of one. */
async function translatorTo(language: string): Promise<(text: string) => string> {
  if (!isLanguage(language) || language === 'en') return (text) => text;
  const english = Object.entries(await englishTexts());
  const texts = JSON.parse(await readFile(`src/languages/${language}.json`, 'utf8')) as Record<
    string,
    string
  >;
  return (text) => {
    const key = (english.find(([, whole]) => whole === text) ??
      english.find(([, whole]) => whole.includes(text)))?.[0];
    // A text with values is found by what precedes the first of them.
    return (key && texts[key]?.split('{', 1)[0]?.trim()) || text;
  };
}

const flags = { before: { type: 'string' }, language: { type: 'string', default: 'en-GB' } } as const;
const { values, positionals: wanted } = parseArgs({ allowPositionals: true, options: flags });
const isWanted = (name: string) => wanted.length === 0 || wanted.some((word) => name.includes(word));
const language = values.language;
const translate = await translatorTo(language);
if (wanted.length === 0) await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });

await using all = opened;
const app = await startApp(seed);
all.defer(app.stop);
process.env['E2E_ORIGIN'] = app.origin;
process.env['E2E_DATA_DIR'] = app.dataDir;
const browser = all.use(await chromium.launch(await launchOptions()));
const accounts: Partial<Accounts> = {};
// Sequentially, because each login searches the same outbox.
for (const viewer of Object.keys(viewers) as Viewer[]) accounts[viewer] = await account(viewers[viewer]);
const places = await findPlaces(accounts as Accounts);
if (isLanguage(language)) for (const { api } of Object.values(accounts)) await api.users.update({ language });
const variants = (['phone', 'desktop'] as const).flatMap((window) =>
  (['light', 'dark'] as const).map((scheme) => takeAll(window, scheme, accounts as Accounts)),
);
const counts = await Promise.all(variants);
if (values.before) await writeSheet(values.before);
const total = (what: 'pictures' | 'problems') => counts.reduce((sum, count) => sum + count[what], 0);
const minutes = (performance.now() / 60_000).toFixed(1);
console.log(
  `${total('pictures')} pictures in ${folder}/, ${total('problems')} problems, ${minutes} minutes.`,
);
