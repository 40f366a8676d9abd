import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

/** Whose rights the server runs with: the app's own when undefined. */
export type Account = { uid: number; gid: number } | undefined;

/** Debian's policy: `daemon` may own files, nothing on a system should belong to `nobody`, so it comes last. */
const names = ['postgres', '_postgres', 'daemon', 'nobody'];

/**
 * PostgreSQL refuses to run as root. Root therefore steps down to the owner of the existing cluster,
 * else to the owner of the data directory, else to an unprivileged account of the system.
 */
export async function chooseAccount(dataDir: string): Promise<Account> {
  if (process.getuid?.() !== 0) return undefined;
  const cluster = await stat(join(dataDir, 'postgres')).catch(() => undefined);
  if (cluster?.uid) return { uid: cluster.uid, gid: cluster.gid };

  const known = parseAccounts(await readFile('/etc/passwd', 'utf8'));
  const { uid: owner } = await stat(dataDir);
  const account =
    known.find(({ uid }) => uid > 0 && uid === owner) ??
    names.map((name) => known.find((one) => one.name === name && one.uid > 0)).find(Boolean);
  if (!account) {
    throw new Error(
      'PostgreSQL does not run as root and no other account was found: start Muster as another user or set DATABASE_URL.',
    );
  }
  return { uid: account.uid, gid: account.gid };
}

function parseAccounts(passwd: string) {
  return passwd.split('\n').map((line) => {
    const [name, , uid, gid] = line.split(':');
    return { name, uid: Number(uid), gid: Number(gid) };
  });
}

/** The app's environment holds secrets, and settings that PostgreSQL would obey: none of it is passed on. */
const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** Runs a program to its end as the account; fails with the line that says why. */
export async function run(
  account: Account,
  cwd: string,
  [file, ...args]: readonly [string, ...string[]],
  input = '',
): Promise<void> {
  const running = promisify(execFile)(file, args, { ...account, cwd, env });
  running.child.stdin?.on('error', () => {}).end(input);
  await running.catch((error: Error & { stderr?: string }) => {
    const lines = error.stderr?.trim().split('\n') ?? [];
    const why = lines.find((line) => /FATAL|PANIC|error:/.test(line)) ?? lines.at(-1);
    throw new Error(why || error.message, { cause: error });
  });
}

/** In a session of its own, so that Ctrl-C reaches the app alone and the app can finish its work. */
export function spawnApart(
  account: Account,
  cwd: string,
  [file, ...args]: readonly [string, ...string[]],
): ChildProcessByStdio<null, null, Readable> {
  return spawn(file, args, { ...account, cwd, env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
}
