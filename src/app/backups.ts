import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { end, isSigned, readArchive, writeArchive, type Line } from '#platform/backup/archive.ts';
import type { Config } from '#platform/config.ts';
import { openDatabase } from '#platform/db/client.ts';
import type { Log } from '#platform/log.ts';
import {
  appliedMigrations,
  migrate,
  migrations,
  lockMigrations,
  type Migration,
} from '#platform/db/migrate.ts';
import {
  announceCopy,
  countOf,
  jsonOf,
  rowsInto,
  rowsOf,
  setTriggers,
  tablesOf,
  type Table,
} from '#platform/backup/tables.ts';
import { hmac } from '#platform/token.ts';
import { instant, type Instant } from '#wire/instant.ts';
import { reconcileDeletions } from '#features/account/jobs.ts';
import { storageOf, type Storage } from '#features/media/gateway.ts';
import { filesOf, pictureOf } from '#features/media/rules.ts';
import { prepareDatabase } from '#app/server.ts';

/** A Muster, running or not: its settings and its database. */
export interface Instance {
  config: Config;
  databaseUrl: string;
}

/** The first line of an archive. */
interface Head {
  format: 1;
  version: string;
  made_at: Instant;
  migrations: Migration[];
  tables: (Table & { rows: number })[];
}

export interface ArchiveSummary {
  made_at: Instant;
  rows: number;
  files: number;
}

/** Pictures that are read at once. */
const atOnce = 8;

const keyOf = ({ secretKey }: Config) => hmac(secretKey, 'archive signature');

/** Writes all that a Muster knows at one moment into one file, while it runs. */
export async function backup({ config, databaseUrl }: Instance, file: string): Promise<ArchiveSummary> {
  return connected(databaseUrl, async (client) => {
    await announceCopy(client);
    await client.query('begin isolation level repeatable read, read only');
    const summary = { made_at: instant(Date.now()), rows: 0, files: 0 };
    await writeArchive(file, contents(client, config, summary), keyOf(config));
    return summary;
  });
}

async function* contents(client: pg.Client, config: Config, summary: ArchiveSummary): AsyncGenerator<Line> {
  const head = await headOf(client, summary.made_at);
  yield ['muster', JSON.stringify(head)];
  for (const table of head.tables) {
    yield ['table', JSON.stringify(table.name)];
    for await (const row of rowsOf(client, table)) {
      summary.rows++;
      yield ['row', row];
    }
  }
  for await (const line of filesOfPictures(client, config)) {
    summary.files++;
    yield line;
  }
}

async function headOf(client: pg.Client, made_at: Instant): Promise<Head> {
  const tables: Head['tables'] = [];
  for (const table of await tablesOf(client)) tables.push({ ...table, rows: await countOf(client, table) });
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  return { format: 1, version, made_at, migrations: await appliedMigrations(client), tables };
}

/** The files of the pictures that hang at that moment. Of a few at a time, since a bucket may be far away. */
async function* filesOfPictures(client: pg.Client, config: Config): AsyncGenerator<Line> {
  const storage = storageOf(config);
  let names: string[] = [];
  async function* read(): AsyncGenerator<Line> {
    const found = names.flatMap(filesOf).map(async (name) => ({ name, bytes: await storage.find(name) }));
    names = [];
    for (const { name, bytes } of await Promise.all(found))
      if (bytes) yield ['file', JSON.stringify({ name, bytes: bytes.toString('base64') })];
  }
  for await (const name of jsonOf(client, 'select name from pictures'))
    if (names.push(name) === atOnce) yield* read();
  yield* read();
}

/**
 * Brings an archive into an empty Muster that is not running: all of it or nothing. One that is not signed with the
 * place's key has to be trusted. Tells also how many people were deleted again, whose deletion came after the archive.
 */
export async function restore(
  place: Instance,
  file: string,
  { log, trust = false }: { log: Log; trust?: boolean },
): Promise<ArchiveSummary & { erased: number }> {
  const { config, databaseUrl } = place;
  const examined = await examine(file);
  const { head } = examined;
  if (!trust && !isSigned(examined.end, keyOf(config))) throw new Error(`${file} ${needsTrust}`);
  await connected(databaseUrl, (client) => requireRoom(client, head));
  await migrate(databaseUrl, { upTo: head.migrations.at(-1)?.name });
  const summary = await connected(databaseUrl, (client) =>
    loadAll(client, file, examined, storageOf(config)),
  );
  await prepareDatabase(databaseUrl, log);
  const { db, close } = openDatabase(databaseUrl, { size: 2, onError: () => {} });
  const erased = await reconcileDeletions(db, config, instant(Date.now())).finally(close);
  return { ...summary, erased };
}

const needsTrust =
  'is not signed with this SECRET_KEY: it was made with another one, or by somebody else. Set the one that it was made with, or put its DATA_DIR/secret.key in place. If that is lost and you know where the file comes from: --trust. Then nobody who was deleted after the archive is deleted again.';

/** What is known of an archive that was read to its end. */
interface Examined {
  head: Head;
  /** The last line, by which it is known again. */
  end: string;
}

/** Reads an archive to its end before anything of it is used. */
async function examine(file: string): Promise<Examined> {
  let head: Head | undefined;
  let last = '';
  for await (const [word, json] of readArchive(file)) {
    if (!head) {
      if (word !== 'muster') throw new Error(`${file} is no archive of Muster.`);
      head = JSON.parse(json) as Head;
    } else if (word === 'file') fileIn(file, json);
    if (word === end) last = json;
  }
  if (!head) throw new Error(`${file} is no archive of Muster.`);
  const known = new Map((await migrations()).map(({ name, hash }) => [name, hash]));
  const strange = head.migrations.find(({ name, hash }) => known.get(name) !== hash);
  if (head.format !== 1 || strange)
    throw new Error(
      `${file} was made by Muster ${head.version}, which is newer than this one${strange ? ` (it has ${strange.name})` : ''}: upgrade first.`,
    );
  return { head, end: last };
}

/** A file of a picture. Its name becomes a path, so it must be one that Muster itself gives. */
function fileIn(file: string, json: string): { name: string; bytes: Buffer } {
  const { name, bytes } = JSON.parse(json) as Record<string, unknown>;
  if (typeof name !== 'string' || !filesOf(pictureOf(name) ?? '').includes(name))
    throw new Error(`${file} has a file that Muster does not make: ${JSON.stringify(name)}`);
  return { name, bytes: Buffer.from(String(bytes), 'base64') };
}

/** Empty: there is no table, or none has a row. Whatever is there must not be ahead of the archive. */
async function requireRoom(client: pg.Client, head: Head): Promise<void> {
  const { rows: others } = await client.query(
    `select from pg_stat_activity where datname = current_database() and application_name like 'muster%'`,
  );
  if (others.length > 0) throw new Error('Muster is running on this database: stop it first.');
  const tables = await tablesOf(client);
  for (const table of tables)
    // A process that ran once has scheduled its jobs.
    if (table.name !== 'jobs' && (await countOf(client, table)) > 0)
      throw new Error('This database is not empty. An archive is only brought into an empty one.');
  const own = new Set(head.migrations.map(({ name }) => name));
  const clockOffset =
    tables.length > 0 ? (await appliedMigrations(client)).find(({ name }) => !own.has(name)) : undefined;
  if (clockOffset)
    throw new Error(
      `This database is empty, but ahead of the archive (it has ${clockOffset.name}): take one that was never used.`,
    );
}

async function loadAll(
  client: pg.Client,
  file: string,
  examined: Examined,
  storage: Storage,
): Promise<ArchiveSummary> {
  const { head } = examined;
  const kept: string[] = [];
  const names = head.tables.map(({ name }) => name);
  try {
    // An app that is started meanwhile waits with its migrations.
    await lockMigrations(client);
    await client.query('begin');
    await requireRoom(client, head);
    if (names.includes('jobs')) await client.query('delete from jobs');
    await setTriggers(client, names, false);
    const summary = await load(client, file, examined, { storage, kept });
    await setTriggers(client, names, true);
    for (const table of head.tables)
      if ((await countOf(client, table)) !== table.rows) throw new Error(`${table.name} is not complete.`);
    await client.query('commit');
    await client.query('analyze');
    return summary;
  } catch (error) {
    for (const name of kept) await storage.remove(name).catch(() => {});
    throw error;
  }
}

/** Nothing leads to a file before the commit, so it may lie there already; one that was there before stays whatever comes. */
async function load(
  client: pg.Client,
  file: string,
  { head, end: last }: Examined,
  { storage, kept }: { storage: Storage; kept: string[] },
): Promise<ArchiveSummary> {
  const summary: ArchiveSummary = { made_at: head.made_at, rows: 0, files: 0 };
  let rows: ReturnType<typeof rowsInto> | undefined;
  const takes: Record<string, (json: string) => unknown> = {
    table(json) {
      const table = head.tables.find(({ name }) => name === JSON.parse(json));
      if (!table) throw new Error(`${file} has rows of an unknown table.`);
      rows = rowsInto(client, table);
    },
    row: (json) => (summary.rows++, rows?.put(json)),
    async file(json) {
      summary.files++;
      const { name, bytes } = fileIn(file, json);
      if (await storage.find(name)) return;
      kept.push(name);
      await storage.save(name, bytes);
    },
    [end](json) {
      if (json !== last) throw new Error(`${file} changed while it was read.`);
    },
  };
  for await (const [word, json] of readArchive(file)) {
    if (word !== 'row') await rows?.flush();
    await takes[word]?.(json);
  }
  await rows?.flush();
  return summary;
}

/** A connection of its own: what is read or written in one go takes longer than a request may. */
async function connected<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'archive' });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(`set timezone = 'UTC'; set statement_timeout = 0`);
    return await work(client);
  } finally {
    await client.end();
  }
}
