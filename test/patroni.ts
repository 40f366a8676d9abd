import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#e2e/server.ts';
import { chooseAccount } from '#platform/postgres/account.ts';
import { killPostmaster } from '#test/cluster.ts';

const debian = '/usr/lib/postgresql';
const password = 'of-this-test';

/** docs/scaling.md has the same settings. */
const clusterSettings = {
  ttl: 20,
  loop_wait: 1,
  retry_timeout: 3,
  primary_start_timeout: 0,
  synchronous_mode: true,
  synchronous_node_count: 2,
  postgresql: {
    use_pg_rewind: true,
    parameters: {
      synchronous_commit: 'remote_apply',
      wal_sender_timeout: '3s',
      wal_receiver_status_interval: '1s',
      hot_standby_feedback: 'on',
      max_standby_streaming_delay: '300ms',
    },
  },
};

/**
 * Creates a directory, and a function that starts programs in it with an account that may run PostgreSQL. Disposing
 * `opened` kills the programs in reverse order and removes the directory.
 */
async function openHome(opened: AsyncDisposableStack) {
  const home = await mkdtemp(join(tmpdir(), 'muster-faults-patroni-'));
  opened.defer(() => rm(home, { recursive: true, force: true, maxRetries: 20 }));
  const account = await chooseAccount(home);
  if (account) await chown(home, account.uid, account.gid);
  const log = openSync(join(home, 'log'), 'a');
  const options = { ...account, cwd: home, env: { PATH: process.env['PATH'], HOME: home } };
  const start = (program: string, args: string[]): ChildProcess => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', log, log] });
    opened.defer(() => void child.kill('SIGKILL'));
    return child;
  };
  return { home, start, opened };
}

type Home = Awaited<ReturnType<typeof openHome>>;

async function startEtcd({ home, start }: Home): Promise<string> {
  const [client, peer] = [`127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
  const urls = ['listen', 'advertise'].map((what) => `--${what}-client-urls=http://${client}`);
  const peers = ['listen', 'initial-advertise'].map((what) => `--${what}-peer-urls=${peer}`);
  start('etcd', [`--data-dir=${home}/etcd`, ...urls, ...peers, `--initial-cluster=default=${peer}`]);
  return client;
}

/** Starts a PostgreSQL server with its Patroni. */
async function startMember({ home, start, opened }: Home, etcd: string, name: string) {
  const [server, api] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const [major] = (await readdir(debian)).toSorted((one, other) => Number(other) - Number(one));
  const [superuser, replication] = ['muster', 'replicator'].map((username) => ({ username, password }));
  const settings = {
    scope: 'muster',
    name,
    restapi: { listen: api, connect_address: api },
    etcd3: { host: etcd },
    bootstrap: { dcs: clusterSettings, initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }] },
    postgresql: {
      listen: server,
      connect_address: server,
      data_dir: join(home, name),
      pgpass: join(home, `${name}.pgpass`),
      bin_dir: join(debian, String(major), 'bin'),
      authentication: { superuser, replication },
      parameters: { unix_socket_directories: home },
      pg_hba: ['all', 'replication'].map((database) => `host ${database} all 127.0.0.1/32 scram-sha-256`),
    },
  };
  const file = join(home, `${name}.json`);
  await writeFile(file, JSON.stringify(settings));
  const killServer = () => killPostmaster(join(home, name));
  opened.defer(() => killServer().catch(() => {}));
  const startPatroni = () => start('patroni', [file]);
  let patroni = startPatroni();
  return {
    name,
    server,
    data: join(home, name),
    url: `postgresql://muster:${password}@${server}/postgres`,
    api: `http://${api}`,
    switchOver: () =>
      fetch(`http://${api}/switchover`, { method: 'POST', body: JSON.stringify({ leader: name }) }),
    killServer,
    killMachine() {
      patroni.kill('SIGKILL');
      return killServer();
    },
    restart() {
      if (patroni.signalCode) patroni = startPatroni();
    },
  };
}

type Member = Awaited<ReturnType<typeof startMember>>;

/**
 * Starts HAProxy and returns the URLs of the leader and of the synchronous standbys. docs/scaling.md has the same
 * configuration.
 */
async function startHaproxy({ home, start }: Home, members: Member[]) {
  const [writes, reads] = [await freePort(), await freePort()];
  const servers = (lineOf: (member: Member) => string) =>
    members.map((member) => `  server ${lineOf(member)}`);
  const checked = ({ name, server, api }: Member) => `${name} ${server} check port ${new URL(api).port}`;
  const configuration = [
    'defaults',
    '  mode tcp',
    '  timeout connect 1s',
    '  timeout check 1s',
    '  timeout client 1h',
    '  timeout server 1h',
    '  default-server inter 500ms fall 1 rise 1 on-marked-down shutdown-sessions',
    'listen leader',
    `  bind 127.0.0.1:${writes}`,
    '  option httpchk OPTIONS /primary',
    ...servers(checked),
    'listen readers',
    `  bind 127.0.0.1:${reads}`,
    '  balance leastconn',
    '  option httpchk OPTIONS /sync',
    ...servers((member) => `${checked(member)} on-marked-up shutdown-backup-sessions`),
    ...servers(({ name, server }) => `${name}-leader ${server} backup track leader/${name}`),
  ];
  const file = join(home, 'haproxy.cfg');
  await writeFile(file, `${configuration.join('\n')}\n`);
  start('haproxy', ['-db', '-f', file]);
  return { url: urlAt(writes), readUrl: urlAt(reads) };
}

const urlAt = (port: number) => `postgresql://muster:${password}@127.0.0.1:${port}/postgres`;

const get = (url: string) => fetch(url, { signal: AbortSignal.timeout(1000) }).catch(() => undefined);

async function leaderOf(members: Member[]): Promise<Member | undefined> {
  const responses = await Promise.all(members.map(({ api }) => get(`${api}/primary`)));
  return members[responses.findIndex((response) => response?.ok)];
}

const programs = [
  ['patroni', '--version'],
  ['etcd', '--version'],
  ['haproxy', '-v'],
] as const;

/** The programs that a cluster needs and that are not installed. */
export function missingPrograms(): string[] {
  const missing: string[] = programs
    .filter(([program, flag]) => spawnSync(program, [flag]).error)
    .map(([program]) => program);
  return existsSync(debian) ? missing : [...missing, 'postgresql'];
}

async function until(what: string, condition: () => Promise<boolean>, seconds: number): Promise<void> {
  const ends = performance.now() + 1000 * seconds;
  while (!(await condition())) {
    if (performance.now() > ends) throw new Error(`Timeout after ${seconds} s: ${what}`);
    await sleep(100);
  }
}

/** Whether both standbys follow synchronously. */
async function isHealthy({ api }: Member): Promise<boolean> {
  const response = await get(`${api}/cluster`);
  const found = ((await response?.json()) ?? { members: [] }) as { members: Record<string, string>[] };
  const running = found.members.filter(({ state }) => state === 'running' || state === 'streaming');
  const roles = running.map(({ role }) => role).toSorted();
  return roles.join() === 'leader,sync_standby,sync_standby';
}

/**
 * Starts three PostgreSQL servers that Patroni manages in synchronous mode, with etcd and HAProxy, and waits for them.
 */
export async function openPatroni() {
  const opened = new AsyncDisposableStack();
  const home = await openHome(opened);
  const etcd = await startEtcd(home);
  const members: Member[] = [];
  for (const name of ['one', 'two', 'three']) members.push(await startMember(home, etcd, name));
  async function healthyLeader(): Promise<Member> {
    let leader: Member | undefined;
    const isReady = async () => (leader = await leaderOf(members)) !== undefined && isHealthy(leader);
    await until('the cluster is healthy', isReady, 120);
    return leader as Member;
  }
  await healthyLeader().catch(async (error: unknown) => {
    await opened.disposeAsync();
    throw error;
  });
  const addresses = await startHaproxy(home, members);
  return {
    ...addresses,
    healthyLeader,
    members,
    /** Breaks the leader of the healthy cluster, and resolves when another server is promoted. */
    async failOver(how: 'killServer' | 'killMachine' | 'switchOver'): Promise<void> {
      for (const { restart } of members) restart();
      const old = await healthyLeader();
      void old[how]();
      const isPromoted = async () => ![undefined, old].includes(await leaderOf(members));
      await until('another server is promoted', isPromoted, 60);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
