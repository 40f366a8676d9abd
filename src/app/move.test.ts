import { chmod, readdir, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { tablesOf } from '#platform/backup/tables.ts';
import { readConfig } from '#platform/config.ts';
import { inTransaction, openDatabase } from '#platform/db/client.ts';
import { createLog } from '#platform/log.ts';
import { chooseBinaries, packagedBinaries } from '#platform/postgres/binaries.ts';
import { startPostgres } from '#platform/postgres/supervisor.ts';
import { instant } from '#wire/instant.ts';
import { liveDemo } from '#app/demo/demo.ts';
import { moveDatabase } from '#app/move.ts';
import { prepareDatabase } from '#app/server.ts';
import { copyData } from '#test/database.ts';
import { directory, plain, sql, undo, undoAll } from '#test/postgres.ts';

afterEach(undoAll);

/** The bundled programs as an installed PostgreSQL that reports another version. */
async function programsReporting(version: string): Promise<string> {
  const folder = await directory(tmpdir());
  const bin = join(packagedBinaries(), 'bin');
  const report = `[ "$1" = -V ] && echo "postgres (PostgreSQL) ${version}" && exit`;
  await writeFile(join(folder, 'postgres'), `#!/bin/sh\n${report}\nexec "${bin}/postgres" "$@"\n`);
  await writeFile(join(folder, 'initdb'), `#!/bin/sh\nexec "${bin}/initdb" "$@"\n`);
  for (const path of [folder, join(folder, 'postgres'), join(folder, 'initdb')]) await chmod(path, 0o755);
  return folder;
}

async function start(dataDir: string, folders: string[]) {
  const postgres = await startPostgres({ dataDir, durable: false, folders });
  undo.push(postgres.stop);
  return postgres;
}

/** A stopped data directory of the bundled PostgreSQL, with the demo. */
async function demoDirectory() {
  const dataDir = await directory();
  const config = readConfig({ DATA_DIR: dataDir });
  const { url, stop } = await start(dataDir, []);
  await prepareDatabase(url, createLog('silent'));
  const { db, close } = openDatabase(url, { size: 2, onError: () => {} });
  await inTransaction(db, (transaction) => liveDemo(transaction, config, instant(Date.now())));
  await close();
  const rows = await allRows(url);
  await stop();
  return { config, dataDir, rows };
}

/** All rows that a backup contains, by table. */
async function allRows(url: string): Promise<Record<string, unknown[]>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const names = (await tablesOf(client)).map(({ name }) => name).toSorted();
  await client.end();
  const rows = names.map(async (name) => [name, await sql(url, `select t::text from ${name} t order by 1`)]);
  return Object.fromEntries(await Promise.all(rows)) as Record<string, unknown[]>;
}

const system = await chooseBinaries('/nonexistent', { account: plain, store: '/nonexistent' }).catch(
  () => undefined,
);
const isOther = system && !system.isBundled && !system.version.startsWith('18.');

const targets: [name: string, () => Promise<string>][] = [
  ['programs that report version 17.9', () => programsReporting('17.9')],
];
if (isOther) targets.push([`PostgreSQL ${system.version} of this system`, async () => system.bin]);

describe('move-database', () => {
  test.each(targets)('moves all rows to %s, and keeps the old files [OPER-02]', async (_title, programs) => {
    const { config, dataDir, rows } = await demoDirectory();
    const folder = await programs();
    const { from, to, kept } = await moveDatabase(config, [folder]);
    expect([from.isBundled, to.bin]).toEqual([true, folder]);
    expect(dirname(kept ?? '')).toBe(dataDir);
    expect((await readdir(dataDir)).filter((name) => /draft|replaced/.test(name))).toEqual([]);

    const moved = await start(dataDir, [folder]);
    expect(await allRows(moved.url)).toEqual(rows);
    expect(rows['answers']?.length).toBeGreaterThan(400);
    await moved.stop();

    await rename(join(dataDir, 'postgres'), join(dataDir, 'new'));
    await rename(kept ?? '', join(dataDir, 'postgres'));
    expect(await allRows((await start(dataDir, [])).url)).toEqual(rows);
  });

  test('changes nothing if the data already has the version, or if Muster is running [OPER-02]', async () => {
    const { config, dataDir, rows } = await demoDirectory();
    await expect(moveDatabase(config, [])).rejects.toThrow('already belongs to PostgreSQL 18');
    expect((await readdir(dataDir)).filter((name) => name.startsWith('postgres'))).toEqual([
      'postgres',
      'postgres.lock',
    ]);
    const running = await start(dataDir, []);
    await expect(moveDatabase(config, [])).rejects.toThrow('Another Muster is already running');
    expect(await allRows(running.url)).toEqual(rows);
  });

  test.each([
    ['before the new files have taken the place', false, 0],
    ['after the new files have taken the place', true, 1],
  ])('a crash %s loses nothing [OPER-02]', async (_title, isReplaced, kept) => {
    const { dataDir, rows } = await demoDirectory();
    const replaced = join(dataDir, 'postgres.replaced');
    await rename(join(dataDir, 'postgres'), replaced);
    if (isReplaced) await copyData(replaced, join(dataDir, 'postgres'));
    const { url } = await start(dataDir, []);
    expect(await allRows(url)).toEqual(rows);
    const names = await readdir(dataDir);
    expect(names).not.toContain('postgres.replaced');
    expect(names.filter((name) => name.startsWith('postgres-18-'))).toHaveLength(kept);
  });
});
