import { inTransaction, type Clock, type Db } from '#platform/db/client.ts';
import type { Tasks } from '#platform/jobs/queue.ts';
import { raise } from '#platform/notices/raise.ts';
import type { Instant } from '#wire/instant.ts';
import { changeToRelay } from '#features/events/access.ts';
import { membersToFollowUp } from '#features/events/calendar-queries.ts';
import { newTimeOf } from '#features/events/mail-rules.ts';
import { cancelledEvents, followers, hostsOf } from '#features/events/notice-queries.ts';
import { eventCancelled, eventShort, eventUpdated } from '#features/events/notices.ts';
import { isEnough } from '#features/events/rules.ts';
import { shortagesOf } from '#features/events/section-queries.ts';
import { takeClosed } from '#features/events/store.ts';

export const eventTasks = (db: Db, clock: Clock): Tasks => ({
  /** A database trigger adds this job for each change that calendars show. */
  relay: ({ change }: { change: string }) =>
    inTransaction(db, async (transaction) => relay(transaction, change, await clock(transaction))),
});

/**
 * Sends a follow-up to members who have not answered and whose calendars have not fetched a change. The follow-up
 * covers all changes up to now, so that it is not outdated. The deduplication key keeps a second run of the job from
 * sending it again.
 */
async function relay(db: Db, id: string, now: Instant): Promise<void> {
  const change = await changeToRelay(db, id, now);
  if (!change) return;
  const { event, before, is_cancelled, since, dates, newest, actor } = change;
  const event_id = event.id;
  const recipients = { event: event_id, since, excluded: followers(...dates), now };
  if (is_cancelled) {
    const { kind } = eventCancelled;
    const facts = { event_id, isSeries: false, ...(await cancelledEvents(db, [event_id])) };
    const audience = membersToFollowUp({ ...recipients, kind, dedupeKey: event_id });
    await raise(db, eventCancelled, { facts, actor, dedupeKey: event_id, now }, audience);
    return;
  }
  if (!newTimeOf(before, event) && before.location_name === event.location_name) return;
  const facts = { event_id, change: newest, moves: true, isFollowUp: true, before: { [event_id]: id } };
  const audience = membersToFollowUp({ ...recipients, kind: eventUpdated.kind, dedupeKey: newest });
  await raise(db, eventUpdated, { facts, actor, dedupeKey: newest, delay: 0, settle: 0, now }, audience);
}

/** Tells the hosts of events whose sign-up has closed and that are short of people. */
export async function notifyShort(db: Db, now: Instant): Promise<void> {
  const closed = (await takeClosed(db, now)).map(({ id }) => id);
  for (const [event_id, shortage] of await shortagesOf(db, closed))
    if (!isEnough(shortage)) await raise(db, eventShort, { facts: { event_id }, now }, hostsOf(event_id));
}
