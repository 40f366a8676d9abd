import { appendFile, chmod, mkdtempDisposable, writeFile } from 'node:fs/promises';
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

/**
 * Starts the app of a checkout on a database with this population, with or without a standby for its reads. Another
 * checkout needs only the same entry point, build script and tables.
 */
export async function openServer(checkout: string, options: DatabaseOptions, standby = false) {
  const population = createPopulation(options);
  await build(checkout);
  // Two directories, because the app makes its own private, and the standby must reach the directory of the primary.
  const [folder, dataDir] = [await openFolder(), await openFolder()];
  const { url, readUrl } = await startCountingPostgres(dataDir, options.durable, standby);
  const adminUrl = superuserUrl(url);
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  opened.defer(() => admin.end());
  const settings = {
    DATABASE_URL: url,
    DATABASE_READ_URL: readUrl,
    DATA_DIR: folder,
    PUBLIC_URL: 'http://muster.test',
    SECRET_KEY: secretKey,
  };
  const app = await prepareApp(settings, checkout);
  opened.defer(app.end);
  // Starting the app migrates the database.
  await app.start();
  const refreshTokens = await fill(admin, population);
  // In older checkouts, the path of server-rendered screens is /api/drawn.
  const { status } = await fetch(`${app.origin}/api/screen`, { headers: { host: 'muster.test' } });
  const screenPath = status === 404 ? '/api/drawn' : '/api/screen';
  const counters = await openCounters({ pid: app.pid(), adminUrl });
  opened.defer(counters.close);
  return {
    origin: app.origin,
    population,
    screenPath,
    client: openClient(app.origin),
    refreshTokens,
    /** The directory in which emails are written as files. */
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

/** Creates a directory that other accounts can enter, because PostgreSQL may run as another account. */
async function openFolder(): Promise<string> {
  const { path } = opened.use(await mkdtempDisposable(join(tmpdir(), 'muster-bench-')));
  await chmod(path, 0o711);
  return path;
}

/** Starts the bundled PostgreSQL twice, because the extension that counts statements must be loaded at the start. */
async function startCountingPostgres(dataDir: string, durable: boolean, standby: boolean) {
  const first = await startPostgres({ dataDir, durable, folders: [] });
  const client = new pg.Client({ connectionString: superuserUrl(first.url) });
  await client.connect();
  await client.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
  await client.query('create extension pg_stat_statements');
  await client.end();
  await first.stop();
  const readUrl = standby ? await startStandby(dataDir, first.url) : '';
  const synchronous = `synchronous_commit = remote_apply\nsynchronous_standby_names = '1 (*)'\n`;
  if (standby) await appendFile(join(dataDir, 'postgres/postgresql.auto.conf'), synchronous);
  const { url, stop } = await startPostgres({ dataDir, durable, folders: [] });
  opened.defer(stop);
  return { url, readUrl };
}

/** Copies a stopped primary and starts the copy as its standby. Returns the URL of the standby. */
async function startStandby(primary: string, url: string): Promise<string> {
  const dataDir = await openFolder();
  await run('cp', ['-a', join(primary, 'postgres'), dataDir]);
  const cluster = join(dataDir, 'postgres');
  const source = `primary_conninfo = 'host=${decodeURIComponent(hostOf(url))} user=postgres'\n`;
  await appendFile(join(cluster, 'postgresql.auto.conf'), source);
  await writeFile(join(cluster, 'standby.signal'), '');
  const standby = await startPostgres({ dataDir, durable: false, folders: [] });
  opened.defer(standby.stop);
  return standby.url;
}

const hostOf = (url: string): string => /host=([^&]*)/.exec(url)?.[1] as string;

const superuserUrl = (url: string) => url.replace('//muster@', '//postgres@');
