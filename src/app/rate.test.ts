import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { all, sql } from '#platform/db/client.ts';
import { createLog } from '#platform/log.ts';
import { startServer } from '#app/server.ts';
import { openTcpProxy } from '#test/tcp-proxy.ts';
import { send } from '#test/calls.ts';
import { isolatedWorld, type Person, type World } from '#test/world.ts';

/** Sends `count` requests, `atOnce` at a time, and returns their statuses. */
async function statuses(there: World, who: Person, count: number, atOnce = 20): Promise<number[]> {
  const results: number[] = [];
  while (results.length < count) {
    const size = Math.min(atOnce, count - results.length);
    const some = Array.from({ length: size }, async () => (await send(there, who, 'GET /v1/users')).status);
    results.push(...(await Promise.all(some)));
  }
  return results;
}
const served = (results: number[]) => results.filter((status) => status === 200).length;

/** Moves the clock of a world to the start of the next minute. */
const toNextMinute = (there: World) => there.later(`${60 - new Date(there.now()).getUTCSeconds()} seconds`);

test('rate limit: three hundred requests per user and minute; other users are not affected', async () => {
  await using mine = await isolatedWorld({ REQUESTS_PER_MINUTE: '' });
  const [ada, bob] = [await mine.person('Ada'), await mine.person('Bob')];
  toNextMinute(mine);
  expect(new Set(await statuses(mine, ada, 300))).toEqual(new Set([200]));
  const refused = await send(mine, ada, 'GET /v1/users');
  expect([refused.status, refused.error]).toEqual([429, 'too_often']);
  expect(refused.headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/);
  expect((await send(mine, ada, 'POST /v1/clubs', { club_name: 'x' })).status).toBe(429);
  expect((await send(mine, bob, 'GET /v1/users')).status).toBe(200);
  expect((await send(mine, ada, 'GET /v1/auth/login', { email: bob.email })).status).toBe(200);
  mine.later('1 minute');
  expect((await send(mine, ada, 'GET /v1/users')).status).toBe(200);
});

test('rate limit: two processes together exceed the limit only slightly', async () => {
  await using mine = await isolatedWorld({ REQUESTS_PER_MINUTE: '100' });
  const { config, databaseUrl, clockOffset } = mine;
  const ada = await mine.person('Ada');
  const other = await startServer({ config, databaseUrl, log: createLog('silent'), clockOffset });
  const there = { ...mine, origin: other.origin };
  toNextMinute(mine);
  const both = await Promise.all([statuses(mine, ada, 90, 1), statuses(there, ada, 90, 1)]);
  await other.close();
  const results = served(both.flat());
  // The two requests that created Ada count too.
  expect(results).toBeGreaterThanOrEqual(98);
  expect(results).toBeLessThanOrEqual(100 + 10);
});

test('rate limit: no extra statement for few requests, and one per thirty requests for many', async () => {
  await using mine = await isolatedWorld({ REQUESTS_PER_MINUTE: '' });
  await using proxy = await openTcpProxy(mine.databaseUrl);
  const { config, clockOffset } = mine;
  const ada = await mine.person('Ada');
  const server = await startServer({
    config,
    databaseUrl: proxy.url,
    log: createLog('silent'),
    clockOffset,
  });
  const there = { ...mine, origin: server.origin };
  await statuses(there, ada, 1);
  await expect.poll(() => proxy.count(() => sleep(700)), { timeout: 20_000 }).toBe(0);
  toNextMinute(mine);
  await statuses(there, ada, 1);
  // Sequential, because concurrent requests share their look-ups.
  const oneByOne = async (count: number) => {
    for (let sent = 0; sent < count; sent++) await statuses(there, ada, 1);
  };
  const few = await proxy.count(() => oneByOne(20));
  const many = await proxy.count(() => oneByOne(60));
  await server.close();
  expect({ few, many }).toEqual({ few: 40, many: 120 + 2 });
  expect(await all(mine.db, sql`select taken from rate_limits where key like 'requests:%'`)).toEqual([
    { taken: 60 },
  ]);
});
