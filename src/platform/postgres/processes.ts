import { execFile } from 'node:child_process';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Fast shutdown, immediate shutdown, kill: signals with their timeouts in milliseconds. */
const shutdowns = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
] as const;

/** Stops a server within bounded time. Returns whether it has ended. */
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
 * Stops processes that a killed app left behind: the postmaster, or backends without one.
 * Call it with the directory lock held, so that no running app loses its server.
 */
export async function endOrphans(cluster: string, socket: string): Promise<void> {
  const orphans = async () => {
    const [running, postmaster] = [await serversIn(cluster), await postmasterOf(cluster)];
    return running.includes(postmaster.pid) ? [postmaster.pid] : running;
  };
  if (!(await shutDown(orphans)))
    throw new Error(`An earlier PostgreSQL still runs in ${cluster} and does not end.`);
  // Deletes stale files: if the process ids in them have been reused, PostgreSQL refuses to start.
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

/** The server processes of a cluster, identified by their working directory, because process ids are reused. */
async function serversIn(cluster: string): Promise<number[]> {
  if (process.platform !== 'linux') return postmasterByName(cluster);
  const directory = await stat(cluster);
  const isServer = async (pid: number) => {
    const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
    if (name !== 'postgres\n') return false;
    const cwd = await stat(`/proc/${pid}/cwd`).catch(() => undefined);
    return cwd?.ino === directory.ino && cwd.dev === directory.dev;
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
