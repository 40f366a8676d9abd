// `npm run lighthouse`: measures the load of the main screens on a simulated phone, and fails when one is too slow. `-- login home`
// measures only these, `-- --slowdown 4` sets the CPU throttling instead of deriving it from the benchmark index, and
// `-- --language de` shows them in German.
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type BrowserContext } from '@playwright/test';
import { isLanguage } from '#languages/languages.ts';
import { launchOptions } from '#e2e/browser.ts';
import { account } from '#e2e/people.ts';
import { seed, startApp } from '#e2e/server.ts';
import type { AuthData } from '#wire/client.ts';
import { opened } from './app.ts';
import { median } from './bench/statistics.ts';
import { blocked } from './lighthouse/blocked.ts';
import { load, metrics, type Load } from './lighthouse/load.ts';
import { slowdownAt } from './lighthouse/slowdown.ts';
import { build } from './prepare.mjs';

/** How often each screen is loaded. Before that, the landing page is loaded as often for the benchmark index. */
const rounds = 3;
/** The minimum score in every category. SEO counts only for the landing page: the app is not for search engines. */
const minScore = 95;
/** The limits of a load: LCP and blocking time in milliseconds, and the layout shift. */
const max = { lcp: 1500, blocked: 100, cls: 0.02 };

const categories = ['performance', 'accessibility', 'best-practices', 'seo'];

/** The simulated phone: the debugging port of the browser and the CPU slowdown. */
type Phone = { port: string; slowdown: number };

/** Lighthouse's benchmark index of this machine: the maximum of several loads, because other load only lowers it. */
async function benchmarkIndex(port: string): Promise<number> {
  const loads: Load[] = [];
  while (loads.length < rounds)
    loads.push(await load(app.origin, port, ['--only-audits=total-blocking-time']));
  return Math.max(...loads.map(({ report }) => report.environment.benchmarkIndex));
}

/** Prints a screen's medians and failed audits, and returns whether all limits hold. */
async function judge(name: string, path: string, { port, slowdown }: Phone): Promise<boolean> {
  const throttling = `--throttling.cpuSlowdownMultiplier=${slowdown}`;
  const loads: Load[] = [];
  while (loads.length < rounds) loads.push(await load(app.origin + path, port, [throttling]));
  const scores = categories.map((key) =>
    Math.round(100 * median(loads.map(({ report }) => report.categories[key]?.score ?? 0))),
  );
  const [lcp = 0, tbt = 0, cls = 0] = metrics.map((key) =>
    median(loads.map(({ report }) => report.audits[key]?.numericValue ?? Number.NaN)),
  );
  const cpuBlocked = median(loads.map(({ trace }) => blocked(trace, slowdown)));
  const figures: [text: string, held: boolean][] = [
    [`${(lcp / 1000).toFixed(2)} s`, lcp <= max.lcp],
    [`${Math.round(tbt)} ms`, tbt <= max.blocked],
    [`${Math.round(cpuBlocked)} ms`, cpuBlocked <= max.blocked],
    [cls.toFixed(3), cls <= max.cls],
  ];
  row([name, ...scores, ...figures.map(([text, held]) => (held ? text : `${text} (!)`))]);
  for (const { title, score } of Object.values(loads[0]?.report.audits ?? {}))
    if (score !== null && score < 0.9) console.log(`  · ${title}`);
  const judged = path.startsWith('/?') ? scores : scores.slice(0, -1);
  return figures.every(([, held]) => held) && judged.every((score) => score >= minScore);
}

async function logIn(browser: BrowserContext, auth: AuthData): Promise<void> {
  const [page = await browser.newPage()] = browser.pages();
  await page.goto(`${app.origin}/privacy-policy`);
  await page.evaluate((stored) => localStorage.setItem('authData', stored), JSON.stringify(auth));
  await page.goto('about:blank');
}

const row = ([name = '', ...cells]: (string | number)[]) =>
  console.log(String(name).padEnd(10) + cells.map((cell) => String(cell).padStart(15)).join(''));

const flags = { slowdown: { type: 'string' }, language: { type: 'string', default: 'en' } } as const;
const { values, positionals: wanted } = parseArgs({ allowPositionals: true, options: flags });
const chosenSlowdown = values.slowdown === undefined ? undefined : Number(values.slowdown);
if (chosenSlowdown !== undefined && !(chosenSlowdown >= 1)) {
  console.error('The slowdown must be a number of at least 1.');
  process.exit(2);
}
const { language } = values;
if (!isLanguage(language)) {
  console.error(`Muster has no texts in ${language}.`);
  process.exit(2);
}
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);

await build();
await using all = opened;
const app = await startApp(seed);
all.defer(app.stop);
process.env['E2E_ORIGIN'] = app.origin;
process.env['E2E_DATA_DIR'] = app.dataDir;
const { path: profile } = all.use(await mkdtempDisposable(join(tmpdir(), 'muster-lighthouse-')));
const options = await launchOptions();
const args = [...options.args, '--remote-debugging-port=0'];
const browser = all.use(await chromium.launchPersistentContext(profile, { ...options, args }));
const [port = ''] = (await readFile(join(profile, 'DevToolsActivePort'), 'utf8')).split('\n', 1);
const index = await benchmarkIndex(port);
const phone = { port, slowdown: chosenSlowdown ?? slowdownAt(index) };
console.log(`benchmark index ${Math.round(index)}, CPU slowdown ${phone.slowdown}`);
row(['', ...categories, 'LCP', 'TBT', 'TBT, CPU', 'CLS']);
const isGood: boolean[] = [];
const measure = async (name: string, path: string) => {
  if (isWanted(name)) isGood.push(await judge(name, path, phone));
};
await measure('landing', `/?lang=${language}`);
await measure('login', `/login?lang=${language}`);

const { api, auth } = await account('ada@example.org');
await api.users.update({ language });
// Lighthouse clears the caches before each load but keeps the local storage.
await logIn(browser, auth);
const club = (await api.users.me({})).clubs[0]?.slug ?? '';
await measure('home', '/app');
await measure('club', `/app/clubs/${club}`);
const [event] = await api.events.attending({});
await measure('event', `/app/events/${event?.slug ?? ''}`);
if (isGood.includes(false)) process.exitCode = 1;
