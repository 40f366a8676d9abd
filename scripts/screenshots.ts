// `npm run screenshots`: captures every screen into screenshots/, for phone and desktop, light and dark. Arguments filter
// by name.
import { mkdir, rm } from 'node:fs/promises';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type ConsoleMessage,
  type Page,
} from '@playwright/test';
import { launchOptions } from '#e2e/browser.ts';
import { account } from '#e2e/people.ts';
import { seed, startApp } from '#e2e/server.ts';
import { screens } from './screens.ts';
import { findPlaces, viewers, type Places, type Viewer } from './screens/places.ts';
import type { Screen } from './screens/screen.ts';

const folder = 'screenshots';
const windows = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } } as const;
const schemes = ['light', 'dark'] as const;

/** The maximum height of a picture in pixels. */
const maxHeight = 2600;

interface Variant {
  window: keyof typeof windows;
  scheme: (typeof schemes)[number];
}

type Accounts = Record<Viewer, Awaited<ReturnType<typeof account>>>;

/** Takes one picture and returns the detected problems: errors, or a page wider than its window. */
async function take(page: Page, screen: Screen, path: string, file: string): Promise<string[]> {
  const problems: string[] = [];
  page.setDefaultTimeout(7000);
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => !screen.isLogged && isProblem(message) && problems.push(message.text()));
  try {
    await screen.before?.(page);
    await page.goto(path);
    await page.locator('h1, [role=dialog]').first().waitFor();
    for (const step of screen.reach ?? []) await step(page);
    await page.waitForLoadState('networkidle');
  } catch (error) {
    problems.push((error as Error).message.split('\n', 1)[0] as string);
  }
  // A scrolled page would show sticky elements in the middle of the picture.
  if (!screen.isDialog) await page.evaluate('scrollTo(0, 0)');
  const { width, height } = await page.evaluate<{ width: number; height: number }>(
    '({ width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight })',
  );
  const window = page.viewportSize()?.width ?? width;
  if (width > window) problems.push(`${width - window} pixels wider than the window`);
  const whole = { fullPage: true, clip: { x: 0, y: 0, width: window, height: Math.min(height, maxHeight) } };
  await page.screenshot({
    path: file,
    animations: 'disabled',
    caret: 'hide',
    ...(screen.isDialog ? {} : whole),
  });
  await page.context().setOffline(false);
  return problems;
}

/** Failed requests are expected: some screens show errors. */
const isProblem = (message: ConsoleMessage) =>
  message.type() === 'error' && !message.text().startsWith('Failed to load resource');

/** Opens browser contexts for one variant: one per viewer, and a new one for each visitor without a session. */
function browsers(browser: Browser, origin: string, accounts: Accounts, { window, scheme }: Variant) {
  const known = new Map<Viewer, Promise<BrowserContext>>();
  const open = (viewer?: Viewer) => {
    const auth = viewer && accounts[viewer].auth;
    const localStorage = auth ? [{ name: 'authData', value: JSON.stringify(auth) }] : [];
    return browser.newContext({
      baseURL: origin,
      viewport: windows[window],
      isMobile: window === 'phone',
      hasTouch: window === 'phone',
      colorScheme: scheme,
      reducedMotion: 'reduce',
      timezoneId: 'Europe/London',
      storageState: { cookies: [], origins: [{ origin, localStorage }] },
    });
  };
  return (viewer?: Viewer): Promise<BrowserContext> => {
    if (!viewer) return open();
    const context = known.get(viewer) ?? open(viewer);
    known.set(viewer, context);
    return context;
  };
}

async function takeAll(
  browser: Browser,
  accounts: Accounts,
  places: Places,
  variant: Variant,
): Promise<number> {
  const contextOf = browsers(browser, app.origin, accounts, variant);
  let all = 0;
  for (const screen of screens) {
    const name = `${screen.name}.${variant.window}-${variant.scheme}`;
    if ((screen.on ?? variant.window) !== variant.window || !isWanted(name)) continue;
    const context = await contextOf(screen.as);
    const page = await context.newPage();
    const problems = await take(page, screen, screen.path(places), `${folder}/${name}.png`);
    for (const problem of problems) console.log(`✗ ${name}: ${problem}`);
    all += problems.length;
    taken += 1;
    await page.close();
  }
  return all;
}

let taken = 0;
const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.some((word) => name.includes(word));
if (wanted.length === 0) await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });

const app = await startApp(seed);
process.env['E2E_ORIGIN'] = app.origin;
process.env['E2E_DATA_DIR'] = app.dataDir;
const browser = await chromium.launch(await launchOptions());
try {
  // Sequentially, because each login searches the same outbox.
  const entries: [Viewer, Accounts[Viewer]][] = [];
  for (const viewer of Object.keys(viewers) as Viewer[])
    entries.push([viewer, await account(viewers[viewer])]);
  const accounts = Object.fromEntries(entries) as Accounts;
  const places = await findPlaces(
    Object.fromEntries(entries.map(([viewer, { api }]) => [viewer, api])) as Parameters<typeof findPlaces>[0],
  );
  const all = (['phone', 'desktop'] as const).flatMap((window) =>
    schemes.map((scheme) => ({ window, scheme })),
  );
  const problems = await Promise.all(all.map((variant) => takeAll(browser, accounts, places, variant)));
  const minutes = (performance.now() / 60_000).toFixed(1);
  console.log(
    `${taken} pictures in ${folder}/, ${problems.reduce((a, b) => a + b)} problems, ${minutes} minutes.`,
  );
} finally {
  await browser.close();
  await app.stop();
}
