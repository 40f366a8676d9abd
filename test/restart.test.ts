import { closeSync, existsSync, openSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { startPostgres } from '#platform/postgres/supervisor.ts';
import { openLoadBalancer } from '#e2e/load-balancer.ts';
import { startProcess } from '#e2e/server.ts';
import { undoAll, usedDirectory } from '#test/postgres.ts';
import { world } from '#test/world.ts';

afterEach(undoAll);

/** Sends a request every 10 ms over keep-alive connections. The returned function stops and counts the statuses. */
function sendRequests(origin: string) {
  const statuses = new Map<string, number>();
  const requests: Promise<void>[] = [];
  const count = (what: string) => void statuses.set(what, (statuses.get(what) ?? 0) + 1);
  const ask = async (path: string) => {
    const response = await fetch(origin + path);
    await response.arrayBuffer();
    count(String(response.status));
  };
  const timer = setInterval(() => {
    const path = requests.length % 2 ? '/api/v1/auth/refresh?token=x' : '/privacy-policy';
    requests.push(ask(path).catch((error: Error) => count(String(error.cause ?? error))));
  }, 10);
  return async () => {
    clearInterval(timer);
    await Promise.all(requests);
    return Object.fromEntries(statuses);
  };
}

/** Polls the readiness of the processes, as a load balancer does, and forwards to those that are ready. */
function pollReadiness(
  loadBalancer: Awaited<ReturnType<typeof openLoadBalancer>>,
  processes: { origin: string }[],
) {
  const poll = async () => {
    const ready = await Promise.all(
      processes.map(({ origin }) =>
        fetch(`${origin}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    );
    loadBalancer.forwardTo(...processes.filter((_, at) => ready[at]).map(({ origin }) => origin));
  };
  const timer = setInterval(poll, 500);
  return { poll, stop: () => clearInterval(timer) };
}

/** Two processes on one database. */
async function startPair(undo: AsyncDisposableStack) {
  const dataDir = await usedDirectory();
  const postgres = await startPostgres({ dataDir, durable: false });
  undo.defer(postgres.stop);
  const settings = { DATA_DIR: dataDir, DATABASE_URL: postgres.url };
  const [first, second] = [await startProcess(settings), await startProcess(settings)];
  undo.defer(async () => void (await second.end('SIGKILL')));
  return [first, second] as const;
}

test('crash: no request to one of two processes fails when the other one is killed under load', async () => {
  await using undo = new AsyncDisposableStack();
  const [first, second] = await startPair(undo);
  const [finishFirst, finishSecond] = [sendRequests(first.origin), sendRequests(second.origin)];
  await sleep(1000);
  await first.end('SIGKILL');
  await sleep(1000);
  const [atFirst, atSecond] = [await finishFirst(), await finishSecond()];
  expect(Object.keys(atFirst)).not.toEqual(['200', '401']);
  expect(Object.keys(atSecond).toSorted()).toEqual(['200', '401']);
  expect(atSecond['200']).toBeGreaterThan(50);
});

test('shutdown: no request fails when one of two processes stops under load', async () => {
  await using undo = new AsyncDisposableStack();
  const [first, second] = await startPair(undo);
  const loadBalancer = await openLoadBalancer();
  undo.defer(() => loadBalancer.close());
  const readiness = pollReadiness(loadBalancer, [first, second]);
  undo.defer(() => readiness.stop());
  await readiness.poll();

  const finish = sendRequests(loadBalancer.origin);
  await sleep(1000);
  const started = Date.now();
  await first.end('SIGTERM');
  expect(Date.now() - started).toBeGreaterThan(3000);
  expect(Date.now() - started).toBeLessThan(10_000);
  await sleep(1000);
  const statuses = await finish();
  expect(Object.keys(statuses).toSorted()).toEqual(['200', '401']);
  expect(statuses['200']).toBeGreaterThan(50);
});

test('shutdown: exits with 0 after one signal, at once after a second one, and ignores duplicates within a second', async () => {
  const dataDir = await usedDirectory();
  const first = await startProcess({ DATA_DIR: dataDir });
  const stopping = first.end('SIGTERM');
  await sleep(200);
  const ready = await fetch(`${first.origin}/readyz`);
  expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close']);
  expect((await fetch(`${first.origin}/healthz`)).status).toBe(200);
  void first.end('SIGTERM');
  expect(await stopping).toBe(0);

  const second = await startProcess({ DATA_DIR: dataDir });
  const started = Date.now();
  void second.end('SIGTERM');
  await sleep(1200);
  expect(await second.end('SIGTERM')).toBe(1);
  expect(Date.now() - started).toBeLessThan(2500);
});

test('compile cache: is on disk for the next start even when the process is killed', async () => {
  await using undo = new AsyncDisposableStack();
  await using w = await world();
  const dataDir = await usedDirectory();
  // The processes of other tests share a cache, which this process must not use.
  const settings = { DATA_DIR: dataDir, DATABASE_URL: w.databaseUrl, NODE_COMPILE_CACHE: '' };
  const { end } = await startProcess(settings);
  undo.defer(async () => void (await end('SIGKILL')));
  const compiled = () => readdir(join(dataDir, 'compiled'), { recursive: true }).catch(() => []);
  await expect.poll(async () => (await compiled()).length, { timeout: 20_000 }).toBeGreaterThan(200);
});

test.skipIf(!existsSync('/dev/full'))(
  'log: a full disk neither ends the process nor delays the shutdown',
  async () => {
    await using undo = new AsyncDisposableStack();
    await using w = await world();
    const full = openSync('/dev/full', 'w');
    undo.defer(() => closeSync(full));
    const settings = { DATA_DIR: w.config.dataDir, DATABASE_URL: w.databaseUrl, LOG_LEVEL: 'info' };
    const { origin, end } = await startProcess(settings, undefined, full);
    for (let line = 0; line < 3; line++) expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    expect(await end('SIGINT')).toBe(0);
  },
);
