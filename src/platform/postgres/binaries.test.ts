import { existsSync, statSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { app, checkout, directory, isRoot, needsRoot, nobody, plain, sql, undoAll } from '#test/postgres.ts';
import { afterEach, expect, test } from 'vitest';
import { runAs } from './account.ts';
import { chooseBinaries, packagedBinaries, runnableBinaries } from './binaries.ts';
import { startPostgres } from './supervisor.ts';

afterEach(undoAll);

test('binaries: missing symlinks of the package are restored', async () => {
  const { native, root } = await checkout({ links: false });
  expect(await runnableBinaries(native, join(root, 'store'), plain)).toBe(native);
  expect(existsSync(join(root, 'store'))).toBe(false);
});

test.skipIf(!isRoot)(`binaries: copied once when the account cannot reach them (${needsRoot})`, async () => {
  const [{ native, root }, store] = [await checkout({ links: false }), await directory(tmpdir())];
  await chmod(root, 0o700);
  await chmod(store, 0o755);
  const copy = await runnableBinaries(native, store, plain);
  expect(dirname(copy)).toBe(store);
  const made = statSync(copy);
  expect(await runnableBinaries(native, store, plain)).toBe(copy);
  expect(statSync(copy)).toMatchObject({ ino: made.ino, ctimeMs: made.ctimeMs });
  expect(await readdir(store)).toHaveLength(1);
});

test.skipIf(!isRoot)(
  `binaries: copied below DATA_DIR when node_modules belongs to another account (${needsRoot})`,
  async () => {
    const { module, root } = await checkout({ links: false });
    const dataDir = join(root, 'data');
    await mkdir(dataDir);
    await chown(dataDir, nobody.uid, nobody.gid);
    const { url } = await app(dataDir, { account: plain, module });
    expect(await sql(url, 'select 1')).toEqual([1]);
    const copy = (await readdir(dataDir)).find((name) => name.startsWith('postgresql-18')) ?? '';
    const entries = await readdir(join(dataDir, copy), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => !entry.isSymbolicLink());
    const modes = files.map(({ parentPath, name }) => statSync(join(parentPath, name)).mode & 0o777);
    expect(new Set(modes)).toEqual(new Set([0o700, 0o600]));
  },
);

test('binaries: the error names DATABASE_URL when the bundled server cannot run', async () => {
  expect(() => packagedBinaries('win32', 'x64')).toThrow(
    /not installed for win32 on x64: .* or set DATABASE_URL/,
  );
  expect(() => packagedBinaries('linux', 'x64', 2.17)).toThrow(
    /needs glibc 2\.27 .*: .* or set DATABASE_URL/,
  );
  expect(() => packagedBinaries('linux', 'x64', Number.NaN)).toThrow(/glibc/);
});

/** A folder with programs that only report a version. */
async function installed(version: string, programs = ['postgres', 'initdb']): Promise<string> {
  const folder = await directory(tmpdir());
  await chmod(folder, 0o755);
  const script = `#!/bin/sh\necho "postgres (PostgreSQL) ${version}"\n`;
  for (const program of programs) await writeFile(join(folder, program), script, { mode: 0o755 });
  return folder;
}

/** A data directory of a major version, or an empty one. */
async function dataOf(major?: number): Promise<string> {
  const dataDir = await directory(tmpdir());
  if (major === undefined) return dataDir;
  await mkdir(join(dataDir, 'postgres'));
  await writeFile(join(dataDir, 'postgres/PG_VERSION'), `${major}\n`);
  return dataDir;
}

const choose = async (dataDir: string, folders: string[]) =>
  chooseBinaries(join(dataDir, 'postgres'), { account: plain, store: dataDir, folders });

test('binaries: a new data directory gets the newest installed version from 15 on, else the bundled one [OPER-01]', async () => {
  const old = await installed('14.20');
  const debian = await installed('15.18 (Debian 15.18-0+deb12u1)');
  const [lower, higher] = [await installed('16.9'), await installed('16.10')];
  const clientOnly = await installed('17.7', ['psql']);
  const found = await choose(await dataOf(), [old, debian, lower, higher, clientOnly]);
  expect(found).toEqual({ bin: higher, version: '16.10', isBundled: false });
  expect(await choose(await dataOf(), [debian, old])).toMatchObject({ bin: debian, version: '15.18' });
  expect(await choose(await dataOf(), [old, clientOnly])).toMatchObject({ version: '18.4', isBundled: true });
});

test('binaries: an existing data directory keeps its version, whatever is installed [OPER-01]', async () => {
  const folders = [await installed('15.18'), await installed('16.10'), await installed('19beta1')];
  expect(await choose(await dataOf(15), folders)).toMatchObject({ version: '15.18' });
  expect(await choose(await dataOf(18), folders)).toMatchObject({ version: '18.4', isBundled: true });
  const patched = await installed('18.7');
  expect(await choose(await dataOf(18), [...folders, patched])).toMatchObject({ bin: patched });
});

test('binaries: the error names the package and the command when the version is not installed [OPER-02]', async () => {
  const dataDir = await dataOf(16);
  const message = (target: number) =>
    `The data in ${dataDir}/postgres belongs to PostgreSQL 16, which is not installed: install it (apt install postgresql-16), then start again or run npm run move-database, which moves all data to PostgreSQL ${target}.`;
  await expect(choose(dataDir, [])).rejects.toThrow(message(18));
  await expect(choose(dataDir, [await installed('15.18')])).rejects.toThrow(message(15));
  await expect(startPostgres({ dataDir, folders: [] })).rejects.toThrow(message(18));
});

test('run: fails with the FATAL line of stderr, or else with the last line', async () => {
  const script = 'echo starting >&2; echo "FATAL:  No space left on device" >&2; echo tidying >&2; exit 1';
  await expect(runAs(undefined, '/', ['sh', '-c', script])).rejects.toThrow(
    /^FATAL: {2}No space left on device$/,
  );
  await expect(runAs(undefined, '/', ['sh', '-c', 'echo gone >&2; exit 1'])).rejects.toThrow(/^gone$/);
});
