import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { run, sql } from '#platform/db/client.ts';
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

test('metrics: cover requests, jobs and the process, without personal data [OPER-13]', async () => {
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
  expect(read(`muster_http_request_seconds_bucket{le="+Inf",${club_page}}`)).toBe(2);
  expect(read(`muster_http_request_seconds_bucket{le="10",${club_page}}`)).toBe(2);
  expect(read(`muster_http_request_seconds_sum{${club_page}}`)).toBeGreaterThan(0);
  expect(read('muster_jobs_dead')).toBe(0);
  expect(read('muster_sockets_open')).toBeGreaterThan(0);
  expect(read('muster_sockets_live')).toBe(0);
  expect(read('nodejs_eventloop_lag_p99_seconds')).toBeLessThan(5);
  expect(read('process_resident_memory_bytes')).toBeGreaterThan(2 ** 24);
  expect(read('process_cpu_seconds_total')).toBeGreaterThan(0);
  expect(read('muster_disk_used_ratio')).toBeGreaterThan(0);
  expect(read('muster_disk_used_ratio')).toBeLessThan(1);
  expect(read('muster_database_connections_max')).toBe(10);
  expect(read('muster_database_connections_awaited')).toBe(0);
  for (const line of text.trim().split('\n'))
    expect(line).toMatch(/^(|# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)+\})? ([\d.e+-]+|Nan))$/);
  const personal = [club.id, club.slug, ada.id, ada.email, bob.id, 'secret', 'Ada'];
  for (const word of personal) expect(text).not.toContain(word);
});

/** On Linux, every address that starts with 127 is local. This one stands for another network. */
const otherNetwork = '127.0.0.2';

const otherAddresses = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ family, internal }) => family === 'IPv4' && !internal)
  .map(({ address }) => address)
  .concat(otherNetwork);

test('metrics: served only if configured, and on localhost only unless METRICS_HOST is set [OPER-13]', async () => {
  const port = await freePort();
  await using w = await isolatedWorld({ METRICS_PORT: String(port) });
  expect((await fetch(`${w.origin}/metrics`)).headers.get('content-type')).toContain('text/html');
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
  for (const address of otherAddresses)
    await expect(fetch(`http://${address}:${port}/metrics`)).rejects.toThrow();
});

test.skipIf(process.platform !== 'linux')(
  'metrics: METRICS_HOST opens them on another address [OPER-13]',
  async () => {
    const port = await freePort();
    await using _ = await isolatedWorld({ METRICS_PORT: String(port), METRICS_HOST: otherNetwork });
    expect((await fetch(`http://${otherNetwork}:${port}/metrics`)).status).toBe(200);
    await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
  },
);

test('metrics: those that need the database are missing while it is down, and the others are served [OPER-13]', async () => {
  const port = await freePort();
  await using w = await isolatedWorld({ METRICS_PORT: String(port) });
  const scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(sample(await scrape(), 'muster_jobs_dead')).toBe(0);
  await run(w.db, sql`alter table jobs rename to renamed`);
  const text = await scrape();
  expect(sample(text, 'muster_jobs_dead')).toBeNaN();
  expect(sample(text, 'muster_database_connections_max')).toBe(10);
  await run(w.db, sql`alter table renamed rename to jobs`);
  expect(sample(await scrape(), 'muster_jobs_dead')).toBe(0);
});

const fileOf = (name: string) => readFileSync(join(import.meta.dirname, '../../deploy', name), 'utf8');

/** The expressions of a dashboard or of alert rules: every property with this name. */
function expressionsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === 'expr' ? [String(part)] : expressionsIn(part),
  );
}

/** The metrics of an expression, each with the labels that its selector names. Throws if it is not valid PromQL. */
function metricsIn(expression: string) {
  const text = expression.replaceAll('$__rate_interval', '5m');
  const textOf = ({ from, to }: { from: number; to: number }) => text.slice(from, to);
  const found: { metric: string; labels: string[] }[] = [];
  parser.parse(text).iterate({
    enter({ type, node, from }) {
      if (type.isError) throw new Error(`Not valid at ${from}: ${expression}`);
      if (type.name !== 'VectorSelector') return;
      const metric = node.getChild('Identifier');
      const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
      const labels = matchers.map((matcher) => matcher.getChild('LabelName')).filter((name) => name !== null);
      found.push({ metric: metric ? textOf(metric) : '', labels: labels.map(textOf) });
    },
  });
  return found;
}

test.each([
  ['grafana.json', () => JSON.parse(fileOf('grafana.json')) as unknown, 24],
  ['alerts.yaml', () => parse(fileOf('alerts.yaml')) as unknown, 14],
])(
  'metrics: every metric and label that %s uses exists in the running app [OPER-13]',
  async (_name, read, count) => {
    const port = await freePort();
    await using w = await isolatedWorld({ METRICS_PORT: String(port) });
    await fetch(w.origin);
    const scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    await expect.poll(scrape).toContain('muster_http_requests_total{');
    const text = await scrape();
    const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)];
    const names = types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name],
    );
    // Prometheus itself makes `up`. test/races/replicas.test.ts reads the metric of standbys.
    names.push('up', 'muster_database_standbys_synchronous');
    const expressions = expressionsIn(read());
    expect(expressions.length).toBeGreaterThanOrEqual(count);
    const used = expressions.flatMap(metricsIn);
    expect(used.length).toBeGreaterThanOrEqual(expressions.length);
    expect(used.map(({ metric }) => metric).filter((metric) => !names.includes(metric))).toEqual([]);
    const fromPrometheus = new Set(['instance', 'job']);
    const unknown = used.flatMap(({ metric, labels }) =>
      labels.filter(
        (label) => !fromPrometheus.has(label) && !new RegExp(`^${metric}\\{.*\\b${label}="`, 'm').test(text),
      ),
    );
    expect(unknown).toEqual([]);
  },
);

test('metrics: an expression that is not valid PromQL, or uses other metrics, would be found', () => {
  expect(() => metricsIn('sum(rate(muster_jobs_dead[5m])')).toThrow('Not valid');
  expect(metricsIn('sum by (a) (rate(b{c="d", e=~"$f"}[$__rate_interval])) / on (g) max(h) > 1')).toEqual([
    { metric: 'b', labels: ['c', 'e'] },
    { metric: 'h', labels: [] },
  ]);
});

test('alerts: each rule has a name of its own, a severity and a sentence [OPER-13]', () => {
  const { groups } = parse(fileOf('alerts.yaml')) as { groups: { rules: Record<string, unknown>[] }[] };
  const rules = groups.flatMap((group) => group.rules);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  for (const rule of rules)
    expect(rule).toEqual({
      alert: expect.stringMatching(/^Muster[A-Z]\w+$/),
      expr: expect.any(String),
      ...('for' in rule && { for: expect.stringMatching(/^\d+[mh]$/) }),
      labels: { severity: expect.stringMatching(/^(warning|critical)$/) },
      annotations: { summary: expect.stringMatching(/\.$/) },
    });
});
