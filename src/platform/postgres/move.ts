import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { majorOf, type Binaries } from './binaries.ts';
import { finishMove, majorIn, replacedIn, syncDirectory } from './cluster.ts';
import { lockDirectory } from './lock.ts';
import { runPostgres, type Options } from './supervisor.ts';

/** Copies all data from one database into another, which is empty. `folder` is for temporary files. */
type Copy = (from: string, to: string, folder: string) => Promise<void>;

interface Move {
  from: Binaries;
  to: Binaries;
  /** The old cluster, which nothing uses any more. */
  kept: string | undefined;
}

/**
 * Moves the data into a new cluster of the version that a new data directory would get. The old cluster stays in place
 * until the new one is complete. The directory is locked all the time, so that no app writes to the old one.
 */
export async function moveCluster(options: Options, copy: Copy): Promise<Move> {
  const home = resolve(options.dataDir);
  const cluster = join(home, 'postgres');
  const unlock = lockDirectory(home);
  try {
    await finishMove(home);
    if ((await majorIn(cluster)) === undefined)
      throw new Error(`There is no PostgreSQL in ${home}, so there is nothing to move.`);
    const old = await runPostgres({ ...options, dataDir: home }, () => {});
    // The next start deletes a draft that was left behind.
    const draft = await mkdtemp(join(home, 'postgres.draft-'));
    try {
      const to = await fill(draft, old, options, copy).finally(old.stop);
      await rename(cluster, replacedIn(home));
      await rename(join(draft, 'postgres'), cluster);
      await syncDirectory(home);
      return { from: old.binaries, to, kept: await finishMove(home) };
    } finally {
      await rm(draft, { recursive: true, force: true, maxRetries: 5 });
    }
  } finally {
    unlock();
  }
}

/** Creates a cluster in the draft and copies the data into it. */
async function fill(
  draft: string,
  { url, binaries }: { url: string; binaries: Binaries },
  options: Options,
  copy: Copy,
): Promise<Binaries> {
  const created = await runPostgres({ ...options, dataDir: draft }, () => {});
  try {
    if (majorOf(created.binaries) === majorOf(binaries))
      throw new Error(
        `The data already belongs to PostgreSQL ${majorOf(binaries)}, the newest one that is installed.`,
      );
    await copy(url, created.url, draft);
    return created.binaries;
  } finally {
    await created.stop();
  }
}
