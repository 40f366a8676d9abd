import { freePort } from '#e2e/server.ts';
import { createLog } from '#platform/log.ts';
import { prepareDatabase } from '#app/server.ts';
import { openCluster } from '#test/cluster.ts';
import { sql } from '#test/postgres.ts';
import { isolatedWorld } from '#test/world.ts';

/** A migrated primary with two replicas, which replay at once unless a test pauses them. */
export async function openReplicated() {
  const primary = await openCluster();
  const replicas = await primary.openReplicas();
  await prepareDatabase(primary.url, createLog('silent'));
  const metricsPort = await freePort();
  return {
    primary,
    [Symbol.asyncDispose]: primary.close,
    replicas,
    pause: () => Promise.all(replicas.map(({ url }) => sql(url, 'select pg_wal_replay_pause()'))),
    resume: () => Promise.all(replicas.map(({ url }) => sql(url, 'select pg_wal_replay_resume()'))),
    /** Waits until the replicas have replayed what the primary has written. */
    async caughtUp(): Promise<void> {
      const [position] = await sql(primary.url, 'select pg_current_wal_lsn()');
      for (const { url } of replicas)
        while ((await sql(url, `select pg_last_wal_replay_lsn() >= '${position}'`))[0] !== true);
    },
    /** The address of the metrics of the world. */
    metrics: `http://127.0.0.1:${metricsPort}/metrics`,
    /** A world that reads from the replicas while they are less than `maxLag` milliseconds behind, without previews. */
    world: (maxLag = 10_000, settings: Record<string, string> = {}) =>
      isolatedWorld(
        {
          DATABASE_READ_URL: `postgresql://muster@${replicas.map(({ port }) => `127.0.0.1:${port}`)}/postgres`,
          DATABASE_READ_MAX_LAG: String(maxLag),
          EVENT_PREVIEW: 'off',
          METRICS_PORT: String(metricsPort),
          ...settings,
        },
        undefined,
        primary.url,
      ),
  };
}
