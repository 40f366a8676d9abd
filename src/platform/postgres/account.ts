import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

/** The account that runs the server. Undefined for the account of the app. */
export type Account = { uid: number; gid: number } | undefined;

/** In order of preference. `nobody` comes last: by Debian's policy it should not own files, whereas `daemon` may. */
const names = ['postgres', '_postgres', 'daemon', 'nobody'];

/**
 * PostgreSQL refuses to run as root. Root switches to the owner of the existing cluster,
 * else to the owner of the data directory, else to an unprivileged system account.
 */
export async function chooseAccount(dataDir: string): Promise<Account> {
  if (process.getuid?.() !== 0) return undefined;
  const cluster = await stat(join(dataDir, 'postgres')).catch(() => undefined);
  if (cluster?.uid) return { uid: cluster.uid, gid: cluster.gid };

  const accounts = parseAccounts(await readFile('/etc/passwd', 'utf8'));
  const { uid: owner } = await stat(dataDir);
  const account =
    accounts.find(({ uid }) => uid > 0 && uid === owner) ??
    names.map((name) => accounts.find((one) => one.name === name && one.uid > 0)).find(Boolean);
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

/** The environment of the app is not passed on: it contains secrets and variables that PostgreSQL reads. */
const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** Runs a program as the account and resolves with its output. Fails with the relevant line of its stderr. */
export async function runAs(
  account: Account,
  cwd: string,
  [file, ...args]: readonly [string, ...string[]],
  input = '',
): Promise<string> {
  const running = promisify(execFile)(file, args, { ...account, cwd, env });
  running.child.stdin?.on('error', () => {}).end(input);
  const { stdout } = await running.catch((error: Error & { stderr?: string }) => {
    const lines = error.stderr?.trim().split('\n') ?? [];
    const why = lines.find((line) => /FATAL|PANIC|error:/.test(line)) ?? lines.at(-1);
    throw new Error(why || error.message, { cause: error });
  });
  return stdout;
}

/** Spawns a program in a separate session, so that Ctrl-C reaches only the app, which needs the server to drain. */
export function spawnDetached(
  account: Account,
  cwd: string,
  [file, ...args]: readonly [string, ...string[]],
): ChildProcessByStdio<null, null, Readable> {
  return spawn(file, args, { ...account, cwd, env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
}
