import { chmodSync, mkdirSync, readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';

/**
 * Creates DATA_DIR and makes it private, with its content and all files that this process will create. Returns the
 * paths that belong to another account and therefore keep their mode.
 */
export function openDataDir(dataDir: string): string[] {
  process.umask(0o077);
  mkdirSync(dataDir, { recursive: true });
  // PostgreSQL drops root privileges. Outside Linux its account needs search permission on DATA_DIR.
  const needsTraversal = process.platform !== 'linux' && process.getuid?.() === 0;
  return makePrivate(dataDir, needsTraversal ? 0o711 : 0o700);
}

/** Makes a folder and its content private, including files created with another umask, such as restored backups. */
function makePrivate(folder: string, mode = 0o700): string[] {
  const failed = setMode(folder, mode);
  if (failed.length > 0) return failed;
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    // The cluster belongs to the PostgreSQL account, and its binaries have to stay executable.
    if (entry.isDirectory()) return entry.name.startsWith('postgres') ? [] : makePrivate(path);
    return entry.isFile() ? setMode(path, 0o600) : [];
  });
}

/** Another process may have removed the file. */
const isGone = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

function setMode(path: string, mode: number): string[] {
  try {
    chmodSync(path, mode);
    return [];
  } catch (error) {
    return isGone(error) ? [] : [path];
  }
}
