import { inTransaction, type Clock, type Db } from '#platform/db/client.ts';
import type { Tasks } from '#platform/jobs/queue.ts';
import { onlyMembers } from '#features/notifications/queries.ts';
import { notify } from '#features/notifications/store.ts';
import type { LiftNews } from '#features/slots/handlers.ts';
import { sourceOf } from '#features/slots/store.ts';

export const slotTasks = (db: Db, clock: Clock): Tasks => ({
  /** Also enqueued by `release_slots` in the database, for members who can't go any more. */
  tell_about_lift: ({ cause, event, actor, to, title, change }: LiftNews) =>
    inTransaction(db, async (transaction) => {
      const now = await clock(transaction);
      const source = await sourceOf(transaction, event, { actor, now });
      if (!source) return;
      const news = {
        ...source,
        kind: 'lift_changed',
        event_id: event,
        cause,
        lift: change,
        words: title,
        now,
      } as const;
      await notify(transaction, news, onlyMembers(to));
    }),
});
