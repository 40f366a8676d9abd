import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Another app works on the directory. */
export class InUse extends Error {}

/**
 * Makes this process the only app on the directory until the returned function is called.
 * SQLite is here for its file lock alone: Node has no other. The kernel drops it when the process
 * dies in whatever way, and two containers that share the directory see each other's.
 * The file must not be opened by anything else in this process: closing it would drop the lock.
 */
export function lockDirectory(dataDir: string): () => void {
  const file = join(dataDir, 'postgres.lock');
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file);
    lock.exec('pragma journal_mode = memory; begin exclusive');
    // A reader could keep the next app out.
    chmodSync(file, 0o600);
  } catch (error) {
    if (lock?.isOpen) lock.close();
    if (/locked/.test(String(error)))
      throw new InUse(
        `Another Muster is already running on ${dataDir}: stop it first, or give this one a DATA_DIR of its own.`,
        { cause: error },
      );
    throw new Error(`Muster cannot use ${dataDir} for its data: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  return () => lock.close();
}
