import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { startPostgres } from '#platform/postgres/supervisor.ts';
import { bell, connected, rows } from '#e2e/bell.ts';
import { openLoadBalancer } from '#e2e/load-balancer.ts';
import { expect, test as base, type ClubHandle } from '#e2e/people.ts';
import { startProcess } from '#e2e/server.ts';
import { scratch } from '#test/scratch-directory.ts';

type Process = Awaited<ReturnType<typeof startProcess>>;
type LoadBalancer = Awaited<ReturnType<typeof openLoadBalancer>>;

/** Two processes of the app on one database and data directory, behind a load balancer. */
const test = base.extend<{ pair: { loadBalancer: LoadBalancer; processes: [Process, Process] } }>({
  pair: [
    async ({}, use) => {
      const before = { ...process.env };
      const dataDir = await mkdtemp(join(scratch, 'muster-e2e-'));
      const [postgres, loadBalancer] = [
        await startPostgres({ dataDir, durable: false }),
        await openLoadBalancer(),
      ];
      const settings = { DATA_DIR: dataDir, DATABASE_URL: postgres.url, PUBLIC_URL: loadBalancer.origin };
      const processes = await Promise.all([startProcess(settings), startProcess(settings)]);
      loadBalancer.forwardTo(processes[0].origin);
      Object.assign(process.env, { E2E_ORIGIN: loadBalancer.origin, E2E_DATA_DIR: dataDir });
      await use({ loadBalancer, processes });
      Object.assign(process.env, before);
      loadBalancer.close();
      for (const { end } of processes) await end('SIGKILL');
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
    { timeout: 60_000 },
  ],
});

/** Waits until the bell shows this count, and returns the time of that. */
async function untilCount(page: Page, count: string): Promise<number> {
  const button = await bell(page).elementHandle();
  const counted = await page.waitForFunction(
    ([element, text]) => element?.textContent === text && Date.now(),
    [button, count] as const,
  );
  return Number(await counted.jsonValue());
}

/** Records in the page when it opens a websocket and when one closes. */
const recordConnections = (page: Page) =>
  page.addInitScript(() => {
    window.WebSocket = class extends WebSocket {
      constructor(url: string | URL) {
        super(url);
        performance.mark('opening');
        this.addEventListener('close', () => performance.mark('ended'));
      }
    };
  });

const recorded = (page: Page, what: 'opening' | 'ended') =>
  page.evaluate((name) => performance.getEntriesByName(name).map(({ startTime }) => startTime), what);

test('two processes: a notification reaches a client of the other process within a second, and a client of a killed process reconnects after five seconds and misses no notification [WS-07 BELL-01]', async ({
  pair: { loadBalancer, processes },
  person,
  club,
}) => {
  const [first, second] = processes;
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const names = ['Harbour Rowers', 'Pier Walkers', 'Tide Swimmers', 'Night Sailors'];
  const clubs = [];
  for (const name of names) clubs.push(await club([ada, bob], name));
  const [rowers, ...others] = clubs as [ClubHandle, ...ClubHandle[]];

  loadBalancer.forwardTo(second.origin);
  await recordConnections(bob.page);
  await connected(bob.page);
  loadBalancer.forwardTo(first.origin);
  const counted = untilCount(bob.page, '1');
  await ada.api.updates.publish({ club: rowers.slug, content: 'We row at six.' });
  const published = Date.now();
  expect((await counted) - published).toBeLessThan(1_000);

  // The load balancer cannot tell which process is dead.
  loadBalancer.forwardTo(second.origin, first.origin);
  await second.end('SIGKILL');
  for (const { slug } of others) await ada.api.updates.publish({ club: slug, content: 'Tonight!' });
  expect(await recorded(bob.page, 'opening')).toHaveLength(1);
  await expect(bell(bob.page)).toHaveText('4', { timeout: 10_000 });
  await expect(bob.page.getByText(/in Night Sailors/)).toHaveCount(0);
  const [ended = 0] = await recorded(bob.page, 'ended');
  const [, reopening = 0] = await recorded(bob.page, 'opening');
  expect(reopening - ended).toBeGreaterThanOrEqual(4_999);
  expect(reopening - ended).toBeLessThan(6_500);
  await bell(bob.page).click();
  await expect(rows(bob.page)).toHaveText(names.toReversed().map((name) => new RegExp(name)));
});
