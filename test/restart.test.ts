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

/** Asks every ten milliseconds, by connections that are kept, until told to stop; answers what came back. */
function visitors(origin: string) {
  const statuses = new Map<string, number>();
  const asked: Promise<void>[] = [];
  const note = (what: string) => void statuses.set(what, (statuses.get(what) ?? 0) + 1);
  const ask = async (path: string) => {
    const answer = await fetch(origin + path);
    await answer.arrayBuffer();
    note(String(answer.status));
  };
  const timer = setInterval(() => {
    const path = asked.length % 2 ? '/api/v1/auth/refresh?token=x' : '/privacy-policy';
    asked.push(ask(path).catch((error: Error) => note(String(error.cause ?? error))));
  }, 10);
  return async () => {
    clearInterval(timer);
    await Promise.all(asked);
    return Object.fromEntries(statuses);
  };
}

/** Leads to whoever says that it is ready, as a balancer does. */
function balance(door: Awaited<ReturnType<typeof openLoadBalancer>>, processes: { origin: string }[]) {
  const look = async () => {
    const ready = await Promise.all(
      processes.map(({ origin }) =>
        fetch(`${origin}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    );
    door.leadsTo(...processes.filter((_, at) => ready[at]).map(({ origin }) => origin));
  };
  const timer = setInterval(look, 500);
  return { look, stop: () => clearInterval(timer) };
}

test('when one of two processes is told to stop under load, no request fails', async () => {
  await using undo = new AsyncDisposableStack();
  const dataDir = await usedDirectory();
  const postgres = await startPostgres({ dataDir, durable: false });
  undo.defer(postgres.stop);
  const settings = { DATA_DIR: dataDir, DATABASE_URL: postgres.url };
  const [first, second] = [await startProcess(settings), await startProcess(settings)];
  undo.defer(async () => void (await second.end('SIGKILL')));
  const door = await openLoadBalancer();
  undo.defer(() => door.close());
  const balancer = balance(door, [first, second]);
  undo.defer(() => balancer.stop());
  await balancer.look();

  const finish = visitors(door.origin);
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

test('told to stop it exits with 0, told so again at once, and it ignores what comes twice in one moment', async () => {
  const dataDir = await usedDirectory();
  const calm = await startProcess({ DATA_DIR: dataDir });
  const stopping = calm.end('SIGTERM');
  await sleep(200);
  const ready = await fetch(`${calm.origin}/readyz`);
  expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close']);
  expect((await fetch(`${calm.origin}/healthz`)).status).toBe(200);
  void calm.end('SIGTERM');
  expect(await stopping).toBe(0);

  const hurried = await startProcess({ DATA_DIR: dataDir });
  const started = Date.now();
  void hurried.end('SIGTERM');
  await sleep(1200);
  expect(await hurried.end('SIGTERM')).toBe(1);
  expect(Date.now() - started).toBeLessThan(2500);
});

test('what a start has compiled is there for the next one, whatever ends the process', async () => {
  await using undo = new AsyncDisposableStack();
  await using w = await world();
  const dataDir = await usedDirectory();
  const { end } = await startProcess({ DATA_DIR: dataDir, DATABASE_URL: w.databaseUrl });
  undo.defer(async () => void (await end('SIGKILL')));
  const compiled = () => readdir(join(dataDir, 'compiled'), { recursive: true }).catch(() => []);
  await expect.poll(async () => (await compiled()).length, { timeout: 20_000 }).toBeGreaterThan(200);
});

test.skipIf(!existsSync('/dev/full'))(
  'a log for which there is no room ends nothing, and holds up no stop',
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
