import { execFile } from 'node:child_process';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TraceEvent } from './blocked.ts';

const version = '13.5.0';
/** Retries of a failed Lighthouse run. */
const retries = 2;

export const metrics = ['largest-contentful-paint', 'total-blocking-time', 'cumulative-layout-shift'];

type Score = { score: number | null };

interface Report {
  categories: Record<string, Score>;
  audits: Record<string, Score & { title: string; numericValue?: number; errorMessage?: string }>;
  environment: { benchmarkIndex: number };
}

/** One page load: the report of Lighthouse and the trace of the browser. */
export interface Load {
  report: Report;
  trace: TraceEvent[];
}

/** Lighthouse lost the page, which happens occasionally: "Please run Lighthouse again". */
class Lost extends Error {}

/** Loads a page in the browser with this debugging port. */
export async function load(url: string, port: string, flags: string[]): Promise<Load> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'muster-lighthouse-load-'));
  for (let left = retries; ; left--) {
    try {
      return await runLighthouse(url, folder.path, [`--port=${port}`, ...flags]);
    } catch (error) {
      if (!(error instanceof Lost) || left === 0) throw error;
      console.log(`  retrying: ${error.message}`);
    }
  }
}

/** Lighthouse is fetched by npx rather than being a dependency: it is 180 MB and rarely needed. */
async function runLighthouse(url: string, folder: string, flags: string[]): Promise<Load> {
  const file = join(folder, 'load.json');
  const always = ['--output=json', `--output-path=${file}`, '--save-assets', '--quiet'];
  await promisify(execFile)(
    'npx',
    ['--yes', `lighthouse@${version}`, url, ...always, '--no-enable-error-reporting', ...flags],
    { env: { ...process.env, npm_config_ignore_scripts: 'true' } },
  ).catch((error: Error & { stderr?: string }) => {
    const [, reason] = /^Runtime error encountered: (.*)/m.exec(error.stderr ?? '') ?? [];
    throw reason ? new Lost(reason) : error;
  });
  const report = await read<Report>(file);
  const reason = metrics.map((name) => report.audits[name]?.errorMessage).find(Boolean);
  if (reason) throw new Lost(reason);
  const { traceEvents } = await read<{ traceEvents: TraceEvent[] }>(join(folder, 'load-0.trace.json'));
  return { report, trace: traceEvents };
}

const read = async <T>(file: string) => JSON.parse(await readFile(file, 'utf8')) as T;
