import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { createLog } from '#platform/log.ts';
import { startPostgres } from '#platform/postgres/supervisor.ts';
import { prepareDatabase } from '#app/server.ts';
import { testBinaries } from '#test/binaries.ts';
import { openCluster } from '#test/cluster.ts';
import { scratch } from '#test/scratch-directory.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server with `muster_template`, which tests copy. */
    databaseServer: string;
    /** The folder of all test data, deleted with the server. */
    dataDirs: string;
    /** The URL of a synchronous standby of this server; empty without TEST_STANDBY. */
    standby: string;
    /** Data directory of a PostgreSQL with a migrated database; empty when TEST_DATABASE_URL is set. */
    migratedDataDir: string;
  }
}

export const template = 'muster_template';

/** The URL of another database on the same server. */
export function databaseAt(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * Starts a server with standbys that show every commit that it acknowledges, so that the app reads what tests write
 * directly.
 */
async function startReplicated() {
  const cluster = await openCluster({ max_connections: 300 });
  const [standby] = await cluster.openReplicas();
  return { url: cluster.url, stop: cluster.close, standby: standby.url };
}

/**
 * Starts a PostgreSQL for the tests, or uses TEST_DATABASE_URL, and migrates the template once. With TEST_STANDBY,
 * worlds read from a synchronous standby.
 */
export default async function setup(project: TestProject) {
  const folder = await mkdtemp(join(scratch, 'muster-test-'));
  const [dataDirs, migratedDataDir, dataDir] = [
    join(folder, 'worlds'),
    join(folder, 'migrated'),
    join(folder, 'server'),
  ];
  await mkdir(dataDirs);
  const given = process.env['TEST_DATABASE_URL'];
  if (!given) {
    const { url, stop } = await startPostgres({ dataDir: migratedDataDir, durable: false, ...testBinaries });
    await prepareDatabase(url, createLog('silent'));
    await stop();
    await copyData(migratedDataDir, dataDir);
  }
  const replicated = process.env['TEST_STANDBY'] ? await startReplicated() : undefined;
  const server =
    replicated ??
    (given
      ? { url: given, stop: async () => {} }
      : await startPostgres({ dataDir, durable: false, ...testBinaries }));
  await makeTemplate(server.url);
  project.provide('databaseServer', server.url);
  project.provide('dataDirs', dataDirs);
  project.provide('standby', replicated?.standby ?? '');
  project.provide('migratedDataDir', given ? '' : migratedDataDir);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

/** Copies the data directory of a stopped server, with owners and modes. */
export const copyData = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to]);

async function makeTemplate(server: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`drop database if exists ${template} with (force)`);
  await client.query(`create database ${template}`);
  await client.end();
  await prepareDatabase(databaseAt(server, template), createLog('silent'));
}
