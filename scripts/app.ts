// Runs the app in a process of its own, for the benchmark and the injected faults.
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#e2e/server.ts';
import { flags, memory, root } from './prepare.mjs';

/** The open processes and temporary directories. Closed at the end or on a signal, so that nothing is left behind. */
export const opened = new AsyncDisposableStack();
let closing: Promise<void> | undefined;
export const closeAll = (): Promise<void> => (closing ??= opened.disposeAsync());
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void closeAll().finally(() => process.exit(1)));

/** Prepares an app that runs as installed, but without rate limits. A restarted app keeps its port and data. */
export async function prepareApp(settings: Record<'DATA_DIR', string>, checkout = root) {
  const port = String(await freePort());
  const origin = `http://127.0.0.1:${port}`;
  const logFile = join(settings.DATA_DIR, `app-${port}.log`);
  const log = openSync(logFile, 'a');
  const env = {
    PATH: process.env['PATH'] ?? '',
    ...memory,
    NODE_COMPILE_CACHE: join(checkout, 'dist/compiled'),
    HOST: '127.0.0.1',
    PORT: port,
    PUBLIC_URL: origin,
    LIMITS_PER_ADDRESS: 'off',
    REQUESTS_PER_MINUTE: '1000000',
    MEGABYTES_PER_HOUR: '100000',
    ...settings,
  };
  const options: SpawnOptions = { cwd: checkout, env, stdio: ['ignore', log, log] };
  let child: ChildProcess | undefined;
  const app = {
    origin,
    log: logFile,
    pid: () => child?.pid as number,
    isAlive: () => child?.exitCode === null && child.signalCode === null,
    /** Resolves with the milliseconds until the app is ready. */
    async start(): Promise<number> {
      child = spawn(process.execPath, [...flags, 'src/app/main.ts'], options);
      return until(`the app in ${checkout} is ready`, async () => {
        if (!app.isAlive()) throw new Error(`The app in ${checkout} has ended`);
        return (await fetch(`${origin}/readyz`).catch(() => undefined))?.ok === true;
      });
    },
    async end(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
      if (!child || !app.isAlive()) return;
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
    },
  };
  return app;
}

/** Polls a condition and returns the milliseconds it took, or throws after the timeout. */
export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  timeout = 30_000,
): Promise<number> {
  const started = performance.now();
  while (!(await condition())) {
    if (performance.now() - started > timeout) throw new Error(`Timeout after ${timeout / 1000} s: ${what}`);
    await sleep(20);
  }
  return performance.now() - started;
}
