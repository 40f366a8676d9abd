import type { Config } from '#platform/config.ts';
import { inTransaction, type Clock, type Db } from '#platform/db/client.ts';
import { enqueue, type Tasks } from '#platform/jobs/queue.ts';
import { enqueueEmail } from '#platform/mail/mailer.ts';
import { firstInWindow } from '#platform/http/rate-limit.ts';
import type { Instant } from '#wire/instant.ts';
import { notificationEmail, type CalendarFile } from '#features/notifications/mail.ts';
import { mergeEmails, isMailed, type PendingEmail } from '#features/notifications/mail-rules.ts';
import { type EmailKind } from '#features/notifications/rules.ts';
import { secondsUntilFinal } from '#features/notifications/queries.ts';
import { continueFanOut, takePendingEmails } from '#features/notifications/store.ts';

interface Dependencies {
  clock: Clock;
  calendarFile: CalendarFile;
  /** Records which calendar files these emails carry. */
  recordFiles(db: Db, config: Config, mailed: readonly PendingEmail[]): Promise<unknown>;
}

export const notificationTasks = (
  db: Db,
  config: Config,
  { clock, calendarFile, recordFiles }: Dependencies,
): Tasks => ({
  continue_fan_out: ({ fan_out }: { fan_out: string }) =>
    inTransaction(db, async (transaction) => continueFanOut(transaction, fan_out, await clock(transaction))),

  /** Moves pending emails to the outbox in one transaction, so a job that runs twice sends nothing twice. */
  send_notification_emails: ({ kind, about }: { kind: EmailKind; about: string }) =>
    inTransaction(db, async (transaction) => {
      const now = await clock(transaction);
      const delaySeconds = await secondsUntilFinal(transaction, { kind, about, now });
      if (delaySeconds > 0)
        return enqueue(
          transaction,
          'send_notification_emails',
          { kind, about },
          { delaySeconds, lowPriority: true },
        );
      const { pendingEmails, isLast } = await takePendingEmails(transaction, kind, about);
      const mailed = mergeEmails(pendingEmails).filter(isMailed);
      for (const pendingEmail of await withoutRepeatedJoins(transaction, mailed, now))
        await enqueueEmail(
          transaction,
          { ...notificationEmail(config, { calendarFile }, pendingEmail), subject: about },
          { lowPriority: true },
        );
      await recordFiles(transaction, config, mailed);
      if (!isLast)
        await enqueue(transaction, 'send_notification_emails', { kind, about }, { lowPriority: true });
    }),
});

const joinKey = ({ kind, user_id, actor }: PendingEmail): string | undefined =>
  kind === 'member_joined' && actor ? `joined-email:${user_id}:${actor.id}` : undefined;

/** An admin gets one 'joined' email per joining person and day, across all clubs: anybody can leave and rejoin in a loop. */
async function withoutRepeatedJoins(
  db: Db,
  pendingEmails: PendingEmail[],
  now: Instant,
): Promise<PendingEmail[]> {
  const keys = pendingEmails.map(joinKey).filter((key) => key !== undefined);
  const first = await firstInWindow(db, keys, { seconds: 24 * 60 * 60, now });
  return pendingEmails.filter((pendingEmail) => {
    const key = joinKey(pendingEmail);
    return key === undefined || first.has(key);
  });
}
