// `npm run lighthouse`: what Lighthouse says of four screens on a phone; fails where the landing page falls short.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from '@playwright/test';
import { launchOptions } from '#e2e/browser.ts';
import { account } from '#e2e/people.ts';
import { seed, startApp } from '#e2e/server.ts';
import { build } from './prepare.mjs';

const version = '13.5.0';
const rounds = 3;
/** For the landing page, in every category. */
const least = 95;

const categories = ['performance', 'accessibility', 'best-practices', 'seo'];
const metrics = ['largest-contentful-paint', 'total-blocking-time', 'cumulative-layout-shift'];

interface Report {
  categories: Record<string, { score: number | null }>;
  audits: Record<string, { title: string; score: number | null; numericValue?: number }>;
}

interface Screen {
  name: string;
  path: string;
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

/** Prints a screen's medians, then what costs it points, and says whether every category has enough. */
async function judge({ name, path }: Screen, port: string): Promise<boolean> {
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
  return scores.every((score) => score >= least);
}

const row = ([name = '', ...cells]: (string | number)[]) =>
  console.log(String(name).padEnd(10) + cells.map((cell) => String(cell).padStart(15)).join(''));

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
  if (!(await judge({ name: 'landing', path: '/' }, port))) process.exitCode = 1;
  await judge({ name: 'login', path: '/login' }, port);

  const { api, auth } = await account('ada@example.org');
  const [page = await browser.newPage()] = browser.pages();
  await page.goto(`${app.origin}/privacy-policy`);
  // Lighthouse empties the caches before each load and leaves the local storage alone.
  await page.evaluate((stored) => localStorage.setItem('authData', stored), JSON.stringify(auth));
  await page.goto('about:blank');
  const club = (await api.users.me({})).clubs[0]?.slug ?? '';
  await judge({ name: 'home', path: '/app' }, port);
  await judge({ name: 'club', path: `/app/clubs/${club}` }, port);
} finally {
  await browser.close();
  await app.stop();
  await rm(profile, { recursive: true, force: true });
}
