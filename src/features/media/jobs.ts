import type { Config } from '#platform/config.ts';
import { enqueue, type Tasks } from '#platform/jobs/queue.ts';
import type { Db } from '#platform/db/client.ts';
import { isBeingCopied } from '#platform/backup/tables.ts';
import { storageOf } from '#features/media/gateway.ts';
import { filesOf } from '#features/media/rules.ts';
import { isShown } from '#features/media/store.ts';

/** Seconds in which a picture that was kept must be hung. */
const grace = 10 * 60;

/** Sees to it that no file stays of a picture whose upload ends half way. */
export const deleteUnusedLater = (db: Db, name: string): Promise<void> =>
  enqueue(db, 'delete_unused_picture', { name }, { delaySeconds: grace });

/** The database begins this one as well, when the row of a picture goes. */
export const pictureTasks = (db: Db, config: Config): Tasks => ({
  async delete_unused_picture({ name }: { name: string }) {
    if (await isShown(db, name)) return;
    if (await isBeingCopied(db)) return deleteUnusedLater(db, name);
    for (const file of filesOf(name)) await storageOf(config).remove(file);
  },
});
