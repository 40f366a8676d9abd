import { inTransaction, type Db } from '#platform/db/client.ts';
import type { Tasks } from '#platform/jobs/queue.ts';
import { convertOld } from '#features/notifications/store.ts';

/**
 * Jobs that the previous release, or a trigger on that release's table, enqueues for rows that only this release can
 * send.
 */
export function notificationTasks(db: Db): Tasks {
  const convert = async () => {
    while (await inTransaction(db, convertOld));
  };
  return { convert_notifications: convert, send_notification_emails: convert, continue_fan_out: convert };
}
