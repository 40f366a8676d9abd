import type { Config } from '#platform/config.ts';
import { inTransaction, type Clock, type Db } from '#platform/db/client.ts';
import { enqueue, type Tasks } from '#platform/jobs/queue.ts';
import { post } from '#platform/mail/mailer.ts';
import { firstInWindow } from '#platform/http/rate-limit.ts';
import type { Instant } from '#wire/instant.ts';
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
      for (const notice of await withoutRepeatedJoins(transaction, mailed, await clock(transaction)))
        await post(transaction, noticeLetter(config, { calendarFile }, notice), { lowPriority: true });
      await noteFiles(transaction, mailed);
      if (!isLast) await enqueue(transaction, 'mail_notices', { kind, about }, { lowPriority: true });
    }),
});

const joinKey = ({ kind, user_id, actor }: Notice): string | undefined =>
  kind === 'member_joined' && actor ? `joined-email:${user_id}:${actor.id}` : undefined;

/** An admin gets one 'joined' email per joining person and day, whichever their club: anybody can leave and rejoin in a loop. */
async function withoutRepeatedJoins(db: Db, notices: Notice[], now: Instant): Promise<Notice[]> {
  const keys = notices.map(joinKey).filter((key) => key !== undefined);
  const first = await firstInWindow(db, keys, { seconds: 24 * 60 * 60, now });
  return notices.filter((notice) => {
    const key = joinKey(notice);
    return key === undefined || first.has(key);
  });
}
