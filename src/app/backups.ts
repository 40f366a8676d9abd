import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import { end, isSigned, readArchive, writeArchive, type Line } from '#platform/backup/archive.ts';
import type { Config } from '#platform/config.ts';
import { Connection } from '#platform/db/connection.ts';
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
import { filesOf, pictureOf } from '#wire/pictures.ts';
import { prepareDatabase } from '#app/server.ts';

/** An installation of Muster, running or not: its settings and its database. */
export interface Instance {
  config: Config;
  databaseUrl: string;
}

/** The first line of an archive. */
interface Header {
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

/** Number of pictures that are read concurrently. */
const concurrency = 8;

const keyOf = ({ secretKey }: Config) => hmac(secretKey, 'archive signature');

/** Writes a consistent snapshot of an installation into one file, even while the installation is running. */
export async function backup({ config, databaseUrl }: Instance, file: string): Promise<ArchiveSummary> {
  return withClient(databaseUrl, async (client) => {
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

async function headOf(client: pg.Client, made_at: Instant): Promise<Header> {
  const tables: Header['tables'] = [];
  for (const table of await tablesOf(client)) tables.push({ ...table, rows: await countOf(client, table) });
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  return { format: 1, version, made_at, migrations: await appliedMigrations(client), tables };
}

/** The files of the pictures in the snapshot. Reads a few at a time, because a bucket may be slow to answer. */
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
    if (names.push(name) === concurrency) yield* read();
  yield* read();
}

/**
 * Restores an archive, completely or not at all, into an empty installation that is not running. An archive that is not
 * signed with the installation's key needs `trust`. `erased` counts users deleted again because they had deleted their
 * account after the archive was made.
 */
export async function restore(
  target: Instance,
  file: string,
  { log, trust = false }: { log: Log; trust?: boolean },
): Promise<ArchiveSummary & { erased: number }> {
  const { config, databaseUrl } = target;
  const examined = await examine(file);
  const { head } = examined;
  if (!trust && !isSigned(examined.end, keyOf(config))) throw new Error(`${file} ${needsTrust}`);
  await withClient(databaseUrl, (client) => requireEmpty(client, head));
  await migrate(databaseUrl, { upTo: head.migrations.at(-1)?.name });
  const summary = await withClient(databaseUrl, (client) =>
    loadAll(client, file, examined, storageOf(config)),
  );
  await prepareDatabase(databaseUrl, log);
  const { db, close } = openDatabase(databaseUrl, { size: 2, onError: () => {} });
  const erased = await reconcileDeletions(db, config, instant(Date.now())).finally(close);
  return { ...summary, erased };
}

const needsTrust =
  'is not signed with this SECRET_KEY: it was made with another one, or by somebody else. Set the one that it was made with, or put its DATA_DIR/secret.key in place. If that is lost and you know where the file comes from: --trust. Then nobody who was deleted after the archive is deleted again.';

/** The result of reading a whole archive. */
interface Examined {
  head: Header;
  /** The last line. The second read compares it with the last line then, to detect a file that changed in between. */
  end: string;
}

/** Reads and validates the whole archive before any of it is used. */
async function examine(file: string): Promise<Examined> {
  let head: Header | undefined;
  let last = '';
  for await (const [word, json] of readArchive(file)) {
    if (!head) {
      if (word !== 'muster') throw new Error(`${file} is no archive of Muster.`);
      head = JSON.parse(json) as Header;
    } else if (word === 'file') fileIn(file, json);
    if (word === end) last = json;
  }
  if (!head) throw new Error(`${file} is no archive of Muster.`);
  const hashes = new Map((await migrations()).map(({ name, hash }) => [name, hash]));
  const unknown = head.migrations.find(({ name, hash }) => hashes.get(name) !== hash);
  if (head.format !== 1 || unknown)
    throw new Error(
      `${file} was made by Muster ${head.version}, which is newer than this one${unknown ? ` (it has ${unknown.name})` : ''}: upgrade first.`,
    );
  return { head, end: last };
}

/** Parses a picture file. Its name becomes a path, so only names that Muster generates are accepted. */
function fileIn(file: string, json: string): { name: string; bytes: Buffer } {
  const { name, bytes } = JSON.parse(json) as Record<string, unknown>;
  if (typeof name !== 'string' || !filesOf(pictureOf(name) ?? '').includes(name))
    throw new Error(`${file} has a file that Muster does not make: ${JSON.stringify(name)}`);
  return { name, bytes: Buffer.from(String(bytes), 'base64') };
}

/** Requires an unused database: without tables or without rows, and with no migration newer than the archive's. */
async function requireEmpty(client: pg.Client, head: Header): Promise<void> {
  const { rows: others } = await client.query(
    `select from pg_stat_activity where datname = current_database() and application_name like 'muster%'`,
  );
  if (others.length > 0) throw new Error('Muster is running on this database: stop it first.');
  const tables = await tablesOf(client);
  for (const table of tables)
    // A process that ran before has added its scheduled jobs.
    if (table.name !== 'jobs' && (await countOf(client, table)) > 0)
      throw new Error('This database is not empty. An archive is only brought into an empty one.');
  const own = new Set(head.migrations.map(({ name }) => name));
  const newer =
    tables.length > 0 ? (await appliedMigrations(client)).find(({ name }) => !own.has(name)) : undefined;
  if (newer)
    throw new Error(
      `This database is empty, but ahead of the archive (it has ${newer.name}): take one that was never used.`,
    );
}

async function loadAll(
  client: pg.Client,
  file: string,
  examined: Examined,
  storage: Storage,
): Promise<ArchiveSummary> {
  const { head } = examined;
  const saved: string[] = [];
  const names = head.tables.map(({ name }) => name);
  try {
    // An app that starts meanwhile waits for this lock before migrating.
    await lockMigrations(client);
    await client.query('begin');
    await requireEmpty(client, head);
    if (names.includes('jobs')) await client.query('delete from jobs');
    await setTriggers(client, names, false);
    const summary = await load(client, file, examined, { storage, saved });
    await setTriggers(client, names, true);
    for (const table of head.tables)
      if ((await countOf(client, table)) !== table.rows) throw new Error(`${table.name} is not complete.`);
    await client.query('commit');
    await client.query('analyze');
    return summary;
  } catch (error) {
    for (const name of saved) await storage.remove(name).catch(() => {});
    throw error;
  }
}

/** No row refers to a file before the commit, so files may be saved early. Existing files stay, even after a failure. */
async function load(
  client: pg.Client,
  file: string,
  { head, end: last }: Examined,
  { storage, saved }: { storage: Storage; saved: string[] },
): Promise<ArchiveSummary> {
  const summary: ArchiveSummary = { made_at: head.made_at, rows: 0, files: 0 };
  let rows: ReturnType<typeof rowsInto> | undefined;
  const readers: Record<string, (json: string) => unknown> = {
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
      saved.push(name);
      await storage.save(name, bytes);
    },
    [end](json) {
      if (json !== last) throw new Error(`${file} changed while it was read.`);
    },
  };
  for await (const [word, json] of readArchive(file)) {
    if (word !== 'row') await rows?.flush();
    await readers[word]?.(json);
  }
  await rows?.flush();
  return summary;
}

/** A separate connection without a statement timeout: backups and restores take longer than a request may. */
async function withClient<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new Connection({ url: databaseUrl, application_name: 'archive' });
  await client.connect();
  try {
    await client.query(`set timezone = 'UTC'; set statement_timeout = 0`);
    return await work(client);
  } finally {
    await client.end();
  }
}
