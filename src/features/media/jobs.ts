import type { Config } from '#platform/config.ts';
import { enqueue, type Tasks } from '#platform/jobs/queue.ts';
import type { Db } from '#platform/db/client.ts';
import { isBeingCopied } from '#platform/backup/tables.ts';
import { storageOf } from '#features/media/gateway.ts';
import { filesOf } from '#wire/pictures.ts';
import { isShown } from '#features/media/store.ts';

/** Seconds after which the files of a picture that is not shown are deleted. */
const grace = 10 * 60;

/** Enqueues a check that deletes the files if the upload did not complete. */
export const deleteUnusedLater = (db: Db, name: string): Promise<void> =>
  enqueue(db, 'delete_unused_picture', { name }, { delaySeconds: grace });

/** A database trigger also enqueues this task when the row of a picture is deleted. */
export const pictureTasks = (db: Db, config: Config): Tasks => ({
  async delete_unused_picture({ name }: { name: string }) {
    if (await isShown(db, name)) return;
    if (await isBeingCopied(db)) return deleteUnusedLater(db, name);
    for (const file of filesOf(name)) await storageOf(config).remove(file);
  },
});
