import type { Config } from '#platform/config.ts';
import { inTransaction, type Clock, type Db } from '#platform/db.ts';
import { enqueue, type Tasks } from '#platform/jobs/queue.ts';
import { post } from '#platform/mail.ts';
import type { MailKind } from '#features/notifications/contract.ts';
import { noticeLetter, type CalendarFile } from '#features/notifications/mail.ts';
import { gathered, isMailed } from '#features/notifications/rules.ts';
import { spreadOn, takeNotices } from '#features/notifications/store.ts';

interface Tools {
  clock: Clock;
  calendarFile: CalendarFile;
}

export const noticeTasks = (db: Db, config: Config, { clock, calendarFile }: Tools): Tasks => ({
  spread_news: ({ news }: { news: string }) =>
    inTransaction(db, async (transaction) => spreadOn(transaction, news, await clock(transaction))),

  /** Notices leave the table and reach the post in one transaction: a task that runs twice finds none the second time. */
  mail_notices: ({ kind, about }: { kind: MailKind; about: string }) =>
    inTransaction(db, async (transaction) => {
      const { notices, isLast } = await takeNotices(transaction, kind, about);
      for (const notice of gathered(notices).filter(isMailed))
        await post(transaction, noticeLetter(config, { calendarFile }, notice), { lowPriority: true });
      if (!isLast) await enqueue(transaction, 'mail_notices', { kind, about }, { lowPriority: true });
    }),
});
