import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const memory = '/dev/shm';

/**
 * Where the data of tests lies: a database is hundreds of files, which a disk makes and removes for much more time.
 * Containers often have 64 MB of memory for it.
 */
export const scratch = existsSync(memory) && free(memory) > 4 * 2 ** 30 ? memory : tmpdir();

function free(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
