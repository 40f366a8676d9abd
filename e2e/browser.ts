import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import packaged from '@sparticuz/chromium';
import { scratch } from '#test/scratch-directory.ts';

const system = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].flatMap((name) =>
  ['/usr/bin', '/usr/local/bin', '/snap/bin'].map((folder) => `${folder}/${name}`),
);

/** Disables background requests, updates and accounts of the browser. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Launches the first browser that exists: that of CHROME_PATH, the system, Playwright or the npm package. */
export async function launchOptions() {
  const installed = [process.env['CHROME_PATH'], ...system, chromium.executablePath()].find(
    (path) => path && existsSync(path),
  );
  // Playwright disables /dev/shm, so the browser keeps its shared memory in files in TMPDIR.
  const env = { ...process.env, TMPDIR: scratch };
  return { executablePath: installed ?? (await unpacked()), args, env };
}

/**
 * The packaged browser unpacks itself into TMPDIR. In a shared temporary folder, only the account that unpacked the
 * browser could start it, so this uses a folder of the project.
 */
async function unpacked(): Promise<string> {
  const before = process.env['TMPDIR'];
  const own = join(import.meta.dirname, '../node_modules/.chromium');
  mkdirSync(own, { recursive: true });
  process.env['TMPDIR'] = own;
  const path = await packaged.executablePath();
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  return path;
}
