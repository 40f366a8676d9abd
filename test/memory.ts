import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const memory = '/dev/shm';

/** Containers often have 64 MB of it. */
export const hasMemory = existsSync(memory) && free(memory) > 4 * 2 ** 30;

/** Where the data of tests lies: a database is hundreds of files, which a disk makes and removes for much more time. */
export const scratch = hasMemory ? memory : tmpdir();

function free(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
