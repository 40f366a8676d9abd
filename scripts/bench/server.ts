import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '#platform/postgres/supervisor.ts';
import { flags, memory, run } from '../prepare.mjs';
import { openClient } from './client.ts';
import { openCounters } from './counters.ts';
import { fill, reset, waitForJobs } from './fill.ts';
import { createPopulation, type PopulationOptions } from './population.ts';

/** All servers, with their data. */
const opened = new AsyncDisposableStack();
let closing: Promise<void> | undefined;
export const closeServers = (): Promise<void> => (closing ??= opened.disposeAsync());
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void closeServers().finally(() => process.exit(1)));

/** The app of one checkout, in its own process and with its own PostgreSQL. */
export type Server = Awaited<ReturnType<typeof openServer>>;

/** Starts it on a database of this population. The other checkout needs only the same entry point, build script and tables. */
export async function openServer(checkout: string, options: PopulationOptions) {
  const population = createPopulation(options);
  await build(checkout);
  const folder = await mkdtemp(join(tmpdir(), 'muster-bench-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const { url, stop } = await startCountingPostgres(folder);
  opened.defer(stop);
  const adminUrl = superuserUrl(url);
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  opened.defer(() => admin.end());
  // The first start migrates the database.
  await end((await startApp(checkout, folder, url)).child);
  const refreshTokens = await fill(admin, population);
  const { origin, child } = await startApp(checkout, folder, url);
  opened.defer(() => end(child));
  const counters = await openCounters({ pid: child.pid as number, adminUrl });
  opened.defer(counters.close);
  return {
    origin,
    population,
    client: openClient(origin),
    refreshTokens,
    /** Where emails become files. */
    outbox: join(folder, 'outbox'),
    counters,
    waitForJobs: () => waitForJobs(admin),
    reset: () => reset(admin),
  };
}

async function build(checkout: string): Promise<void> {
  const prepare = pathToFileURL(join(checkout, 'scripts/prepare.mjs')).href;
  const script = `import(${JSON.stringify(prepare)}).then(({ build }) => build())`;
  if ((await run(process.execPath, ['--eval', script])) !== 0) throw new Error(`${checkout} was not built`);
}

/** Starts PostgreSQL twice, because the extension that counts statements must be loaded at the start. */
async function startCountingPostgres(dataDir: string) {
  const first = await startPostgres({ dataDir });
  const client = new pg.Client({ connectionString: superuserUrl(first.url) });
  await client.connect();
  await client.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
  await client.query('create extension pg_stat_statements');
  await client.end();
  await first.stop();
  return startPostgres({ dataDir });
}

const superuserUrl = (url: string) => url.replace('//muster@', '//postgres@');

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** As installed, but without rate limits per address and per user. */
async function startApp(checkout: string, folder: string, databaseUrl: string) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const log = openSync(join(folder, 'app.log'), 'a');
  const child = spawn(process.execPath, [...flags, 'src/app/main.ts'], {
    cwd: checkout,
    env: {
      PATH: process.env['PATH'] ?? '',
      ...memory,
      NODE_COMPILE_CACHE: join(checkout, 'dist/compiled'),
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: 'http://muster.test',
      DATABASE_URL: databaseUrl,
      DATA_DIR: folder,
      SECRET_KEY: 'a key that only the benchmark of this project uses',
      LIMITS_PER_ADDRESS: 'off',
      REQUESTS_PER_MINUTE: '1000000',
    },
    stdio: ['ignore', log, 'inherit'],
  });
  while (!(await fetch(`${origin}/readyz`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(`${checkout} does not start`);
    await sleep(50);
  }
  return { origin, child };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGINT');
  await once(child, 'exit');
}
