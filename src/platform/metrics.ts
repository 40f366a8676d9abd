import { once } from 'node:events';
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';

type Labels = Record<string, string | number>;
type Values = Record<string, number>;

export interface Metrics {
  /** What only rises. */
  counter(name: string, help: string): (labels: Labels) => void;
  /** How many took at most so many seconds. */
  histogram(name: string, help: string): (labels: Labels, seconds: number) => void;
  /** What is read whenever somebody asks: each value has the name with its key behind it. */
  gauges(name: string, help: string, read: () => Values | Promise<Values>): void;
  /** Everything, in the text format of Prometheus. */
  text(): Promise<string>;
}

/** Seconds: close to what is promised, and up to what ends a request. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, Infinity];

/** Counts in this process. A label is one of few values: what people are called or send never becomes one. */
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
      // What can't be read now, such as the queue of a database that is down, is left out.
      const read = await Promise.all(families.map(async (lines) => Promise.resolve(lines()).catch(() => [])));
      return `${read.flat().join('\n')}\n`;
    },
  };
}

/** The series with these labels; those of one family have the same names in the same order. */
function seriesOf<Series>(all: Map<string, Series>, labels: Labels, begin: () => Series): Series {
  const key = Object.values(labels).join(' ');
  const one = all.get(key) ?? begin();
  all.set(key, one);
  return one;
}

interface Histogram {
  labels: Labels;
  /** How many were at most each bound, and more than the one before. */
  counts: number[];
  sum: number;
}

function histogramLines(name: string, { labels, counts, sum }: Histogram): string[] {
  let upTo = 0;
  const buckets = bounds.map((bound, at) => {
    upTo += counts[at] ?? 0;
    return line(`${name}_bucket`, { ...labels, le: String(bound).replace('Infinity', '+Inf') }, upTo);
  });
  return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, upTo)];
}

const head = (name: string, help: string, type: string) => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
];

function line(name: string, labels: Labels, value: number | '' = ''): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}=${JSON.stringify(String(text))}`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`;
}

/** The timer that measures comes every ten milliseconds as it is. */
const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - 0.01);

/** How this process itself fares. */
export function addProcessMetrics(metrics: Metrics): void {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  metrics.gauges('muster_event_loop_lag_seconds', 'Since it was asked for last.', () => {
    const values = {
      p50: late(delay.percentile(50)),
      p99: late(delay.percentile(99)),
      max: late(delay.max),
    };
    delay.reset();
    return values;
  });
  metrics.gauges('muster_memory_bytes', 'Of this process.', () => {
    const { rss, heapUsed } = process.memoryUsage();
    return { resident: rss, heap: heapUsed };
  });
}

/** Tells what was counted to whoever is on this machine, and to nobody else. */
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
