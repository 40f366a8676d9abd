import { join } from 'node:path';
import type { Config } from '#platform/config.ts';
import { createLog } from '#platform/log.ts';
import { moveCluster } from '#platform/postgres/move.ts';
import { backup, restore } from '#app/backups.ts';

/** Moves the database in the data directory to the version of PostgreSQL that a new data directory would get. */
export async function moveDatabase(config: Config, folders?: readonly string[]) {
  let rows = 0;
  const log = createLog('warn');
  const move = await moveCluster({ dataDir: config.dataDir, folders }, async (from, to, folder) => {
    const archive = join(folder, 'archive');
    ({ rows } = await backup({ config, databaseUrl: from }, archive));
    await restore({ config, databaseUrl: to }, archive, { log });
  });
  return { ...move, rows };
}
