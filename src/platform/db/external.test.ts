import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { databaseAt } from '#test/database.ts';
import { connectExternal, problemOf } from './external.ts';

const usable = { version: '15.18 (Debian 15.18-0+deb12u1)', encoding: 'UTF8', hasIcu: true };

test('external database: refused when it is too old, not in UTF8 or without ICU [OPER-03]', () => {
  expect(problemOf(usable)).toBeUndefined();
  expect(problemOf({ ...usable, version: '18.4' })).toBeUndefined();
  expect(problemOf({ ...usable, version: '14.20' })).toBe(
    'The server at DATABASE_URL runs PostgreSQL 14.20, and Muster needs 15 or newer: upgrade it, or set DATABASE_URL to the address of another one.',
  );
  expect(problemOf({ ...usable, version: '9.6.24' })).toContain('needs 15 or newer');
  expect(problemOf({ ...usable, encoding: 'SQL_ASCII' })).toMatch(
    /has the encoding SQL_ASCII.*encoding 'UTF8'/,
  );
  expect(problemOf({ ...usable, hasIcu: false })).toContain('built without ICU');
});

test('external database: the wait ends after two minutes, not before [OPER-04]', async () => {
  const attempts = vi.fn();
  const server = createServer((socket) => {
    attempts();
    socket.destroy();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = `postgresql://muster@127.0.0.1:${(server.address() as AddressInfo).port}/muster`;
  const lines: string[] = [];
  const clock = performance.now.bind(performance);
  let ahead = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => clock() + ahead);

  const connected = connectExternal(url, { print: (line) => lines.push(line) });
  connected.catch(() => {});
  await vi.waitFor(() => expect(attempts).toHaveBeenCalledTimes(1));
  ahead = 100_000;
  await vi.waitFor(() => expect(attempts).toHaveBeenCalledTimes(3), { timeout: 10_000 });
  ahead = 121_000;
  await expect(connected).rejects.toThrow(/DATABASE_URL does not answer \(Connection terminated/);
  expect(lines).toEqual([expect.stringMatching(/^Waiting for the database: the server at DATABASE_URL/)]);
});

test('external database: a database that does not exist fails without a wait [OPER-04]', async () => {
  const lines: string[] = [];
  const url = databaseAt(inject('databaseServer'), 'missing');
  const connected = connectExternal(url, { print: (line) => lines.push(line) });
  await expect(connected).rejects.toThrow('database "missing" does not exist');
  expect(lines).toEqual([]);
});
