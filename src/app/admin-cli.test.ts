import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { startPostgres } from '#platform/postgres/supervisor.ts';
import { bareEnvironment } from '#test/bare-environment.ts';
import { databaseAt, template } from '#test/database.ts';
import { directory, isRunning, postmaster, sql, undo, undoAll, usedDirectory } from '#test/postgres.ts';

afterEach(undoAll);

const root = join(import.meta.dirname, '../..');
const email = 'ada@example.org';

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program and answers its questions with `input`. */
async function exec(file: string, args: string[], env: Record<string, string>, input = ''): Promise<Ran> {
  const running = promisify(execFile)(file, args, { cwd: root, env: { ...bareEnvironment, ...env } });
  // A program that asks nothing may end before it has read its input.
  running.child.stdin?.on('error', () => {}).end(input);
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: Ran) => error,
  );
}

const admin = (env: Record<string, string>, args: string[], input?: string) =>
  exec(process.execPath, ['src/app/admin.ts', ...args], env, input);

const addUser = (url: string, address = email) =>
  sql(
    url,
    `insert into users (id, email, calendar_secret, created_at) values (gen_random_uuid(), '${address}', md5('${address}'), now())`,
  );
const addClub = (url: string) =>
  sql(
    url,
    `insert into clubs (id, slug, club_name, created_at) values (gen_random_uuid(), 'rowers', 'Rowers', now())`,
  );

/** An external database, as `DATABASE_URL` names it. */
async function externalDatabase(): Promise<string> {
  const name = `admin_${randomUUID().replaceAll('-', '')}`;
  const server = inject('databaseServer');
  await sql(server, `create database ${name} template ${template}`);
  undo.push(() => sql(server, `drop database ${name} with (force)`));
  return databaseAt(server, name);
}

/** Reads, changes, and asks before it deletes. */
async function useCommands(env: Record<string, string>): Promise<void> {
  expect(await admin(env, ['grant', email, 'rowers', 'admin'])).toMatchObject({
    code: 0,
    stdout: `${email} is an admin of rowers.\n`,
  });
  const { stdout } = await admin(env, ['club', 'rowers', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ members: 1, team: [{ email, role: 'admin' }] });
  for (const input of ['', 'no\n'])
    expect(await admin(env, ['delete', email], input)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /Delete ada@example\.org for good \(rowers is deleted too\)\?.*Nothing was changed/s,
      ) as string,
    });
  expect(await admin(env, ['delete', email], 'yes\n')).toMatchObject({
    code: 0,
    stdout: `${email} is deleted.\n`,
  });
  expect(await admin(env, ['user', email])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `There is no account with the email ${email}.\n`,
  });
}

describe('npm run admin', () => {
  test('works with the bundled database while the app runs, and leaves the database running [OPER-10]', async () => {
    const DATA_DIR = await usedDirectory();
    const { url, stop } = await startPostgres({ dataDir: DATA_DIR, durable: false });
    undo.push(stop);
    await addUser(url);
    await addClub(url);
    await useCommands({ DATA_DIR });
    expect(await sql(url, 'select count(*)::int from users')).toEqual([0]);
  });

  test('starts the bundled database while the app does not run, and stops it again [OPER-10]', async () => {
    const DATA_DIR = await usedDirectory();
    const before = await startPostgres({ dataDir: DATA_DIR, durable: false });
    await addUser(before.url);
    await addClub(before.url);
    const pid = await postmaster(DATA_DIR);
    await before.stop();
    await useCommands({ DATA_DIR });
    await expect(postmaster(DATA_DIR)).rejects.toThrow('ENOENT');
    expect(isRunning(pid)).toBe(false);
  });

  test('works with an external database, and exits with 1 for an unknown account or club [OPER-08 OPER-10]', async () => {
    const DATABASE_URL = await externalDatabase();
    await addUser(DATABASE_URL);
    await addClub(DATABASE_URL);
    const env = { DATABASE_URL, DATA_DIR: await directory() };
    for (const args of [
      ['nobody@example.org', 'rowers'],
      [email, 'nothing'],
    ])
      expect(await admin(env, ['grant', ...args, 'admin'])).toMatchObject({ code: 1, stdout: '' });
    await useCommands(env);
  });

  test('without a database says so, and creates none [OPER-10]', async () => {
    const DATA_DIR = await directory();
    expect(await admin({ DATA_DIR }, ['users'])).toMatchObject({
      code: 1,
      stderr: `There is no Muster in ${DATA_DIR}.\n`,
    });
  });

  test('check exits with 1 if a check fails [OPER-11]', async () => {
    const env = { DATABASE_URL: await externalDatabase(), DATA_DIR: await directory(), PORT: '9' };
    expect(await admin(env, ['check'])).toMatchObject({ code: 0 });
    expect(await admin({ ...env, SMTP_URL: 'smtp://127.0.0.1:9' }, ['check'])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^mail +failed +.*ECONNREFUSED/m) as string,
    });
  });

  test('sql opens psql on the database, or says how to connect if there is none [OPER-10]', async () => {
    const url = new URL(await externalDatabase());
    const env = { DATABASE_URL: url.href, DATA_DIR: await directory() };
    // A psql that shows how it was called.
    const bin = await directory();
    await symlink('/bin/echo', join(bin, 'psql'));
    const opened = await admin({ ...env, PATH: bin }, ['sql']);
    url.password = '';
    expect(opened).toMatchObject({ code: 0, stdout: `${url.href}\n` });
    expect(await admin({ ...env, PATH: await directory() }, ['sql'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`There is no psql on this machine.`) as string,
    });
    expect((await admin({ ...env, PATH: await directory() }, ['sql'])).stdout).toContain(url.href);
  });

  test('is `muster admin` in the image [OPER-10]', async () => {
    const env = { DATABASE_URL: await externalDatabase(), DATA_DIR: await directory(), MUSTER_ROOT: root };
    expect(await exec('scripts/muster', ['admin', 'users'], env)).toMatchObject({
      code: 0,
      stdout: 'none\n',
    });
    expect(await exec('scripts/muster', ['start'], env)).toMatchObject({ code: 1 });
    expect(await readFile(join(root, 'Dockerfile'), 'utf8')).toContain(
      '/app/scripts/muster /usr/local/bin/muster',
    );
  });
});

/** The commands of the section on breaches, in order. */
async function runbook(): Promise<string[][]> {
  const operations = await readFile(join(root, 'docs/operations.md'), 'utf8');
  const [, section = ''] = operations.split('\n## Breach\n');
  return [...section.matchAll(/^ *npm run (?:--silent )?admin -- ([^#\n]+)/gm)].map(([, line = '']) =>
    line.trim().split(/\s+/),
  );
}

test('breach: the commands of the runbook work, from top to bottom [OPER-10]', async () => {
  const DATABASE_URL = await externalDatabase();
  const env = { DATABASE_URL, DATA_DIR: await directory(), PORT: '9' };
  await addUser(DATABASE_URL);
  await addUser(DATABASE_URL, 'bob@example.org');
  await addClub(DATABASE_URL);
  await sql(
    DATABASE_URL,
    `insert into sessions (id, user_id, access_hash, access_ends_at, refresh_hash, created_at, used_at, ends_at)
     select id, id, email::bytea, now(), '', now(), now(), now() + interval '1 day' from users`,
  );
  const secrets = () => sql(DATABASE_URL, 'select calendar_secret from users order by email');
  const before = await secrets();
  const lines = await runbook();
  expect(lines.length).toBeGreaterThan(8);
  for (const line of lines) expect(await admin(env, line), line.join(' ')).toMatchObject({ code: 0 });
  expect(await sql(DATABASE_URL, 'select count(*)::int from sessions')).toEqual([0]);
  expect(await sql(DATABASE_URL, 'select email from users where disabled_at is not null')).toEqual([]);
  const after = await secrets();
  expect(after.filter((secret) => before.includes(secret))).toEqual([]);
});
