import { freePort } from '#e2e/server.ts';
import { createLog } from '#platform/log.ts';
import { prepareDatabase } from '#app/server.ts';
import { killPostmaster, openCluster } from '#test/cluster.ts';
import { sql } from '#test/postgres.ts';
import { openTcpProxy } from '#test/tcp-proxy.ts';
import { isolatedWorld } from '#test/world.ts';

/**
 * A migrated primary with two synchronous standbys behind one address, as Patroni and HAProxy set them up
 * (docs/scaling.md).
 */
export async function openReplicated() {
  const primary = await openCluster();
  const standbys = await primary.openReplicas();
  const alive = [...standbys];
  let turn = 0;
  const readers = await openTcpProxy(primary.url, () => (alive[turn++ % alive.length] ?? primary).url);
  await prepareDatabase(primary.url, createLog('silent'));
  const metricsPort = await freePort();
  return {
    primary,
    alive,
    /** Kills a standby, and removes it from the synchronous standbys and from the address for reads. */
    async kill(): Promise<void> {
      const [killed] = alive.splice(turn % alive.length, 1);
      await killPostmaster(killed?.data ?? '');
      await sql(primary.url, `alter system set synchronous_standby_names = '${alive.length} (*)'`);
      await sql(primary.url, 'select pg_reload_conf()');
    },
    /** The URL of the world's metrics. */
    metrics: `http://127.0.0.1:${metricsPort}/metrics`,
    /** A world that reads from the standbys, without event previews. */
    world: (settings: Record<string, string> = {}) =>
      isolatedWorld(
        {
          DATABASE_READ_URL: readers.url,
          EVENT_PREVIEW: 'off',
          METRICS_PORT: String(metricsPort),
          ...settings,
        },
        undefined,
        primary.url,
      ),
    async [Symbol.asyncDispose]() {
      await readers[Symbol.asyncDispose]();
      await primary.close();
    },
  };
}
