import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { chooseAccount, spawnDetached, type Account } from './account.ts';
import { chooseBinaries, type Binaries } from './binaries.ts';
import { clusterPath, finishMove, inCluster, openCluster, socketDirectory } from './cluster.ts';
import { InUse, lockDirectory } from './lock.ts';
import { endOrphans, postmasterOf, shutDown } from './processes.ts';

export type Options = {
  /** The cluster is in `<dataDir>/postgres`. */
  dataDir: string;
  /** False disables fsync, for faster tests. */
  durable?: boolean;
  log?: (line: string) => void;
  /** Called when PostgreSQL runs in the background and the app can do other work. */
  begun?: () => void;
  /** Folders of installed binaries, by default those of the system. Set only by tests and benchmarks. */
  folders?: readonly string[] | undefined;
};

export type Postgres = {
  /** Connection string of a Unix socket that only this account and root can reach. */
  url: string;
  binaries: Binaries;
  /** Stops the server within bounded time and unlocks the directory. */
  stop: () => Promise<void>;
  /** Settles after `stop`. A server that crashes is restarted. */
  exited: Promise<void>;
};

type Child = ReturnType<typeof spawnDetached>;
type Server = {
  bin: string;
  cluster: string;
  socket: string;
  account: Account;
  durable: boolean;
  begun: () => void;
};

/** Runs PostgreSQL with the data of the app and locks its directory. */
export async function startPostgres(options: Options): Promise<Postgres> {
  const home = resolve(options.dataDir);
  await mkdir(home, { recursive: true });
  const unlock = lockDirectory(home);
  try {
    return await runPostgres({ ...options, dataDir: home }, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Runs PostgreSQL in a directory that the caller has locked. Calls `stopped` after the server has stopped. */
export async function runPostgres(
  { dataDir, durable = true, log = () => {}, begun = () => {}, folders }: Options,
  stopped: () => void,
): Promise<Postgres> {
  await finishMove(dataDir);
  const account = await chooseAccount(dataDir);
  const store = account ? '/var/cache/muster' : dataDir;
  const binaries = await chooseBinaries(join(dataDir, 'postgres'), { account, store, folders });
  const { bin } = binaries;
  const cluster = await openCluster(dataDir, bin, account, { durable, begun });
  const socket = await socketDirectory(cluster, account);
  const { stop, exited } = await supervise(
    { bin, cluster, socket, account, durable, begun },
    log,
    async () => {
      if (socket !== cluster) await rm(socket, { recursive: true, force: true });
      stopped();
    },
  );
  return { url: urlAt(socket), binaries, stop, exited };
}

const urlAt = (socket: string): string =>
  `postgresql://muster@localhost:5432/muster?host=${encodeURIComponent(socket)}&sslmode=disable`;

/** Connects to the server of the app that uses the directory, or starts a server that runs until `stop`. */
export async function joinPostgres(options: Options): Promise<Pick<Postgres, 'url' | 'stop'>> {
  try {
    return await startPostgres(options);
  } catch (error) {
    if (!(error instanceof InUse)) throw error;
    const home = resolve(options.dataDir);
    const url = urlAt(await socketDirectory(join(home, 'postgres'), await chooseAccount(home)));
    return { url, stop: async () => {} };
  }
}

/** Keeps the server running until `stop`, and restarts it after a crash. */
async function supervise(server: Server, log: (line: string) => void, cleanUp: () => Promise<void>) {
  const stopping = new AbortController();
  await endOrphans(server.cluster, server.socket);
  let child = launch(server);
  server.begun();
  const endWithApp = () => child.kill('SIGINT');
  process.on('exit', endWithApp);
  await untilReady(child, server.cluster, log);

  const restart = async () => {
    await endOrphans(server.cluster, server.socket);
    if (stopping.signal.aborted) return;
    child = launch(server);
    await untilReady(child, server.cluster, log);
  };
  const keepRunning = async () => {
    for (let pause = 50, since = Date.now(); ; pause = Math.min(pause * 2, 5_000)) {
      await untilGone(child);
      if (stopping.signal.aborted) break;
      log(`PostgreSQL ended by itself (${child.signalCode ?? child.exitCode}) and is started again`);
      if (Date.now() - since > 10_000) pause = 50;
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => {});
      since = Date.now();
      await restart().catch((error: Error) => log(error.message));
    }
    process.off('exit', endWithApp);
    await cleanUp();
  };

  const exited = keepRunning();
  const stop = async () => {
    stopping.abort();
    const ended = await shutDown(async () => (child.pid === undefined || isGone(child) ? [] : [child.pid]));
    if (!ended) throw new Error(`PostgreSQL in ${server.cluster} does not end`);
    await exited;
  };
  return { stop, exited };
}

/** Unreferences the child, so that it does not keep the event loop alive: the server ends with the app. */
function launch({ bin, cluster, socket, account, durable }: Server): Child {
  const settings = {
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: socket === cluster ? clusterPath(cluster) : socket,
    unix_socket_permissions: '0700',
    max_connections: '100',
    shared_buffers: '128MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The app gets the errors of its statements itself. In the log of the server they would leak personal data.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    log_line_prefix: '',
    // Only tests disable durability, and in tests many apps share one server.
    ...(durable
      ? {}
      : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' }),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = inCluster([join(bin, 'postgres'), '-D', clusterPath(cluster), ...flags]);
  const child = spawnDetached(account, cluster, command);
  child.unref();
  (child.stderr as Socket).unref();
  return child;
}

async function untilReady(child: Child, cluster: string, log: (line: string) => void): Promise<void> {
  let last = 'it said nothing';
  createInterface(child.stderr).on('line', (line) => {
    if (/^(FATAL|PANIC|postgres):/.test(line)) last = line;
    log(line);
  });
  child.on('error', (error) => (last = error.message));
  while (!isGone(child)) {
    const { pid, ready } = await postmasterOf(cluster);
    if (ready && pid === child.pid) return;
    await sleep(10);
  }
  await sleep(50); // its last output may still be in the pipe
  throw new Error(`PostgreSQL did not start in ${cluster}: ${last}`);
}

const isGone = (child: Child): boolean =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null;

async function untilGone(child: Child): Promise<void> {
  if (!isGone(child)) await once(child, 'exit');
}
