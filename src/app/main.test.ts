import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, expect, inject, test, vi } from 'vitest';
import { nodeWarning } from '#app/node-version.ts';
import { bareEnvironment } from '#test/bare-environment.ts';
import { databaseAt } from '#test/database.ts';
import { directory, end, sql, undo, undoAll, usedDirectory } from '#test/postgres.ts';
import { openTcpProxy } from '#test/tcp-proxy.ts';
import { freePort } from '#e2e/server.ts';

afterEach(undoAll);

/** Starts the app in a process of its own. */
function run(settings: Record<string, string>) {
  const app = spawn(process.execPath, ['src/app/main.ts'], {
    env: { ...bareEnvironment, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  undo.push(() => end(app, 'SIGKILL'));
  const output = { out: '', error: '' };
  app.stdout.on('data', (text) => (output.out += text));
  app.stderr.on('data', (text) => (output.error += text));
  const exited = once(app, 'exit').then(([code]) => code as number);
  return { app, output, exited };
}

const isReady = { timeout: 60_000, interval: 50 };

test('start: the first line names the PostgreSQL of the data directory and its origin [OPER-01] [OPER-05]', async () => {
  const { app, output, exited } = run({ DATA_DIR: await usedDirectory() });
  await vi.waitFor(() => expect(output.out).toContain('Ctrl-C stops it.'), isReady);
  const [first, second] = output.out.split('\n');
  expect(first).toMatch(
    /^PostgreSQL \d+\.\d+( of this system \(\/|, which is bundled with Muster\. It is meant for trying out)/,
  );
  expect(second).toBe(nodeWarning(process.versions.node) ?? '');
  app.kill('SIGINT');
  expect(await exited).toBe(0);
});

test('start: an external database with another encoding is refused with a sentence [OPER-03]', async () => {
  const server = inject('databaseServer');
  const name = `latin_${randomUUID().slice(0, 8)}`;
  await sql(server, `create database ${name} encoding 'LATIN1' locale 'C' template template0`);
  undo.push(() => sql(server, `drop database ${name}`));
  const { output, exited } = run({ DATA_DIR: await directory(), DATABASE_URL: databaseAt(server, name) });
  expect(await exited).toBe(1);
  expect(output).toEqual({
    out: '',
    error: `The database at DATABASE_URL has the encoding LATIN1, and Muster needs UTF8: create another one (create database muster encoding 'UTF8' template template0) and set DATABASE_URL to its address.\n`,
  });
});

test('start: waits for a database that is not reachable yet, then serves [OPER-01] [OPER-04]', async () => {
  const server = inject('databaseServer');
  const name = `late_${randomUUID().slice(0, 8)}`;
  await sql(server, `create database ${name}`);
  undo.push(() => sql(server, `drop database ${name} with (force)`));
  const port = await freePort();
  const url = `postgresql://muster@127.0.0.1:${port}/${name}`;
  const { app, output, exited } = run({ DATA_DIR: await directory(), DATABASE_URL: url });
  await vi.waitFor(() => expect(output.out).toContain('Waiting for the database'), isReady);
  await using _proxy = await openTcpProxy(databaseAt(server, name), undefined, port);
  await vi.waitFor(() => expect(output.out).toContain('Ctrl-C stops it.'), isReady);
  const [waiting, version] = output.out.split('\n');
  expect(waiting).toMatch(/^Waiting for the database: the server at DATABASE_URL does not answer/);
  expect(version).toMatch(/^PostgreSQL \d+\.\d+.* at DATABASE_URL\.$/);
  app.kill('SIGINT');
  expect(await exited).toBe(0);
});

test('start: stops at once when it is told to while it waits for the database [OPER-04]', async () => {
  const url = `postgresql://muster@127.0.0.1:${await freePort()}/muster`;
  const { app, output, exited } = run({ DATA_DIR: await directory(), DATABASE_URL: url });
  await vi.waitFor(() => expect(output.out).toContain('Waiting for the database'), isReady);
  const begun = performance.now();
  app.kill('SIGTERM');
  expect(await exited).toBe(0);
  expect(performance.now() - begun).toBeLessThan(5000);
  expect(output.error).toBe('');
});
