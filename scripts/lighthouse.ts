// `npm run lighthouse`: how four screens load on a phone, and how soon one is there that was seen before; fails where
// one is too slow. `npm run lighthouse -- login home` measures these alone.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium, type BrowserContext, type Page } from '@playwright/test';
import { launchOptions } from '#e2e/browser.ts';
import { account } from '#e2e/people.ts';
import { seed, startApp } from '#e2e/server.ts';
import type { AuthData } from '#wire/client.ts';
import { build } from './prepare.mjs';

const version = '13.5.0';
const rounds = 3;
/** For the landing page, in every category. */
const least = 95;
/** Of a load: milliseconds, milliseconds, and a share of the screen. */
const most = { lcp: 1500, tbt: 100, cls: 0.02 };
/** Milliseconds from a click to a screen that was seen before. */
const mostCached = 100;

const categories = ['performance', 'accessibility', 'best-practices', 'seo'];
const metrics = ['largest-contentful-paint', 'total-blocking-time', 'cumulative-layout-shift'];

interface Report {
  categories: Record<string, { score: number | null }>;
  audits: Record<string, { title: string; score: number | null; numericValue?: number }>;
}

interface Screen {
  name: string;
  path: string;
  /** The score that each category has to reach. */
  least?: number;
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** It weighs 180 MB and is asked for seldom, so it is no dependency: npm fetches it, once. */
async function ask(url: string, port: string): Promise<Report> {
  const flags = [`--port=${port}`, '--output=json', '--quiet', '--no-enable-error-reporting'];
  const { stdout } = await promisify(execFile)('npx', ['--yes', `lighthouse@${version}`, url, ...flags], {
    maxBuffer: 64 * 2 ** 20,
    env: { ...process.env, npm_config_ignore_scripts: 'true' },
  });
  return JSON.parse(stdout) as Report;
}

/** Prints a screen's medians, then what costs it points; whether they are as promised. */
async function judge({ name, path, least = 0 }: Screen, port: string): Promise<boolean> {
  const reports: Report[] = [];
  for (let round = 0; round < rounds; round++) reports.push(await ask(app.origin + path, port));
  const scores = categories.map((key) =>
    Math.round(100 * median(reports.map((report) => report.categories[key]?.score ?? 0))),
  );
  const [lcp = 0, tbt = 0, cls = 0] = metrics.map((key) =>
    median(reports.map((report) => report.audits[key]?.numericValue ?? Number.NaN)),
  );
  const cells = [...scores, `${(lcp / 1000).toFixed(2)} s`, `${Math.round(tbt)} ms`, cls.toFixed(3)];
  row([name, ...cells]);
  const faults = Object.values(reports[0]?.audits ?? {}).filter(({ score }) => score !== null && score < 0.9);
  for (const { title } of faults) console.log(`  · ${title}`);
  const isQuick = lcp <= most.lcp && tbt <= most.tbt && cls <= most.cls;
  return isQuick && scores.every((score) => score >= least);
}

async function loggedIn(browser: BrowserContext, auth: AuthData): Promise<Page> {
  const [page = await browser.newPage()] = browser.pages();
  await page.goto(`${app.origin}/privacy-policy`);
  await page.evaluate((stored) => localStorage.setItem('authData', stored), JSON.stringify(auth));
  await page.goto('about:blank');
  return page;
}

/** Runs in the browser. */
const moveTo = `async (link, heading) => {
  const isThere = () => [...document.querySelectorAll('h1, h2')].some((each) => each.textContent.startsWith(heading));
  const since = performance.now();
  document.querySelector('a[href="' + link + '"]').click();
  while (!isThere() && performance.now() - since < 5000) await new Promise(requestAnimationFrame);
  return performance.now() - since;
}`;

/** How long it takes from clicks on links to the screens behind them, which were all seen before: milliseconds. */
async function timesOfMoves(page: Page, club: string): Promise<number[]> {
  const times: number[] = [];
  await page.goto(`${app.origin}/app/clubs/${club}`);
  for (let move = 0; move < 12; move++) {
    const [link, heading] = move % 2 === 0 ? ['/app', 'Events Attending'] : [`/app/clubs/${club}`, 'Members'];
    await page.locator(`a[href="${link}"]`).first().waitFor();
    times.push(
      await page.evaluate<number>(`(${moveTo})(${JSON.stringify(link)}, ${JSON.stringify(heading)})`),
    );
  }
  // Whatever is seen for the first time has to be fetched.
  return times.slice(2);
}

const row = ([name = '', ...cells]: (string | number)[]) =>
  console.log(String(name).padEnd(10) + cells.map((cell) => String(cell).padStart(15)).join(''));

const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);

await build();
const app = await startApp(seed);
process.env['E2E_ORIGIN'] = app.origin;
process.env['E2E_DATA_DIR'] = app.dataDir;
const profile = await mkdtemp(join(tmpdir(), 'muster-lighthouse-'));
const { args, ...options } = await launchOptions();
const browser = await chromium.launchPersistentContext(profile, {
  ...options,
  args: [...args, '--remote-debugging-port=0'],
});
try {
  const [port = ''] = (await readFile(join(profile, 'DevToolsActivePort'), 'utf8')).split('\n', 1);
  row(['', ...categories, 'LCP', 'TBT', 'CLS']);
  const isGood: boolean[] = [];
  const look = async (screen: Screen) => {
    if (isWanted(screen.name)) isGood.push(await judge(screen, port));
  };
  await look({ name: 'landing', path: '/', least });
  await look({ name: 'login', path: '/login' });

  const { api, auth } = await account('ada@example.org');
  // Lighthouse empties the caches before each load and leaves the local storage alone.
  const page = await loggedIn(browser, auth);
  const club = (await api.users.me({})).clubs[0]?.slug ?? '';
  await look({ name: 'home', path: '/app' });
  await look({ name: 'club', path: `/app/clubs/${club}` });
  if (isWanted('moves')) {
    const moves = await timesOfMoves(page, club);
    const move = median(moves);
    isGood.push(move <= mostCached);
    console.log(`to a screen seen before: ${Math.round(move)} ms (${moves.map(Math.round).join(', ')})`);
  }
  if (isGood.includes(false)) process.exitCode = 1;
} finally {
  await browser.close();
  await app.stop();
  await rm(profile, { recursive: true, force: true });
}
