import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, test, vi } from 'vitest';
import { enqueue } from '#platform/jobs/queue.ts';
import { isolatedWorld } from '#test/world.ts';

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}

const sample = (text: string, series: string): number =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length + 1),
  );

test('metrics: cover requests, jobs and the process, without personal data', async () => {
  const port = await freePort();
  await using w = await isolatedWorld({ METRICS_PORT: String(port) });
  const club_page = 'route="/api/v1/clubs/:club",method="GET"';
  const scrape = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    return response.text();
  };
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  const club = await w.club([ada, bob]);
  await ada.api.clubs.get({ club: club.id });
  await expect(bob.api.invites.create({ club_id: club.id })).rejects.toThrow();
  await fetch(`${w.origin}/api/v1/clubs/x?token=secret`);
  await enqueue(w.db, 'nobody_does_this', {}, { delaySeconds: 3600 });
  await enqueue(w.db, 'send_email', { id: 'x', to: 'ada@example.org' });
  const counts = `muster_http_requests_total{${club_page},status="401"}`;
  const failures = 'muster_job_failures_total{task="send_email"}';
  // Responses are counted after sending, failures appear in the queue with a delay, and the queue also contains the
  // jobs of the process start until they are done. A scrape reads its counters before it queries the queue, so a
  // failure in between is missing from the counter of that scrape.
  const text = await vi.waitFor(async () => {
    const scraped = await scrape();
    const awaited = [counts, failures, 'muster_jobs_retrying', 'muster_jobs_waiting'];
    expect(awaited.map((series) => sample(scraped, series))).toEqual([1, 1, 1, 2]);
    return scraped;
  }, 10_000);

  const read = (series: string) => sample(text, series);
  expect(read(`muster_http_requests_total{${club_page},status="200"}`)).toBe(1);
  expect(read(`muster_http_request_seconds_count{${club_page}}`)).toBe(2);
  expect(read(`muster_http_request_seconds_bucket{${club_page},le="+Inf"}`)).toBe(2);
  expect(read(`muster_http_request_seconds_bucket{${club_page},le="10"}`)).toBe(2);
  expect(read(`muster_http_request_seconds_sum{${club_page}}`)).toBeGreaterThan(0);
  expect(read('muster_jobs_dead')).toBe(0);
  expect(read('muster_sockets_open')).toBeGreaterThan(0);
  expect(read('muster_sockets_live')).toBe(0);
  expect(read('muster_event_loop_lag_seconds_p99')).toBeLessThan(5);
  expect(read('muster_memory_bytes_resident')).toBeGreaterThan(2 ** 24);
  expect(read('muster_disk_used_ratio')).toBeGreaterThan(0);
  expect(read('muster_disk_used_ratio')).toBeLessThan(1);
  expect(read('muster_database_connections_max')).toBe(10);
  expect(read('muster_database_connections_awaited')).toBe(0);
  for (const line of text.trim().split('\n'))
    expect(line).toMatch(/^(# (HELP|TYPE) muster_\w+ .+|muster_\w+(\{(\w+="[^"]*",?)+\})? [\d.e+-]+)$/);
  const personal = [club.id, club.slug, ada.id, ada.email, bob.id, 'secret', 'Ada'];
  for (const word of personal) expect(text).not.toContain(word);
});

test('metrics: served on localhost only, and only if configured', async () => {
  const port = await freePort();
  await using w = await isolatedWorld({ METRICS_PORT: String(port) });
  expect((await fetch(`${w.origin}/metrics`)).headers.get('content-type')).toContain('text/html');
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal);
  for (const { address } of others)
    await expect(fetch(`http://${address}:${port}/metrics`)).rejects.toThrow();
});
