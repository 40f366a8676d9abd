import { inTransaction, type Clock, type Db } from '#platform/db/client.ts';
import type { Tasks } from '#platform/jobs/queue.ts';
import type { Instant } from '#wire/instant.ts';
import { changeToRelay } from '#features/events/access.ts';
import { newTimeOf } from '#features/notifications/rules.ts';
import { silentAndBehind } from '#features/notifications/queries.ts';
import { notify } from '#features/notifications/store.ts';

export const eventTasks = (db: Db, clock: Clock): Tasks => ({
  /** A trigger adds this job for each change that calendars show. */
  relay: ({ change }: { change: string }) =>
    inTransaction(db, async (transaction) => relay(transaction, change, await clock(transaction))),
});

/**
 * Tells members without an answer whose calendars do not know a change: the whole way to what the event is now, so that
 * nobody is told what does not hold any more. The notification keeps a second run from telling anybody twice.
 */
async function relay(db: Db, id: string, now: Instant): Promise<void> {
  const change = await changeToRelay(db, id, now);
  if (!change) return;
  const { event, before, is_cancelled, since, dates, newest, actor, reason, words } = change;
  const cause = is_cancelled ? event.id : newest;
  const new_time = newTimeOf(before, event);
  const isElsewhere = before.location_name !== event.location_name;
  if (!is_cancelled && !new_time && !isElsewhere) return;
  const kind = is_cancelled ? 'event_cancelled' : 'event_updated';
  await notify(
    db,
    {
      kind,
      cause,
      actor,
      club_id: event.owner_club_id,
      event_id: event.id,
      ...(reason && { reason }),
      ...(words && { words }),
      ...(!is_cancelled && {
        before,
        ...(isElsewhere && { new_location: event.location_name }),
        ...(new_time && { new_time }),
      }),
      late: true,
      now,
    },
    silentAndBehind({ kind, cause, since, dates, now }),
  );
}
