import { existsSync, statSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { app, checkout, directory, isRoot, needsRoot, nobody, plain, sql, undoAll } from '#test/postgres.ts';
import { afterEach, expect, test } from 'vitest';
import { runAs } from './account.ts';
import { packagedBinaries, runnableBinaries } from './binaries.ts';
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
  expect(() => packagedBinaries('win32', 'x64')).toThrow(/not installed for win32 on x64: set DATABASE_URL/);
  expect(() => packagedBinaries('linux', 'x64', 2.17)).toThrow(/needs glibc 2\.27 .*: set DATABASE_URL/);
  expect(() => packagedBinaries('linux', 'x64', Number.NaN)).toThrow(/glibc/);
  const dataDir = await directory(tmpdir());
  await mkdir(join(dataDir, 'postgres'));
  await writeFile(join(dataDir, 'postgres/PG_VERSION'), '15\n');
  await expect(startPostgres({ dataDir })).rejects.toThrow('belongs to PostgreSQL 15');
});

test('run: fails with the FATAL line of stderr, or else with the last line', async () => {
  const script = 'echo starting >&2; echo "FATAL:  No space left on device" >&2; echo tidying >&2; exit 1';
  await expect(runAs(undefined, '/', ['sh', '-c', script])).rejects.toThrow(
    /^FATAL: {2}No space left on device$/,
  );
  await expect(runAs(undefined, '/', ['sh', '-c', 'echo gone >&2; exit 1'])).rejects.toThrow(/^gone$/);
});
