import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { startPostgres } from '#platform/postgres/supervisor.ts';
import { opened, prepareApp } from '../app.ts';
import { run } from '../prepare.mjs';
import { openClient } from './client.ts';
import { openCounters } from './counters.ts';
import { fill, reset, waitForJobs } from './fill.ts';
import { createPopulation, secretKey, type PopulationOptions } from './population.ts';

/** The app of one checkout, in its own process and with its own PostgreSQL. */
export type Server = Awaited<ReturnType<typeof openServer>>;

export type DatabaseOptions = PopulationOptions & { durable: boolean };

/** Starts it on a database of this population. The other checkout needs only the same entry point, build script and tables. */
export async function openServer(checkout: string, options: DatabaseOptions) {
  const population = createPopulation(options);
  await build(checkout);
  const { path: folder } = opened.use(await mkdtempDisposable(join(tmpdir(), 'muster-bench-')));
  const { url, stop } = await startCountingPostgres({ dataDir: folder, durable: options.durable });
  opened.defer(stop);
  const adminUrl = superuserUrl(url);
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  opened.defer(() => admin.end());
  const settings = {
    DATABASE_URL: url,
    DATA_DIR: folder,
    PUBLIC_URL: 'http://muster.test',
    SECRET_KEY: secretKey,
  };
  const app = await prepareApp(settings, checkout);
  opened.defer(app.end);
  // The start migrates the database.
  await app.start();
  const refreshTokens = await fill(admin, population);
  const counters = await openCounters({ pid: app.pid(), adminUrl });
  opened.defer(counters.close);
  return {
    origin: app.origin,
    population,
    client: openClient(app.origin),
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
async function startCountingPostgres(options: { dataDir: string; durable: boolean }) {
  const first = await startPostgres(options);
  const client = new pg.Client({ connectionString: superuserUrl(first.url) });
  await client.connect();
  await client.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
  await client.query('create extension pg_stat_statements');
  await client.end();
  await first.stop();
  return startPostgres(options);
}

const superuserUrl = (url: string) => url.replace('//muster@', '//postgres@');
