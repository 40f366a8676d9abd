import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const memory = '/dev/shm';

/**
 * The folder for test data: in memory when it fits, because creating and deleting the hundreds of files of a database
 * is slow on a disk. Containers often limit /dev/shm to 64 MB.
 */
export const scratch = existsSync(memory) && free(memory) > 4 * 2 ** 30 ? memory : tmpdir();

function free(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
