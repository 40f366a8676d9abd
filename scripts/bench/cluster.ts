import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createLog } from '#platform/log.ts';
import { startPostgres } from '#platform/postgres/supervisor.ts';
import { prepareDatabase } from '#app/server.ts';
import { fill, type Shape } from './dataset.ts';

/** Where the data lies from one run to the next: another folder where two of these are to run at once. */
const home = process.env['BENCH_DIR'] ?? join(tmpdir(), 'muster-bench');

const root = join(import.meta.dirname, '../..');

/** The server that all is measured on: the app's own, as durable as it is in earnest; or one that somebody names. */
export async function openCluster(external?: string) {
  const server = external ? { url: external, stop: async () => {} } : await startPostgres({ dataDir: home });
  return {
    url: server.url,
    /** The database of that shape, which is built the first time, and again after a week, as its events are around today. */
    async database(name: string, shape: Shape): Promise<string> {
      const base = `bench_${name}`;
      const called = `${base}_${await hashForETag(shape)}`;
      const url = databaseAt(server.url, called);
      if (await isFresh(url)) return url;
      const started = performance.now();
      for (const old of await databases(server.url, `${base}_%`))
        await ask(server.url, `drop database ${old} with (force)`);
      await ask(server.url, `create database ${called}`);
      await prepareDatabase(url, createLog('warn'));
      await fill(url, shape);
      await ask(url, `comment on database ${called} is 'complete'`);
      console.log(`built the data of ${name} in ${((performance.now() - started) / 1000).toFixed(0)} s`);
      return url;
    },
    stop: server.stop,
  };
}

export type Cluster = Awaited<ReturnType<typeof openCluster>>;

function databaseAt(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function ask<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values?: unknown[],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return (await client.query<Row>(text, values).finally(() => client.end())).rows;
}

const databases = async (url: string, like: string): Promise<string[]> =>
  (await ask<{ datname: string }>(url, 'select datname from pg_database where datname like $1', [like])).map(
    ({ datname }) => datname,
  );

const isFresh = (url: string): Promise<boolean> =>
  ask(
    url,
    `select from clubs where shobj_description((select oid from pg_database where datname = current_database()), 'pg_database') = 'complete'
       and created_at > now() - interval '7 days' limit 1`,
  ).then(
    (rows) => rows.length > 0,
    () => false,
  );

/** Whatever makes other tables or other rows makes another database. */
async function hashForETag(shape: Shape): Promise<string> {
  const folder = join(root, 'migrations');
  const files = (await readdir(folder)).toSorted().map((name) => join(folder, name));
  const texts = await Promise.all(
    [...files, join(import.meta.dirname, 'dataset.ts')].map((file) => readFile(file)),
  );
  return createHash('sha1')
    .update(Buffer.concat(texts))
    .update(JSON.stringify(shape))
    .digest('hex')
    .slice(0, 8);
}
