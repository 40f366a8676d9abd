import { inTransaction, type Clock, type Db } from '#platform/db/client.ts';
import type { Tasks } from '#platform/jobs/queue.ts';
import { raise } from '#platform/notices/raise.ts';
import { membersAmong } from '#features/members/queries.ts';
import type { LiftChange } from '#features/events/slots/handlers.ts';
import { liftChanged } from '#features/events/slots/notices.ts';
import { sourceOf } from '#features/events/slots/store.ts';

export const slotTasks = (db: Db, clock: Clock): Tasks => ({
  /** Also enqueued by `release_slots` in the database, when a member can no longer go. */
  tell_about_lift: ({ cause, event, actor: by, to, title, change }: LiftChange) =>
    inTransaction(db, async (transaction) => {
      const now = await clock(transaction);
      const source = await sourceOf(transaction, event, { actor: by, now });
      if (!source) return;
      const { club_id, actor } = source;
      const before = actor && change !== 'gone' ? { [actor]: change === 'released' } : {};
      const facts = { event_id: event, title, change, before };
      await raise(
        transaction,
        liftChanged,
        { facts, actor, dedupeKey: cause, now },
        membersAmong(club_id, to),
      );
    }),
});
