// A process of one checkout: its own PostgreSQL, filled by its own code, and its own server, in a folder of their own.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { createLog } from '#platform/log.ts';
import { startPostgres } from '#platform/postgres/supervisor.ts';
import { prepareDatabase } from '#app/server.ts';
import { openApp } from '../faults/app.ts';
import { build } from '../prepare.mjs';
import { fill, reset, waitForJobs } from './fill.ts';
import { createPopulation, type PopulationOptions } from './population.ts';

/** What the process is asked to do. It answers each message with one. */
export type Order = { population: PopulationOptions; folder: string } | 'waitForJobs' | 'reset';

export type Reply<T> = { answer: T } | { error: string };

export interface Started {
  origin: string;
  /** Process id of the server. */
  pid: number;
  /** For a superuser of the database. */
  adminUrl: string;
  /** Where emails become files. */
  outbox: string;
  /** A refresh token for each person. */
  refreshTokens: string[];
  /** Answers with the first screen of the web app, rendered by the server; needs `path`, `zone`, `now` and `rows`. */
  firstScreenPath: string;
}

let admin: pg.Client;
/** What is to be closed, the newest first. */
const closings: (() => Promise<unknown>)[] = [];

async function start(options: PopulationOptions, folder: string): Promise<Started> {
  closings.unshift(() => rm(folder, { recursive: true, force: true }));
  await build();
  const database = await startCountingPostgres(folder);
  closings.unshift(database.stop);
  await prepareDatabase(database.url, createLog('warn'));
  const adminUrl = superuserUrl(database.url);
  admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  closings.unshift(() => admin.end());
  const refreshTokens = await fill(admin, createPopulation(options));
  const app = await openApp({
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    PUBLIC_URL: 'http://muster.test',
    SECRET_KEY: 'a key that only the benchmark of this project uses',
    LOG_LEVEL: 'info',
  });
  closings.unshift(app.close);
  return {
    origin: app.origin,
    pid: app.pid(),
    adminUrl,
    outbox: join(folder, 'outbox'),
    refreshTokens,
    firstScreenPath: '/api/drawn',
  };
}

/** Starts PostgreSQL twice, since the extension that counts statements has to be loaded with it. */
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

function superuserUrl(url: string): string {
  const changed = new URL(url);
  changed.username = 'postgres';
  return changed.href;
}

function perform(order: Order): Promise<unknown> {
  if (order === 'waitForJobs') return waitForJobs(admin);
  if (order === 'reset') return reset(admin);
  return start(order.population, order.folder);
}

process.on('message', (order: Order) => {
  perform(order).then(
    (answer) => process.send?.({ answer }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
process.once('disconnect', async () => {
  for (const close of closings) await close().catch(() => {});
  process.exit();
});
