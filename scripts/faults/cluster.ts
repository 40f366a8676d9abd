import { execFile } from 'node:child_process';
import { appendFile, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chooseAccount, run } from '#platform/postgres/account.ts';
import { packagedBinaries, runnableBinaries } from '#platform/postgres/binaries.ts';
import { freePort } from './app.ts';

/** A PostgreSQL that is not the app's own, reached by TCP on this machine. */
export async function openCluster() {
  const home = await mkdtemp(join(tmpdir(), 'muster-faults-db-'));
  const account = await chooseAccount(home);
  if (account) await chown(home, account.uid, account.gid);
  const bin = join(
    await runnableBinaries(packagedBinaries(), account ? '/var/cache/muster' : home, account),
    'bin',
  );
  const data = join(home, 'data');
  await run(account, home, [
    join(bin, 'initdb'),
    '-D',
    data,
    '--username=muster',
    '--auth=trust',
    '--no-instructions',
  ]);
  const port = await freePort();
  await appendFile(
    join(data, 'postgresql.conf'),
    `listen_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = ''\nmax_connections = 60\n`,
  );
  /** The postmaster leads a life of its own, so nothing of this process may hang on its pipes. */
  const control = (...args: string[]) =>
    promisify(execFile)(join(bin, 'pg_ctl'), ['-D', data, '-s', '-w', '-l', join(home, 'log'), ...args], {
      ...account,
      cwd: home,
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    });
  await control('start');
  return {
    url: `postgresql://muster@127.0.0.1:${port}/postgres`,
    control,
    async close() {
      await control('stop', '-m', 'immediate').catch(() => {});
      await rm(home, { recursive: true, force: true });
    },
  };
}
