import { statfs } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import type { Config } from '#platform/config.ts';
import type { Database, Db } from '#platform/db/client.ts';
import { showsAcknowledged } from '#platform/db/standbys.ts';
import type { Request } from '#platform/http/reply.ts';
import type { Live } from '#platform/http/websocket.ts';
import { queueDepth, type Attempt, type Tasks } from '#platform/jobs/queue.ts';
import { addProcessMetrics, createMetrics, type Metrics } from '#platform/metrics.ts';

function addStandbyMetrics(collected: Metrics, db: Db) {
  collected.gauges(
    'muster_database_standbys',
    'Whether standbys show every acknowledged commit.',
    async () => ({
      synchronous: Number(await showsAcknowledged(db)),
    }),
  );
}

/** The metrics of the app. docs/operations.md explains how to read them. */
export function openMetrics({ db, pool }: Database, { dataDir, databaseReadUrl }: Config) {
  const collected = createMetrics();
  const requests = collected.counter('muster_http_requests_total', 'Responses by route, method and status.');
  const duration = collected.histogram(
    'muster_http_request_seconds',
    'Seconds from the head of a request until its response is handed over for sending.',
  );
  const jobFailures = collected.counter('muster_job_failures_total', 'Failed attempts at jobs, by task.');
  // Registered before the queue gauge, whose query itself uses a connection.
  collected.gauges('muster_database_connections', 'Connections in the pool of this process.', () => ({
    used: pool.totalCount - pool.idleCount,
    max: pool.options.max,
    awaited: pool.waitingCount,
  }));
  if (databaseReadUrl) addStandbyMetrics(collected, db);
  collected.gauges('muster_jobs', 'Jobs in the queue that all processes share.', async () => ({
    ...(await queueDepth(db)),
  }));
  collected.gauges('muster_disk', 'Use of the disk that holds DATA_DIR.', async () => {
    const { blocks, bavail } = await statfs(dataDir);
    return { used_ratio: 1 - bavail / blocks };
  });
  addProcessMetrics(collected);

  return {
    collected,

    onReply({ method, routeOptions }: Request, status: number, ms: number) {
      const route = routeOptions.url ?? 'unknown';
      requests({ route, method, status });
      duration({ route, method }, ms / 1000);
    },

    watchSockets({ server }: FastifyInstance, { connected }: Live) {
      const connections = () =>
        new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
      collected.gauges('muster_sockets', 'Open connections, and the websockets among them.', async () => ({
        open: await connections(),
        live: connected(),
      }));
    },

    /** Wraps tasks so that their failures are counted. */
    counted: (tasks: Tasks): Tasks =>
      Object.fromEntries(
        Object.entries(tasks).map(([task, work]) => [
          task,
          async (payload: never, attempt: Attempt) => {
            await work(payload, attempt).catch((error: unknown) => {
              jobFailures({ task });
              throw error;
            });
          },
        ]),
      ),
  };
}
