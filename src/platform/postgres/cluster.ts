import { createHash } from 'node:crypto';
import { chown, lstat, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runAs, type Account } from './account.ts';

const isLinux = process.platform === 'linux';

/**
 * The path of the cluster for the programs that `inCluster` starts. On Linux it is an open directory, so the account needs
 * no access to the parent directories.
 */
export const clusterPath = (cluster: string): string => (isLinux ? '/proc/self/fd/3' : cluster);

/**
 * The command of a program that runs in a cluster as its working directory. The app enters it before it switches the
 * account. The program itself starts elsewhere: PostgreSQL 15 goes to the directory of its binaries and back, which fails
 * below a private directory.
 */
export const inCluster = (command: readonly [string, ...string[]]): readonly [string, ...string[]] =>
  isLinux ? ['/bin/sh', '-c', 'exec 3<. && cd / && exec "$0" "$@"', ...command] : command;

/**
 * The role of the app owns its database and may create others. It is not a superuser, so SQL cannot run programs.
 * Renames the initial database, which is faster than creating one.
 */
const roles = `create role muster login createdb;
alter database postgres rename to muster;
alter database muster owner to muster;
`;

/**
 * Creates a cluster in $1 with the programs in $0. One shell script, so that the app can work in parallel. Syncs once at
 * the end instead of after each step.
 * `trust`: only the account and root can reach the socket, and both can read the files anyway.
 */
const createScript = `
  "$0/initdb" -D "$1" --username=postgres --auth-local=trust --auth-host=reject --no-instructions --no-sync \\
    --locale=C --encoding=UTF8 --data-checksums &&
  "$0/postgres" --single -D "$1" -c exit_on_error=on -c fsync=off template1`;
const syncScript = ` &&
  "$0/initdb" -D "$1" --sync-only`;

interface CreateOptions {
  durable: boolean;
  /** Called when PostgreSQL runs in the background and the app can do other work. */
  begun: () => void;
}

/** Creates `<dataDir>/postgres` if it is missing. The directory gets its name only when it is complete. */
export async function openCluster(
  dataDir: string,
  bin: string,
  account: Account,
  options: CreateOptions,
): Promise<string> {
  const cluster = join(dataDir, 'postgres');
  for (const name of await readdir(dataDir)) {
    if (name.startsWith('postgres.draft-')) await rm(join(dataDir, name), { recursive: true, maxRetries: 5 });
  }
  if ((await majorIn(cluster)) === undefined) await createCluster(cluster, bin, account, options);
  else if (account && (await stat(cluster)).uid === 0) {
    // Restored from a backup by root.
    await runAs(undefined, '/', ['chown', '-hR', `${account.uid}:${account.gid}`, cluster]);
  }
  return cluster;
}

/** The major version of the PostgreSQL that made the cluster. Undefined if there is none. */
export async function majorIn(cluster: string): Promise<number | undefined> {
  try {
    return Number((await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code !== 'EACCES') throw error;
    throw new Error(
      `The data in ${cluster} belongs to another account: start Muster as that account or as root.`,
      {
        cause: error,
      },
    );
  }
}

/** Writes the names of the files in a directory to the disk. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  await directory.sync().finally(() => directory.close());
}

/** The name of the old cluster while the new one takes its place. */
export const replacedIn = (dataDir: string): string => join(dataDir, 'postgres.replaced');

/**
 * Ends the replacement of a cluster, even after a crash between its steps: the old cluster gets its name back unless the
 * new one has taken it. Returns where an old cluster is kept.
 */
export async function finishMove(dataDir: string): Promise<string | undefined> {
  const [cluster, replaced] = [join(dataDir, 'postgres'), replacedIn(dataDir)];
  const major = await majorIn(replaced);
  if (major === undefined) return undefined;
  const isReplaced = (await majorIn(cluster)) !== undefined;
  const name = isReplaced ? await mkdtemp(join(dataDir, `postgres-${major}-`)) : cluster;
  await rename(replaced, name);
  return isReplaced ? name : undefined;
}

async function createCluster(
  cluster: string,
  bin: string,
  account: Account,
  { durable, begun }: CreateOptions,
): Promise<void> {
  const draft = await mkdtemp(`${cluster}.draft-`);
  try {
    if (account) await chown(draft, account.uid, account.gid);
    const script = createScript + (durable ? syncScript : '');
    const created = runAs(
      account,
      draft,
      inCluster(['/bin/sh', '-c', script, bin, clusterPath(draft)]),
      roles,
    );
    begun();
    await created;
    await rename(draft, cluster);
    await syncDirectory(join(cluster, '..'));
  } catch (error) {
    await rm(draft, { recursive: true, force: true, maxRetries: 5 });
    throw new Error(`No PostgreSQL could be set up in ${cluster}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

const fits = (dir: string): boolean => Buffer.byteLength(join(dir, '.s.PGSQL.5432')) <= 103;

/**
 * Directory of the socket: the cluster, which is private. Socket paths are limited to 103 bytes (Linux: 107), so a longer
 * path gets a private directory with a short name.
 */
export async function socketDirectory(cluster: string, account: Account): Promise<string> {
  const name = `muster-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`;
  const directory = [cluster, join(tmpdir(), name)].find(fits) ?? join('/tmp', name);
  if (directory === cluster) return cluster;

  const isNew = await mkdir(directory, { mode: 0o700 }).then(
    () => true,
    () => false,
  );
  if (isNew && account) await chown(directory, account.uid, account.gid);
  // The name is predictable: reject a directory that another account created.
  const { uid, mode } = await lstat(directory);
  if (uid !== (account?.uid ?? process.getuid?.()) || (mode & 0o170777) !== 0o040700) {
    throw new Error(
      `${directory} is not a private directory of Muster's: remove it, or choose a shorter DATA_DIR.`,
    );
  }
  return directory;
}
