import { execFile } from 'node:child_process';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Fast, immediate, gone: each signal of PostgreSQL with the time it gets. */
const shutdowns = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
] as const;

/** Ends a server within bounded time. */
export async function shutDown(pids: () => Promise<number[]>): Promise<boolean> {
  for (const [signal, timeout] of shutdowns) {
    for (const pid of await pids()) send(pid, signal);
    for (const until = Date.now() + timeout; Date.now() < until; await sleep(20)) {
      if ((await pids()).length === 0) return true;
    }
  }
  return false;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Whatever an app that was killed left behind: its postmaster, or backends that outlived theirs.
 * Called with the directory's lock held, so no living app is robbed of its server.
 */
export async function endOrphans(cluster: string, socket: string): Promise<void> {
  const orphans = async () => {
    const [running, postmaster] = [await serversIn(cluster), await postmasterOf(cluster)];
    return running.includes(postmaster.pid) ? [postmaster.pid] : running;
  };
  if (!(await shutDown(orphans)))
    throw new Error(`An earlier PostgreSQL still runs in ${cluster} and does not end.`);
  // Their process ids may be anybody's by now, and PostgreSQL would refuse to start because of that.
  for (const stale of [
    join(cluster, 'postmaster.pid'),
    ...['', '.lock'].map((end) => join(socket, `.s.PGSQL.5432${end}`)),
  ]) {
    await rm(stale, { force: true });
  }
}

export async function postmasterOf(cluster: string): Promise<{ pid: number; ready: boolean }> {
  const file = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = file.split('\n');
  return { pid: Number(lines[0]), ready: lines[7]?.trim() === 'ready' };
}

/** Recognised by their working directory: a recycled process id never passes for a server. */
async function serversIn(cluster: string): Promise<number[]> {
  if (process.platform !== 'linux') return postmasterByName(cluster);
  const home = await stat(cluster);
  const isServer = async (pid: number) => {
    const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
    if (name !== 'postgres\n') return false;
    const cwd = await stat(`/proc/${pid}/cwd`).catch(() => undefined);
    return cwd?.ino === home.ino && cwd.dev === home.dev;
  };
  const pids = (await readdir('/proc')).map(Number).filter(Boolean);
  const found = await Promise.all(pids.map(isServer));
  return pids.filter((_, at) => found[at]);
}

async function postmasterByName(cluster: string): Promise<number[]> {
  const { pid } = await postmasterOf(cluster);
  const command = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).catch(
    () => undefined,
  );
  return command?.stdout.includes(`-D ${cluster}`) ? [pid] : [];
}
