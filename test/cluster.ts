import { execFile } from 'node:child_process';
import { appendFile, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '#e2e/server.ts';
import { chooseAccount, runAs } from '#platform/postgres/account.ts';
import { chooseBinaries } from '#platform/postgres/binaries.ts';
import { testBinaries } from '#test/binaries.ts';
import { scratch } from '#test/scratch-directory.ts';

/** Kills the PostgreSQL server whose pid file is in this data folder. */
export async function killPostmaster(data: string): Promise<void> {
  const pidFile = await readFile(join(data, 'postmaster.pid'), 'utf8');
  process.kill(Number(pidFile.split('\n')[0]), 'SIGKILL');
}

/** An external PostgreSQL on this machine, reached over TCP. */
export async function openCluster({ max_connections = 60 } = {}) {
  const home = await mkdtemp(join(scratch, 'muster-faults-db-'));
  const account = await chooseAccount(home);
  if (account) await chown(home, account.uid, account.gid);
  const store = account ? '/var/cache/muster' : home;
  const { bin } = await chooseBinaries(join(home, 'data'), { account, store, ...testBinaries });

  /** Configures a server for this data folder. */
  async function serverIn(folder: string) {
    const data = join(home, folder);
    const port = await freePort();
    const settings = `listen_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = ''\nmax_connections = ${max_connections}\n`;
    await appendFile(join(data, 'postgresql.conf'), settings);
    const logFile = `${data}.log`;
    /** Logs to a file: the postmaster outlives `pg_ctl` and would keep its output pipes open. */
    const control = (...args: string[]) =>
      promisify(execFile)(join(bin, 'pg_ctl'), ['-D', data, '-s', '-w', '-l', logFile, ...args], {
        ...account,
        cwd: home,
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      });
    return { data, logFile, port, url: `postgresql://muster@127.0.0.1:${port}/postgres`, control };
  }

  const locale = ['--locale=C', '--encoding=UTF8'];
  const initdb = ['--username=muster', '--auth=trust', '--no-instructions', ...locale];
  await runAs(account, home, [join(bin, 'initdb'), '-D', join(home, 'data'), ...initdb]);
  const server = await serverIn('data');
  await server.control('start');
  const standbys: (typeof server)[] = [];
  const close = async () => {
    for (const each of [server, ...standbys]) await each.control('stop', '-m', 'immediate').catch(() => {});
    await rm(home, { recursive: true, force: true });
  };
  /** Adds standbys, and a setting to the primary, which is restarted. */
  async function addStandbys(folders: string[], setting: string) {
    await server.control('stop', '-m', 'fast');
    await appendFile(join(server.data, 'postgresql.conf'), `${setting}\n`);
    for (const folder of folders) {
      await runAs(account, home, ['cp', '-a', join(home, 'data'), join(home, folder)]);
      const standby = await serverIn(folder);
      const source = `primary_conninfo = 'host=127.0.0.1 port=${server.port} user=muster'\nsynchronous_standby_names = ''\n`;
      await appendFile(join(standby.data, 'postgresql.conf'), source);
      await writeFile(join(standby.data, 'standby.signal'), '');
      standbys.push(standby);
    }
    for (const each of [server, ...standbys]) await each.control('start');
    return standbys as [typeof server, typeof server];
  }

  return {
    ...server,
    /** Starts a synchronous standby: it has received every commit that the primary acknowledges. */
    async openStandby() {
      const [standby] = await addStandbys(['standby'], "synchronous_standby_names = '*'");
      return standby;
    },
    /**
     * Starts two standbys, which show every commit that the primary acknowledges. Nothing is synced to disk, because
     * tests kill only processes, not the machine.
     */
    openReplicas: (settings = '') =>
      addStandbys(
        ['one', 'two'],
        `fsync = off\nsynchronous_commit = remote_apply\nsynchronous_standby_names = '2 (*)'\n${settings}`,
      ),
    close,
    [Symbol.asyncDispose]: close,
  };
}
