import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { all, sql } from '#platform/db/client.ts';
import { createLog } from '#platform/log.ts';
import { addSeconds } from '#wire/instant.ts';
import { prepareDatabase } from '#app/server.ts';
import { ask } from '#test/ask.ts';
import { livePath } from '#test/authorisation-matrix.ts';
import { killPostmaster, openCluster } from '#test/cluster.ts';
import { openTcpProxy } from '#test/tcp-proxy.ts';
import { asInProduction, isolatedWorld, type Person } from '#test/world.ts';

const tokenOf = (person: Person) => person.session.read()?.AccessToken.Token ?? '';

test('failover: after the primary is killed, requests, websockets and jobs continue on the promoted standby', async () => {
  await using primary = await openCluster();
  const standby = await primary.openStandby();
  let leader = primary.url;
  await using address = await openTcpProxy(primary.url, () => leader);
  const databaseUrl = address.url;
  await prepareDatabase(databaseUrl, createLog('silent'));
  await using w = await isolatedWorld({}, undefined, databaseUrl);
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  const club = await w.club([ada, bob]);
  const socket = new WebSocket(`${w.origin.replace('http', 'ws')}${livePath}?token=${tokenOf(bob)}`);
  let received = 0;
  socket.on('message', () => received++);
  await once(socket, 'open');

  asInProduction();
  const acknowledged: string[] = [];
  const others = new Set<string>();
  const stopping = new AbortController();
  const [start_time, end_time] = [addSeconds(w.now(), 86_400), addSeconds(w.now(), 90_000)];
  const request = async (line: { method: 'GET' | 'POST'; path: string }, input: Record<string, unknown>) => {
    const { status, headers } = await ask(w.origin, line, { club: club.id, ...input }, tokenOf(ada));
    if (status !== 200) others.add(`${status} ${headers.get('retry-after')}`);
    return status;
  };
  async function write(): Promise<void> {
    const name = `Run ${acknowledged.length}`;
    const event = { name, location_name: 'Pier 3', start_time, end_time };
    if ((await request({ method: 'POST', path: '/v1/clubs/:club/events' }, event)) === 200)
      acknowledged.push(name);
  }
  const load = [write, () => request({ method: 'GET', path: '/v1/clubs/:club' }, {})].map(async (send) => {
    for (; !stopping.signal.aborted; await sleep(20)) await send();
  });
  await expect.poll(() => acknowledged.length).toBeGreaterThan(5);
  await killPostmaster(primary.data);
  await expect.poll(() => others.size).toBeGreaterThan(0);
  const before = acknowledged.length;
  await standby.control('promote');
  leader = standby.url;
  await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 5);
  stopping.abort();
  await Promise.all(load);

  expect([...others]).toEqual(['503 1']);
  const events = await all(w.db, sql<{ name: string }>`select name from events`);
  expect(events.map(({ name }) => name)).toEqual(expect.arrayContaining(acknowledged));
  const sent = sql`select from notices where user_id = ${bob.id}`;
  await expect.poll(async () => received - (await all(w.db, sent)).length).toBe(0);
  expect(received).toBeGreaterThanOrEqual(acknowledged.length);
  const listening = sql`select from pg_stat_activity where application_name = 'muster live'`;
  await expect.poll(async () => (await all(w.db, listening)).length).toBe(2);
  expect((await w.person('Carol')).email).toMatch(/^carol/);
  socket.terminate();
});
