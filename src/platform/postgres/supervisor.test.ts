import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { chmod, chown, cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { testBinaries } from '#test/binaries.ts';
import {
  app,
  checkout,
  directory,
  end,
  isRoot,
  isRunning,
  needsRoot,
  nobody,
  plain,
  postmaster,
  source,
  sql,
  start,
  undo,
  undoAll,
  usedDirectory,
} from '#test/postgres.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { chooseAccount } from './account.ts';
import { startPostgres } from './supervisor.ts';

afterEach(undoAll);

test('postgres: the first start creates a private, durable database, and the second reuses it', async () => {
  const dataDir = await directory();
  const first = await start(dataDir, true);
  const settings = [
    'listen_addresses',
    'fsync',
    'synchronous_commit',
    'full_page_writes',
    'timezone',
    'server_encoding',
  ];
  expect(
    await sql(first.url, `select ${settings.map((name) => `current_setting('${name}')`).join()}`),
  ).toEqual(['', 'on', 'on', 'on', 'UTC', 'UTF8']);
  expect(await sql(first.url, 'select rolsuper from pg_roles where rolname = current_user')).toEqual([false]);
  const owners = 'select datname, pg_get_userbyid(datdba) from pg_database where datallowconn order by 1';
  expect(await sql(first.url, owners)).toEqual(['muster', 'muster', 'template1', 'postgres']);
  expect(statSync(join(dataDir, 'postgres')).mode & 0o777).toBe(0o700);
  await sql(first.url, `create table club as select 'Rüdersport' as name`);
  const identity = 'select system_identifier from pg_control_system()';
  const cluster = await sql(first.url, identity);
  await first.stop();

  const second = await start(dataDir);
  // No second initdb and no recovery: that is what makes a start fast.
  expect(await sql(second.url, identity)).toEqual(cluster);
  expect(second.log.join()).toContain('database system was shut down at');
  const ignoringCase = `select name from club where upper(name collate "und-x-icu") = 'RÜDERSPORT'`;
  expect(await sql(second.url, ignoringCase)).toEqual(['Rüdersport']);
  expect(await sql(second.url, `select current_setting('fsync')`)).toEqual(['off']);
});

test('postgres: calls `begun` before the server is ready', async () => {
  const dataDir = await directory();
  const pidFile = join(dataDir, 'postgres/postmaster.pid');
  const found: boolean[] = [];
  // The last line of the file is the status.
  const begun = () => void found.push(existsSync(pidFile) && readFileSync(pidFile, 'utf8').includes('ready'));
  for (let round = 0; round < 2; round++)
    await (await startPostgres({ dataDir, durable: false, begun, ...testBinaries })).stop();
  // Once during creation, and once per start.
  expect(found).toEqual([false, false, false]);
});

test('postgres: errors, crashes and stops log no personal data', async () => {
  const { url, log, stop } = await start(await usedDirectory(), true);
  await sql(url, `create table person as select 'ada@example.org' as email`);
  await sql(url, 'create unique index on person (email)');
  await expect(sql(url, `insert into person values ('ada@example.org')`)).rejects.toThrow('duplicate key');
  await expect(sql(url, `select 'ada@example.org'::uuid`)).rejects.toThrow('invalid input syntax');

  const slow = () => sql(url, `select 'ada@example.org', pg_sleep(60)`).catch(String);
  const crashed = slow();
  const backend = `select pid from pg_stat_activity where query like '%60%' and pid <> pg_backend_pid()`;
  await vi.waitFor(async () => process.kill(Number((await sql(url, backend))[0]), 'SIGKILL'));
  await crashed;
  await vi.waitFor(() => sql(url, 'select 1'), { timeout: 5_000 });
  const stopped = slow();
  await sleep(100);
  await stop();
  await stopped;
  expect(log.join()).toMatch(/ready to accept connections.*terminated by signal 9.*fast shutdown/s);
  expect(log.join()).not.toMatch(/ada/);
});

test('postgres: stops quickly during a query and leaves no process', async () => {
  const dataDir = await usedDirectory();
  const { url, stop, exited } = await start(dataDir);
  const pid = await postmaster(dataDir);
  const busy = expect(sql(url, 'select pg_sleep(60)')).rejects.toThrow();
  await sleep(200);
  // Without waiting for the 60 seconds of the query.
  const begun = performance.now();
  await Promise.all([stop(), stop(), exited, busy]);
  expect(performance.now() - begun).toBeLessThan(20_000);
  expect(isRunning(pid)).toBe(false);
});

test.skipIf(!isRoot)(
  `postgres: root runs the server as another account, even below a private home (${needsRoot})`,
  async () => {
    const home = await directory();
    await chmod(home, 0o700);
    const dataDir = join(home, 'muster/data');
    const { url } = await start(dataDir);
    expect(statSync(`/proc/${await postmaster(dataDir)}`).uid).toBeGreaterThan(0);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(await sql(url, 'select 1')).toEqual([1]);
  },
);

test.skipIf(!isRoot)(
  `postgres: root uses the account that owns the data, and accepts a restored backup (${needsRoot})`,
  async () => {
    const dataDir = await directory();
    await chown(dataDir, nobody.uid, nobody.gid);
    expect(await chooseAccount(dataDir)).toMatchObject({ uid: nobody.uid });
    await (await start(dataDir)).stop();
    await chown(dataDir, 0, 0);
    expect(await chooseAccount(dataDir)).toMatchObject({ uid: nobody.uid });

    const restored = await directory();
    await cp(join(dataDir, 'postgres'), join(restored, 'postgres'), { recursive: true });
    const { url } = await start(restored);
    expect(await sql(url, 'select 1')).toEqual([1]);
  },
);

test('postgres: an ordinary account runs the server itself', async () => {
  const { module, root } = await checkout();
  const dataDir = join(root, 'data');
  await mkdir(dataDir);
  if (isRoot) await chown(dataDir, nobody.uid, nobody.gid);
  const { child, url } = await app(dataDir, { account: plain, module });
  expect(await sql(url, 'select 1')).toEqual([1]);
  expect(statSync(`/proc/${await postmaster(dataDir)}`).uid).toBe(plain?.uid ?? process.getuid?.());
  await end(child, 'SIGINT');
  // Another account is rejected with a reason.
  if (isRoot) {
    const stranger = await app(dataDir, { account: { uid: 1, gid: 1 }, module });
    expect(stranger.url).toMatch(/^refused: Muster cannot use .*\.$/);
  }
});

test('postgres: after SIGKILL of the app the next start stops the orphan and finds the data', async () => {
  const dataDir = await usedDirectory();
  const killed = await app(dataDir);
  await sql(killed.url, 'create table club as select 7 as members');
  const orphan = await postmaster(dataDir);
  await end(killed.child, 'SIGKILL');
  expect(isRunning(orphan)).toBe(true);

  const { url, log } = await start(dataDir);
  expect(isRunning(orphan)).toBe(false);
  expect(log.join()).toContain('database system was shut down at');
  expect(await sql(url, 'select members from club')).toEqual([7]);
});

test('postgres: SIGKILL during creation leaves no incomplete cluster', async () => {
  const dataDir = await directory();
  for (const after of [250, 450, 650]) {
    const options = JSON.stringify({ dataDir, ...testBinaries });
    const code = `import(${JSON.stringify(join(source, 'postgres/supervisor.ts'))}).then((m) => m.startPostgres(${options}))`;
    const child = spawn(process.execPath, ['-e', code], { stdio: 'ignore', detached: true });
    undo.push(() => end(child, 'SIGKILL'));
    await sleep(after);
    await end(child, 'SIGKILL');
  }
  const { url } = await start(dataDir);
  expect(await sql(url, 'select current_user')).toEqual(['muster']);
  expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.lock']);
});

test.each(['a dead process', 'an unrelated process'])(
  'postgres: starts when postmaster.pid names %s',
  async (whose) => {
    const dataDir = await usedDirectory();
    await (await start(dataDir)).stop();
    const { uid, gid } = statSync(join(dataDir, 'postgres'));
    const other = spawn('sleep', ['60'], isRoot ? { uid, gid } : {});
    undo.push(() => end(other, 'SIGKILL'));
    if (whose === 'a dead process') await end(other, 'SIGKILL');
    for (const file of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
      const stale = join(dataDir, 'postgres', file);
      await writeFile(stale, `${other.pid}\n${dataDir}/postgres\n1700000000\n5432\n\n\n\nready   \n`);
      if (isRoot) await chown(stale, uid, gid);
    }
    const { url } = await start(dataDir);
    expect(await sql(url, 'select 1')).toEqual([1]);
    expect(other.exitCode ?? other.signalCode).toBe(whose === 'a dead process' ? 'SIGKILL' : null);
  },
);

test('postgres: a second app on the same directory fails immediately, and the first keeps running', async () => {
  const dataDir = await usedDirectory();
  const { url, child } = await app(dataDir);
  const pid = await postmaster(dataDir);
  const begun = performance.now();
  const why = `Another Muster is already running on ${dataDir}: stop it first, or give this one a DATA_DIR of its own.`;
  await expect(startPostgres({ dataDir })).rejects.toThrow(why);
  expect(performance.now() - begun).toBeLessThan(2_000);
  expect((await app(dataDir)).url).toBe(`refused: ${why}`);
  expect(await postmaster(dataDir)).toBe(pid);
  expect(await sql(url, 'select 1')).toEqual([1]);
  await end(child, 'SIGKILL');

  const mine = await start(dataDir);
  await expect(startPostgres({ dataDir })).rejects.toThrow(why);
  expect((await app(dataDir)).url).toBe(`refused: ${why}`);
  await mine.stop();
  await start(dataDir);
});

test('postgres: works in a directory whose path is too long for a socket', async () => {
  const dataDir = join(await directory(), 'd'.repeat(60), 'e'.repeat(60));
  const { url, stop } = await start(dataDir);
  expect(await sql(url, 'select 1')).toEqual([1]);
  const socket = new URL(url).searchParams.get('host') ?? '';
  expect(statSync(socket).mode & 0o777).toBe(0o700);
  await stop();
  expect(existsSync(socket)).toBe(false);

  await mkdir(socket, { mode: 0o755 });
  undo.push(() => rm(socket, { recursive: true, force: true }));
  await expect(startPostgres({ dataDir })).rejects.toThrow('is not a private directory');
});

test('postgres: a server that crashes during a query restarts with all committed data', async () => {
  const dataDir = await usedDirectory();
  const { url, log } = await start(dataDir, true);
  await sql(url, 'create table club as select 7 as members');
  for (let round = 0; round < 2; round++) {
    const busy = sql(url, 'select count(*) from generate_series(1, 1e11::bigint) a').catch(String);
    await sleep(100);
    const died = await postmaster(dataDir);
    process.kill(died, 'SIGKILL');
    const members = await vi.waitFor(() => sql(url, 'select members from club'), {
      timeout: 5_000,
      interval: 50,
    });
    expect(members).toEqual([7]);
    expect(await postmaster(dataDir)).not.toBe(died);
    expect(await busy).toMatch(/error/i);
  }
  expect(log.filter((line) => line.includes('is started again'))).toHaveLength(2);
});

test('postgres: stops while the server is down', async () => {
  const dataDir = await usedDirectory();
  const { stop } = await start(dataDir);
  process.kill(await postmaster(dataDir), 'SIGKILL');
  await stop();
  const again = await start(dataDir);
  expect(await sql(again.url, 'select 1')).toEqual([1]);
});

test('postgres: on Ctrl-C the server runs until the app has drained', async () => {
  const dataDir = await usedDirectory();
  const { child, said, url } = await app(dataDir);
  const pid = await postmaster(dataDir);
  process.kill(-(child.pid ?? Number.NaN), 'SIGINT');
  await sleep(200);
  expect(await sql(url, 'select 1')).toEqual([1]);
  expect(await postmaster(dataDir)).toBe(pid);
  expect(await said()).toBe('drained');
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 3_000 });
});

test('postgres: the server stops when the app exits without stopping it', async () => {
  const dataDir = await usedDirectory();
  const { child } = await app(dataDir);
  const pid = await postmaster(dataDir);
  await end(child, 'SIGTERM');
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 3_000 });
});
