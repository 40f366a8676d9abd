import type { Config } from '#platform/config.ts';
import { inTransaction, type Clock, type Db } from '#platform/db.ts';
import { enqueue, type Tasks } from '#platform/jobs.ts';
import { post } from '#platform/mail.ts';
import { noticeLetter, type CalendarFile } from '#features/notifications/mail.ts';
import { gathered, isMailed, type EmailKind, type Notice } from '#features/notifications/rules.ts';
import { spreadOn, takeNotices } from '#features/notifications/store.ts';

interface Tools {
  clock: Clock;
  calendarFile: CalendarFile;
  /** Notes the calendar files that these emails carry. */
  noteFiles(db: Db, mailed: readonly Notice[]): Promise<unknown>;
}

export const noticeTasks = (db: Db, config: Config, { clock, calendarFile, noteFiles }: Tools): Tasks => ({
  spread_news: ({ news }: { news: string }) =>
    inTransaction(db, async (transaction) => spreadOn(transaction, news, await clock(transaction))),

  /** Notices leave the table and reach the post in one transaction: a task that runs twice finds none the second time. */
  mail_notices: ({ kind, about }: { kind: EmailKind; about: string }) =>
    inTransaction(db, async (transaction) => {
      const { notices, isLast } = await takeNotices(transaction, kind, about);
      const mailed = gathered(notices).filter(isMailed);
      for (const notice of mailed)
        await post(transaction, noticeLetter(config, { calendarFile }, notice), { canWait: true });
      await noteFiles(transaction, mailed);
      if (!isLast) await enqueue(transaction, 'mail_notices', { kind, about }, { canWait: true });
    }),
});
