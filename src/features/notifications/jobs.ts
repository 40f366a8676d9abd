import { inTransaction, type Db } from '#platform/db/client.ts';
import type { Tasks } from '#platform/jobs/queue.ts';
import { convertOld } from '#features/notifications/store.ts';

/** Jobs that the release before enqueues, or the trigger on its table, for rows that only this release sends. */
export function notificationTasks(db: Db): Tasks {
  const convert = async () => {
    while (await inTransaction(db, convertOld));
  };
  return { convert_notifications: convert, send_notification_emails: convert, continue_fan_out: convert };
}
