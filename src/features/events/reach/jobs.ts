import { inTransaction, type Clock, type Db } from '#platform/db/client.ts';
import type { Tasks } from '#platform/jobs/queue.ts';
import { raise } from '#platform/notices/raise.ts';
import type { Instant } from '#wire/instant.ts';
import { notReached } from '#features/events/reach/notices.ts';
import { isWorthTelling } from '#features/events/reach/rules.ts';
import { onlyUser, unreachedOf, untoldChanges } from '#features/events/reach-queries.ts';

export const reachTasks = (db: Db, clock: Clock): Tasks => ({
  /** A database trigger adds this job for each change that has to reach people. */
  check_reach: ({ change }: { change: string }) =>
    inTransaction(db, async (transaction) => checkReach(transaction, change, await clock(transaction))),
});

/**
 * Tells the person who made a change that it has not reached somebody. If several dates of a series were changed together,
 * there is one notice, about the earliest of these dates.
 */
async function checkReach(db: Db, id: string, now: Instant): Promise<void> {
  const changes = await untoldChanges(db, id, notReached.kind);
  const people = await unreachedOf(
    db,
    changes.map(({ event_id }) => ({ event_id, at: now })),
  );
  const found = changes.find((made) =>
    people.some((person) => person.change === made.id && isWorthTelling(person, made, now)),
  );
  if (!found) return;
  const { id: change, event_id, actor } = found;
  // Not the `actor` of the notice, who would not get it.
  const audience = onlyUser(actor);
  await raise(db, notReached, { facts: { event_id, change }, dedupeKey: change, now }, audience);
}
