import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { run, sql } from '#platform/db/client.ts';
import { createLog } from '#platform/log.ts';
import { startPostgres } from '#platform/postgres/supervisor.ts';
import { prepareDatabase, startServer } from '#app/server.ts';
import { send } from '#test/calls.ts';
import { openTcpProxy } from '#test/tcp-proxy.ts';
import { undoAll, usedDirectory } from '#test/postgres.ts';
import { expectError } from '#test/wire.ts';
import { asInProduction, emailIn, isolatedWorld, world } from '#test/world.ts';

afterEach(undoAll);

const ask = async (address: string, init: RequestInit = {}) => {
  const { status, headers, ...rest } = await fetch(address, init).then(async (response) => ({
    status: response.status,
    headers: response.headers,
    text: await response.text(),
  }));
  return { status, headers, ...rest };
};

test('health: /healthz and /readyz report the status, /healthz also the version, and nothing else [OPER-16]', async () => {
  await using w = await world();
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  for (const [path, text] of [
    ['/healthz', `{"status":"ok","version":"${version}"}`],
    ['/readyz', '{"status":"ok"}'],
  ]) {
    const response = await ask(w.origin + path);
    expect([response.status, response.text]).toEqual([200, text]);
  }
  await run(w.db, sql`delete from schema_migrations`);
  const behind = await ask(`${w.origin}/readyz`);
  expect(behind.status).toBe(503);
  expectError(behind);
  expect(behind.text).toContain('The newest migration is not applied.');
  expect((await ask(`${w.origin}/healthz`)).status).toBe(200);
});

test('shutdown: completes requests in flight, reports not ready, and accepts no new connections', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const club = await w.club([ada]);
  const { config, databaseUrl } = w;
  const server = await startServer({ config, databaseUrl, log: createLog('silent') });
  const other = new pg.Client({ connectionString: databaseUrl });
  await other.connect();
  await other.query('begin');
  await other.query('select * from clubs for update');

  const { hostname, port } = new URL(server.origin);
  const socket = connect(Number(port), hostname);
  let written = '';
  socket.setEncoding('utf8').on('data', (text: string) => (written += text));
  const gone = new Promise((done) => socket.once('close', done));
  const bearer = `Authorization: Bearer ${ada.session.read()?.AccessToken.Token}`;
  const body = '{"club_name": "Renamed"}';
  socket.write(
    `PATCH /api/v1/clubs/${club.id} HTTP/1.1\r\nHost: localhost\r\n${bearer}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await sleep(300);
  const started = Date.now();
  const stopped = server.close();
  socket.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await sleep(300);
  await expect(fetch(`${server.origin}/healthz`)).rejects.toThrow();
  expect(written).toBe('');
  await other.query('commit');
  await other.end();
  await stopped;
  await gone;

  const [response = '', ready = ''] = written.split(/(?=HTTP\/1\.1)/);
  expect(response).toMatch(/^HTTP\/1\.1 200 /);
  expect(ready).toMatch(/^HTTP\/1\.1 503 /);
  expect(ready).toContain('"error":"unavailable"');
  expect(Date.now() - started).toBeLessThan(5000);
  expect((await ada.api.clubs.get({ club: club.id })).club_name).toBe('Renamed');
});

test('database down: 503 with retry-after, and recovery when it is back', async () => {
  await using w = await world();
  const dataDir = await usedDirectory();
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const postgres = await startPostgres({ dataDir, durable: false });
  await prepareDatabase(postgres.url, log);
  const server = await startServer({ config: { ...w.config, dataDir }, databaseUrl: postgres.url, log });
  const login = () => ask(`${server.origin}/api/v1/auth/login?email=ada@example.org`);
  expect((await login()).status).toBe(200);
  await postgres.stop();

  const calls = [
    '/api/v1/auth/login?email=ada@example.org',
    '/api/v1/users',
    '/api/v1/auth/refresh?token=x',
    '/readyz',
  ];
  for (const path of [...calls, ...calls]) {
    const started = Date.now();
    const response = await ask(server.origin + path);
    expect({ path, status: response.status }).toEqual({ path, status: 503 });
    expect(response.headers.get('retry-after')).toBe('1');
    expectError(response);
    expect(Date.now() - started).toBeLessThan(3000);
  }
  expect((await ask(`${server.origin}/healthz`)).status).toBe(200);

  const again = await startPostgres({ dataDir, durable: false });
  expect(again.url).toBe(postgres.url);
  expect((await ask(`${server.origin}/readyz`)).status).toBe(200);
  expect((await login()).status).toBe(200);
  await ask(`${server.origin}/api/v1/auth/login?email=bob@example.org`);
  // The database may have no record of an email sent just before it stopped. The email is then sent again with the same
  // file name.
  const emails = [await emailIn(dataDir, 'ada@example.org'), await emailIn(dataDir, 'bob@example.org')];
  expect(emails.map((mail) => mail.subject)).toEqual([expect.any(String), expect.any(String)]);
  expect(lines.join('')).not.toContain('example.org');
  expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  await server.close();
  await again.stop();
});

test('database unresponsive: 503 within two seconds for a hundred concurrent requests', async () => {
  asInProduction();
  await using w = await world();
  const ada = await w.person('Ada');
  await using proxy = await openTcpProxy(w.databaseUrl);
  const server = await startServer({ config: w.config, databaseUrl: proxy.url, log: createLog('silent') });
  const headers = { authorization: `Bearer ${ada.session.read()?.AccessToken.Token}` };
  const me = () => ask(`${server.origin}/api/v1/users`, { headers });
  /** The longest duration of a hundred concurrent requests. The caller subtracts the baseline of the machine. */
  const longest = async (check: (response: Awaited<ReturnType<typeof ask>>) => void) => {
    const waits = Array.from({ length: 100 }, async (_, turn) => {
      const started = performance.now();
      check(await (turn % 10 === 0 ? ask(`${server.origin}/readyz`) : me()));
      return performance.now() - started;
    });
    return Math.max(...(await Promise.all(waits)));
  };
  const usual = await longest(({ status }) => expect(status).toBe(200));
  const speak = proxy.fallSilent();
  const silent = await longest((response) => {
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expectError(response);
  });
  expect(silent - usual).toBeLessThan(2500);
  expect((await ask(`${server.origin}/healthz`)).status).toBe(200);
  speak();
  expect((await me()).status).toBe(200);
  await server.close();
});

test('locked table: 503 within two seconds for requests that need it, while all others work', async () => {
  asInProduction();
  await using w = await isolatedWorld();
  const ada = await w.person('Ada');
  const club = await w.club([ada]);
  /** The statuses and the longest wait of a hundred concurrent reads and writes. */
  const outcome = async () => {
    const started = performance.now();
    const waits = Array.from({ length: 100 }, async (_, turn) => {
      const isWrite = turn % 10 === 0;
      const line = `${isWrite ? 'PATCH' : 'GET'} /v1/clubs/${club.id}`;
      const body = isWrite ? { club_description: `Change ${turn}` } : undefined;
      const { status, headers } = await send(w, ada, line, body);
      return { status, retryAfter: headers.get('retry-after'), took: performance.now() - started };
    });
    const responses = await Promise.all(waits);
    const kinds = new Set(responses.map(({ status, retryAfter }) => `${status} ${retryAfter}`));
    return { kinds: [...kinds], longest: Math.max(...responses.map(({ took }) => took)) };
  };
  const usual = await outcome();
  expect(usual.kinds).toEqual(['200 null']);
  const other = new pg.Client({ connectionString: w.databaseUrl });
  await other.connect();
  await other.query('begin; lock table clubs in access exclusive mode');
  const locked = outcome();
  const started = performance.now();
  for (const path of ['/healthz', '/privacy-policy']) expect((await ask(w.origin + path)).status).toBe(200);
  expect(performance.now() - started - usual.longest).toBeLessThan(1500);
  const { kinds, longest } = await locked;
  expect(kinds).toEqual(['503 1']);
  expect(longest - usual.longest).toBeLessThan(2500);
  await other.query('rollback');
  await other.end();
  expect((await outcome()).kinds).toEqual(['200 null']);
});
