import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { createLog } from '#platform/log.ts';
import { startPostgres } from '#platform/postgres/supervisor.ts';
import { prepareDatabase } from '#app/server.ts';
import { openCluster } from '#test/cluster.ts';
import { scratch } from '#test/scratch-directory.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server with `muster_template`, which tests copy. */
    databaseServer: string;
    /** The folder of all test data, deleted with the server. */
    dataDirs: string;
    /** The hosts of the replicas of this server; empty without TEST_REPLICAS. */
    replicaHosts: string;
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

/** Two replicas that have replayed every commit that the primary acknowledges, so that tests may write beside the app. */
async function startReplicated() {
  const cluster = await openCluster({ max_connections: 300 });
  const replicas = await cluster.openReplicas(
    "synchronous_commit = remote_apply\nsynchronous_standby_names = '2 (*)'",
  );
  const hosts = replicas.map(({ port }) => `127.0.0.1:${port}`).join();
  return { url: cluster.url, stop: cluster.close, hosts };
}

/**
 * Starts a PostgreSQL for the tests, or uses TEST_DATABASE_URL, and migrates the template once. With TEST_REPLICAS, worlds
 * read from two replicas.
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
    const { url, stop } = await startPostgres({ dataDir: migratedDataDir, durable: false });
    await prepareDatabase(url, createLog('silent'));
    await stop();
    await copyData(migratedDataDir, dataDir);
  }
  const replicated = process.env['TEST_REPLICAS'] ? await startReplicated() : undefined;
  const server =
    replicated ??
    (given ? { url: given, stop: async () => {} } : await startPostgres({ dataDir, durable: false }));
  await makeTemplate(server.url);
  project.provide('databaseServer', server.url);
  project.provide('dataDirs', dataDirs);
  project.provide('replicaHosts', replicated?.hosts ?? '');
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
