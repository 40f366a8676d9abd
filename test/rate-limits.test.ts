import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { createLog } from '#platform/log.ts';
import { startServer } from '#app/server.ts';
import { livePath } from '#test/authorisation-matrix.ts';
import { openTcpProxy } from '#test/tcp-proxy.ts';
import { rawExchange, parsed } from '#test/wire.ts';
import { isolatedWorld } from '#test/world.ts';

afterEach(() => void vi.useRealTimers());

/** Health checks of a load balancer; each costs at most one statement. */
const exempt = ['GET /healthz', 'HEAD /healthz', 'GET /readyz', 'HEAD /readyz'];

/** Paths without a route of their own: pages, files of the web app and unknown paths. */
const pages = ['/app', '/app/clubs/rowers', '/login', '/no-such-page', '/icon.svg', '/api/no-such-call'];

test('rate limit: requests to every route count towards the limit of their network, and above it they return 429 without a statement [T34]', async () => {
  await using w = await isolatedWorld({ LIMITS_PER_ADDRESS: 'on' });
  await using proxy = await openTcpProxy(w.databaseUrl);
  const ada = await w.person('Ada');
  const routes = new Set(pages.map((path) => `GET ${path}`));
  const server = await startServer({
    config: w.config,
    databaseUrl: proxy.url,
    log: createLog('silent'),
    onRoute: ({ method, url }) => [method].flat().forEach((each) => routes.add(`${each} ${url}`)),
  });
  for (const route of exempt) expect(routes.delete(route)).toBe(true);

  const token = ada.session.read()?.AccessToken.Token;
  const ask = async (route: string) => {
    const [method = '', url = ''] = route.split(' ');
    const response = await fetch(server.origin + url.replaceAll(/:\w+/g, 'x').replace('*', 'no-such-file'), {
      method,
      headers: { authorization: `Bearer ${token}` },
      redirect: 'manual',
    });
    await response.arrayBuffer();
    return response;
  };

  // The clock is frozen, because on a busy machine the requests take longer than the window of one minute.
  vi.useFakeTimers({ toFake: ['Date'] });
  const limit = 1200;
  let served = 0;
  const unlimited = new Set(routes);
  while (unlimited.size > 0 && served <= limit) {
    for (const route of routes) {
      const { status, headers } = await ask(route);
      if (status !== 429) served++;
      else if (unlimited.delete(route)) expect(headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/);
    }
  }
  expect([...unlimited]).toEqual([]);
  expect(served).toBe(limit);

  await expect.poll(() => proxy.count(() => sleep(500)), { timeout: 20_000 }).toBe(0);
  const statements = await proxy.count(async () => {
    for (const route of routes) expect((await ask(route)).status).toBe(429);
    const upgrade = [
      `GET ${livePath}?token=${token} HTTP/1.1`,
      'Host: localhost',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ];
    expect(parsed(await rawExchange(server.origin, `${upgrade.join('\r\n')}\r\n\r\n`)).status).toBe(429);
  });
  expect(statements).toBe(0);
  for (const route of exempt) expect((await ask(route)).status).toBe(200);
  await server.close();
});
