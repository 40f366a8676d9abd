import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { scratch } from '#test/scratch-directory.ts';

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}

type Settings = Record<string, string>;

/** Starts the app like `npm start` in its own data directory, which `before` prepares with the same settings. */
export async function startApp(before: (env: NodeJS.ProcessEnv) => Promise<void> = async () => {}) {
  const dataDir = await mkdtemp(join(scratch, 'muster-e2e-'));
  const { origin, end } = await startProcess({ DATA_DIR: dataDir }, before);
  const stop = async () => {
    await end('SIGINT');
    await rm(dataDir, { recursive: true, force: true });
  };
  return { origin, dataDir, stop };
}

/** Starts one process of the app. */
export async function startProcess(
  settings: Settings,
  before: (env: NodeJS.ProcessEnv) => Promise<void> = async () => {},
  output: 'ignore' | number = 'ignore',
) {
  const origin = `http://127.0.0.1:${await freePort()}`;
  const { port } = new URL(origin);
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    // Coverage tools disable the compile cache, which a test checks.
    NODE_DISABLE_COMPILE_CACHE: undefined,
    PORT: port,
    HOST: '127.0.0.1',
    PUBLIC_URL: origin,
    LIMITS_PER_ADDRESS: 'off',
    LOG_LEVEL: 'warn',
    SUPPORT_EMAIL: 'support@muster.test',
    MAKER_NAME: 'Pier Street Consulting',
    MAKER_URL: 'https://maker.test/',
    DEVELOPER_NAME: 'Dot & Line',
    DEVELOPER_URL: 'https://developer.test/',
    DONATE_URL: 'https://donate.test/muster',
    ...settings,
  };
  await before(env);
  const app = spawn(process.execPath, ['src/app/main.ts'], { env, stdio: ['ignore', output, 'inherit'] });
  const exited = once(app, 'exit');
  await ready(origin).catch((error: unknown) => {
    // A remaining child would keep the output pipe of the tests open.
    app.kill('SIGKILL');
    throw error;
  });
  const end = async (signal: NodeJS.Signals) => {
    app.kill(signal);
    const [code] = await exited;
    return code as number | null;
  };
  return { origin, end };
}

/** Seeds the data directory with the demo clubs. */
export async function seed(env: NodeJS.ProcessEnv): Promise<void> {
  const demo = spawn(process.execPath, ['src/app/seed.ts'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(demo, 'exit');
  if (code !== 0) throw new Error('The demo could not be made');
}

/** Starts an empty app and passes its origin to the tests. */
export default async function setup() {
  const { origin, dataDir, stop } = await startApp();
  process.env['E2E_ORIGIN'] = origin;
  process.env['E2E_DATA_DIR'] = dataDir;
  return stop;
}

export async function ready(origin: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if ((await fetch(`${origin}/readyz`).catch(() => undefined))?.ok) return;
    await sleep(100);
  }
  throw new Error('The app did not get ready');
}
