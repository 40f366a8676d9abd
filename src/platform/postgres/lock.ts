import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Thrown when another app uses the directory. */
export class InUse extends Error {}

/**
 * Locks the directory for this process until the returned function is called.
 * Uses the file lock of SQLite, because Node has none. The kernel releases the lock when the process ends, and the lock
 * works across containers that share the directory.
 * Nothing else in this process may open the file: closing it would release the lock.
 */
export function lockDirectory(dataDir: string): () => void {
  const file = join(dataDir, 'postgres.lock');
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file);
    lock.exec('pragma journal_mode = memory; begin exclusive');
    // A process that can read the file could take a lock that blocks this one.
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
