import { createHash } from 'node:crypto';
import { chown, lstat, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, type Account } from './account.ts';

const major = '18';

/**
 * The server's own directory as it names it. The app enters it and then steps down, so the account
 * need not be able to walk there: a data directory below a private home stays where it is.
 */
export const here = (cluster: string): string => (process.platform === 'linux' ? '/proc/self/cwd' : cluster);

/**
 * The app's role owns its database and may create others, but it is no superuser: SQL cannot start programs.
 * The database is the one that every cluster begins with: to copy another takes longer.
 */
const roles = `create role muster login createdb;
alter database postgres rename to muster;
alter database muster owner to muster;
`;

/**
 * Makes a cluster in the folder $1 with the programs in $0, without the app, which is busy meanwhile. Nothing is brought
 * to the disk before all is there, and then everything at once.
 * Trust: only the account itself and root can walk to the socket, and both could read the files anyway.
 */
const making = `
  "$0/initdb" -D "$1" --username=postgres --auth-local=trust --auth-host=reject --no-instructions --no-sync \\
    --locale-provider=builtin --locale=C.UTF-8 --encoding=UTF8 &&
  "$0/postgres" --single -D "$1" -c exit_on_error=on -c fsync=off template1`;
const syncing = ` &&
  "$0/initdb" -D "$1" --sync-only`;

interface Manner {
  durable: boolean;
  /** Called when PostgreSQL works on its own, and the app may be busy with something else. */
  begun: () => void;
}

/** Makes `<dataDir>/postgres` unless it is there. It gets its name when it is complete, never before. */
export async function openCluster(
  dataDir: string,
  bin: string,
  account: Account,
  manner: Manner,
): Promise<string> {
  const cluster = join(dataDir, 'postgres');
  for (const name of await readdir(dataDir)) {
    if (name.startsWith('postgres.draft-')) await rm(join(dataDir, name), { recursive: true, maxRetries: 5 });
  }
  const found = await versionOf(cluster);
  if (!found) await createCluster(cluster, bin, account, manner);
  else if (found !== major) {
    throw new Error(`The data in ${cluster} belongs to PostgreSQL ${found}, this Muster runs ${major}.`);
  } else if (account && (await stat(cluster)).uid === 0) {
    // A backup that root copied back.
    await run(undefined, '/', ['chown', '-hR', `${account.uid}:${account.gid}`, cluster]);
  }
  return cluster;
}

async function versionOf(cluster: string): Promise<string> {
  try {
    return (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    if (code !== 'EACCES') throw error;
    throw new Error(
      `The data in ${cluster} belongs to another account: start Muster as that account or as root.`,
      {
        cause: error,
      },
    );
  }
}

async function createCluster(
  cluster: string,
  bin: string,
  account: Account,
  { durable, begun }: Manner,
): Promise<void> {
  const draft = await mkdtemp(`${cluster}.draft-`);
  try {
    if (account) await chown(draft, account.uid, account.gid);
    const script = making + (durable ? syncing : '');
    const made = run(account, draft, ['/bin/sh', '-c', script, bin, here(draft)], roles);
    begun();
    await made;
    await rename(draft, cluster);
    const parent = await open(join(cluster, '..'));
    await parent.sync().finally(() => parent.close());
  } catch (error) {
    await rm(draft, { recursive: true, force: true, maxRetries: 5 });
    throw new Error(`No PostgreSQL could be set up in ${cluster}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

const fits = (dir: string): boolean => Buffer.byteLength(join(dir, '.s.PGSQL.5432')) <= 103;

/**
 * Where the socket lies: in the cluster, which is private already. A socket's path has room for 103
 * bytes (Linux: 107), so a deeper cluster gets a private directory with a short name of its own.
 */
export async function socketDirectory(cluster: string, account: Account): Promise<string> {
  const name = `muster-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`;
  const place = [cluster, join(tmpdir(), name)].find(fits) ?? join('/tmp', name);
  if (place === cluster) return cluster;

  const made = await mkdir(place, { mode: 0o700 }).then(
    () => true,
    () => false,
  );
  if (made && account) await chown(place, account.uid, account.gid);
  // The name can be guessed: a directory that somebody else put there is not used.
  const { uid, mode } = await lstat(place);
  if (uid !== (account?.uid ?? process.getuid?.()) || (mode & 0o170777) !== 0o040700) {
    throw new Error(
      `${place} is not a private directory of Muster's: remove it, or choose a shorter DATA_DIR.`,
    );
  }
  return place;
}
