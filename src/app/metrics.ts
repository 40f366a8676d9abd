import { statfs } from 'node:fs/promises';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { FastifyInstance } from 'fastify';
import type { Config } from '#platform/config.ts';
import type { Database } from '#platform/db/client.ts';
import { showsAcknowledged } from '#platform/db/standbys.ts';
import type { Request } from '#platform/http/reply.ts';
import type { Live } from '#platform/http/websocket.ts';
import { queueDepth, type Attempt, type Tasks } from '#platform/jobs/queue.ts';

/** A value that is read at each scrape. If it cannot be read, the scrape leaves it out. */
const gaugesOf = (register: Registry) => (name: string, help: string, read: () => number | Promise<number>) =>
  new Gauge({
    name,
    help,
    registers: [register],
    async collect() {
      this.remove();
      await Promise.try(read).then(
        (value) => this.set(value),
        () => {},
      );
    },
  });

type AddGauge = ReturnType<typeof gaugesOf>;

/** Bucket bounds in seconds: dense around the latency targets, up to the request timeout. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

function countersOf(registers: Registry[]) {
  return {
    requests: new Counter({
      name: 'muster_http_requests_total',
      help: 'Responses by route, method and status.',
      labelNames: ['route', 'method', 'status'],
      registers,
    }),
    duration: new Histogram({
      name: 'muster_http_request_seconds',
      help: 'Seconds from the head of a request until its response is handed over for sending.',
      labelNames: ['route', 'method'],
      buckets,
      registers,
    }),
    jobFailures: new Counter({
      name: 'muster_job_failures_total',
      help: 'Failed attempts at jobs, by task.',
      labelNames: ['task'],
      registers,
    }),
  };
}

function addPoolGauges(gauge: AddGauge, { pool }: Database) {
  const name = 'muster_database_connections';
  gauge(`${name}_used`, 'Connections of this process in use.', () => pool.totalCount - pool.idleCount);
  gauge(`${name}_max`, 'The size of the connection pool of this process.', () => pool.options.max);
  gauge(`${name}_awaited`, 'Statements that wait for a connection.', () => pool.waitingCount);
}

function addQueueGauges(gauge: AddGauge, { db }: Database) {
  let depth: ReturnType<typeof queueDepth> | undefined;
  // The three gauges of a scrape share one query.
  const read = () => (depth ??= queueDepth(db).finally(() => (depth = undefined)));
  for (const state of ['waiting', 'retrying', 'dead'] as const)
    gauge(
      `muster_jobs_${state}`,
      `Jobs that all processes share: ${state}.`,
      async () => (await read())[state],
    );
}

/**
 * The metrics of the app and, if they are served, the standard metrics of its process. docs/operations.md explains how
 * to read them. Labels have few values and never contain user data.
 */
export function openMetrics(database: Database, { dataDir, databaseReadUrl, metricsPort }: Config) {
  const register = new Registry();
  const gauge = gaugesOf(register);
  const { requests, duration, jobFailures } = countersOf([register]);
  // Registered before the gauges of the queue, whose query itself uses a connection.
  addPoolGauges(gauge, database);
  if (databaseReadUrl)
    gauge(
      'muster_database_standbys_synchronous',
      'Whether standbys show every acknowledged commit.',
      async () => Number(await showsAcknowledged(database.db)),
    );
  addQueueGauges(gauge, database);
  gauge('muster_disk_used_ratio', 'Use of the disk that holds DATA_DIR.', async () => {
    const { blocks, bavail } = await statfs(dataDir);
    return 1 - bavail / blocks;
  });
  // They observe the event loop and the garbage collector all the time, so only if somebody reads them.
  if (metricsPort) collectDefaultMetrics({ register });

  return {
    register,

    onReply({ method, routeOptions }: Request, status: number, ms: number) {
      const route = routeOptions.url ?? 'unknown';
      requests.inc({ route, method, status });
      duration.observe({ route, method }, ms / 1000);
    },

    watchSockets({ server }: FastifyInstance, { connected }: Live) {
      const connections = () =>
        new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
      gauge('muster_sockets_open', 'Open connections, including the websockets.', connections);
      gauge('muster_sockets_live', 'Open websockets.', connected);
    },

    /** Wraps tasks so that their failures are counted. */
    counted: (tasks: Tasks): Tasks =>
      Object.fromEntries(
        Object.entries(tasks).map(([task, work]) => [
          task,
          async (payload: never, attempt: Attempt) => {
            await work(payload, attempt).catch((error: unknown) => {
              jobFailures.inc({ task });
              throw error;
            });
          },
        ]),
      ),
  };
}
