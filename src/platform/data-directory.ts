import { chmodSync, mkdirSync, readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes DATA_DIR and closes it to other accounts, with all that is in it and all that this process will make. Names what
 * could not be closed, because it belongs to another account.
 */
export function openDataDir(dataDir: string): string[] {
  process.umask(0o077);
  mkdirSync(dataDir, { recursive: true });
  // Root steps down for PostgreSQL. On Linux it enters the cluster first; elsewhere the other account has to walk there.
  const isWalkedThrough = process.platform !== 'linux' && process.getuid?.() === 0;
  return closed(dataDir, isWalkedThrough ? 0o711 : 0o700);
}

/** What an earlier process with another mask has made, or somebody who copied a backup. */
function closed(folder: string, mode = 0o700): string[] {
  const left = close(folder, mode);
  if (left.length > 0) return left;
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    // The cluster belongs to whoever runs PostgreSQL, which sees to it; its programs have to stay executable.
    if (entry.isDirectory()) return entry.name.startsWith('postgres') ? [] : closed(path);
    return entry.isFile() ? close(path, 0o600) : [];
  });
}

/** Another process at work here may have removed something meanwhile. */
const isGone = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

function close(path: string, mode: number): string[] {
  try {
    chmodSync(path, mode);
    return [];
  } catch (error) {
    return isGone(error) ? [] : [path];
  }
}
