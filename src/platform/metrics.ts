import { once } from 'node:events';
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';

type Labels = Record<string, string | number>;
type Values = Record<string, number>;

export interface Metrics {
  /** A value that only increases. */
  counter(name: string, help: string): (labels: Labels) => void;
  /** Distribution of durations. */
  histogram(name: string, help: string): (labels: Labels, seconds: number) => void;
  /** Values read at each scrape. The name of each metric is `name` followed by the key of its value. */
  gauges(name: string, help: string, read: () => Values | Promise<Values>): void;
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>;
}

/** Bucket bounds in seconds: dense around the latency targets, up to the request timeout. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, Infinity];

/** Metrics of this process. Labels have few values and never contain user data. */
export function createMetrics(): Metrics {
  const families: (() => string[] | Promise<string[]>)[] = [];
  return {
    counter(name, help) {
      const series = new Map<string, { labels: Labels; count: number }>();
      families.push(() => [
        ...head(name, help, 'counter'),
        ...[...series.values()].map(({ labels, count }) => line(name, labels, count)),
      ]);
      return (labels) => {
        const one = seriesOf(series, labels, () => ({ labels, count: 0 }));
        one.count++;
      };
    },
    histogram(name, help) {
      const series = new Map<string, Histogram>();
      families.push(() => [
        ...head(name, help, 'histogram'),
        ...[...series.values()].flatMap((one) => histogramLines(name, one)),
      ]);
      return (labels, seconds) => {
        const one = seriesOf(series, labels, () => ({ labels, counts: bounds.map(() => 0), sum: 0 }));
        const bound = bounds.findIndex((max) => seconds <= max);
        one.counts[bound] = (one.counts[bound] ?? 0) + 1;
        one.sum += seconds;
      };
    },
    gauges(name, help, read) {
      families.push(async () =>
        Object.entries(await read()).flatMap(([rest, value]) => [
          ...head(`${name}_${rest}`, help, 'gauge'),
          line(`${name}_${rest}`, {}, value),
        ]),
      );
    },
    async text() {
      // Omit families that fail, such as the queue depth while the database is down.
      const read = await Promise.all(families.map(async (lines) => Promise.resolve(lines()).catch(() => [])));
      return `${read.flat().join('\n')}\n`;
    },
  };
}

/** The series with these labels. Label names and their order are the same within a family. */
function seriesOf<Series>(all: Map<string, Series>, labels: Labels, create: () => Series): Series {
  const key = Object.values(labels).join(' ');
  const one = all.get(key) ?? create();
  all.set(key, one);
  return one;
}

interface Histogram {
  labels: Labels;
  /** Observations per bucket, not cumulative. */
  counts: number[];
  sum: number;
}

function histogramLines(name: string, { labels, counts, sum }: Histogram): string[] {
  let cumulative = 0;
  const buckets = bounds.map((bound, at) => {
    cumulative += counts[at] ?? 0;
    return line(`${name}_bucket`, { ...labels, le: String(bound).replace('Infinity', '+Inf') }, cumulative);
  });
  return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, cumulative)];
}

const head = (name: string, help: string, type: string) => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
];

function line(name: string, labels: Labels, value: number | '' = ''): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}=${JSON.stringify(String(text))}`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`;
}

/** Subtracts the sampling interval of ten milliseconds. */
const lagSeconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - 0.01);

/** Event loop and memory metrics. */
export function addProcessMetrics(metrics: Metrics): void {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  metrics.gauges('muster_event_loop_lag_seconds', 'Lag of the event loop since the last scrape.', () => {
    const values = {
      p50: lagSeconds(delay.percentile(50)),
      p99: lagSeconds(delay.percentile(99)),
      max: lagSeconds(delay.max),
    };
    delay.reset();
    return values;
  });
  metrics.gauges('muster_memory_bytes', 'Memory of this process.', () => {
    const { rss, heapUsed } = process.memoryUsage();
    return { resident: rss, heap: heapUsed };
  });
}

/** Serves the metrics on 127.0.0.1 only. */
export async function serveMetrics(metrics: Metrics, port: number): Promise<{ close(): void }> {
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return void response.writeHead(404).end();
    const text = await metrics.text();
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
