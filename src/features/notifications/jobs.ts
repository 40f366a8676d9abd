import type { Config } from '#platform/config.ts';
import { inTransaction, type Db } from '#platform/db.ts';
import type { Tasks } from '#platform/jobs.ts';
import { post } from '#platform/mail.ts';
import type { MailKind } from '#features/notifications/contract.ts';
import { noticeLetter, type CalendarFile } from '#features/notifications/mail.ts';
import { gathered, isMailed } from '#features/notifications/rules.ts';
import { takeNotices } from '#features/notifications/store.ts';

/** Notices leave the table and reach the post in one transaction: a task that runs twice finds none the second time. */
export const noticeTasks = (db: Db, config: Config, calendarFile: CalendarFile): Tasks => ({
  mail_notices: ({ kind, about }: { kind: MailKind; about: string }) =>
    inTransaction(db, async (transaction) => {
      const notices = gathered(await takeNotices(transaction, kind, about)).filter(isMailed);
      for (const notice of notices)
        await post(transaction, noticeLetter(config, { calendarFile }, notice), { canWait: true });
    }),
});
