import type { Config } from '#platform/config.ts';
import { inTransaction, type Clock, type Db } from '#platform/db/client.ts';
import { deleteExpiredKeys } from '#platform/http/idempotency.ts';
import { deleteFailedJobs, type Tasks } from '#platform/jobs/queue.ts';
import { forgetPastLimits } from '#platform/http/rate-limit.ts';
import { deletePastDeliveries } from '#platform/notices/deliveries.ts';
import { deleteLostPushes } from '#platform/notices/pushes.ts';
import { deleteOldNotices, requeueNotices } from '#platform/notices/raise.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { deleteWithoutChoices, deletionDigest } from '#features/account/handlers.ts';
import {
  dayOf,
  deletionRecordDays,
  deletionIn,
  recordFileName,
  type DeletionRecord,
} from '#features/account/rules.ts';
import * as store from '#features/account/store.ts';
import { deletePastLogins } from '#features/auth/store.ts';
import { deleteAnswersOfFormerMembers } from '#features/events/answers/store.ts';
import { deletePastFetches, deleteRetiredFeeds } from '#features/calendar/store.ts';
import { deletePastCheckIns } from '#features/events/checkins/store.ts';
import { deletePastQuestions } from '#features/events/questions/store.ts';
import { deleteLongTexts } from '#features/events/store.ts';
import { deleteExpiredLinks } from '#features/invites/store.ts';
import { deleteUnusedPictures } from '#features/media/store.ts';
import { deletePastAbsences } from '#features/events/absences/store.ts';
import { deletePastEjections, deletePastLogEntries, deletePastOffers } from '#features/members/store.ts';
import { storageOf } from '#features/media/gateway.ts';
import { deletePast } from '#features/payments/store.ts';
import { deletePastChanges } from '#features/users/store.ts';

/**
 * Deletes expired data, as the privacy policy promises. Runs hourly, because some data must be deleted within a day.
 */
export async function deleteExpired(db: Db, now: Instant): Promise<void> {
  const daysAgo = (days: number) => addSeconds(now, -days * 24 * 60 * 60);
  await deletePastLogins(db, { before: daysAgo(1), now });
  await deletePastChanges(db, now);
  await deleteExpiredLinks(db, daysAgo(30));
  await deletePastEjections(db, daysAgo(365));
  await deletePastLogEntries(db, daysAgo(730));
  await deletePastOffers(db, now);
  await deleteAnswersOfFormerMembers(db, daysAgo(1));
  await deleteRetiredFeeds(db, daysAgo(30));
  await deletePastQuestions(db, daysAgo(30));
  await deletePastAbsences(db, dayOf(daysAgo(30)));
  await deletePastCheckIns(db, daysAgo(730));
  await deletePastFetches(db, daysAgo(60));
  await deleteUnusedPictures(db, daysAgo(1));
  await deleteOldNotices(db, daysAgo(90));
  await deletePastDeliveries(db, daysAgo(30));
  await deleteLostPushes(db, daysAgo(1));
  await requeueNotices(db);
  await deleteLongTexts(db, addSeconds(now, -60 * 60));
  await deletePast(db, { before: daysAgo(35), now });
  await forgetPastLimits(db, now);
  await deleteExpiredKeys(db, now);
  await deleteFailedJobs(db, daysAgo(30));
}

export const deletionTasks = (db: Db, config: Config, clock: Clock): Tasks => ({
  async reconcile_deletions() {
    await reconcileDeletions(db, config, await clock(db));
  },
});

/**
 * Reconciles the deletion records in the database with the copies in the file storage. A new record is written to the
 * storage. If the database has lost a record, for example after a restore, the deletion is repeated. Returns the number
 * of repeated deletions.
 */
export async function reconcileDeletions(db: Db, config: Config, now: Instant): Promise<number> {
  const storage = storageOf(config, 'deletions');
  const oldest = dayOf(addSeconds(now, -deletionRecordDays * 24 * 60 * 60));
  await store.deletePastDeletions(db, oldest);
  const recorded = await store.deletions(db);
  const files = new Set(await storage.list());
  for (const deletion of recorded)
    if (!files.has(recordFileName(deletion)))
      await storage.save(recordFileName(deletion), Buffer.from('erased\n'));

  const recordedDigests = new Set(recorded.map(({ digest }) => digest));
  const stored = [...files].map(deletionIn).filter((deletion) => deletion !== undefined);
  for (const deletion of stored)
    if (deletion.deleted_on < oldest) await storage.remove(recordFileName(deletion));
  const lost = stored.filter(
    ({ digest, deleted_on }) => deleted_on >= oldest && !recordedDigests.has(digest),
  );
  return lost.length === 0 ? 0 : repeatDeletions(db, config, lost, now);
}

/** Records nothing, because the audit log already contains the original deletion. */
const record = () => {};

async function repeatDeletions(
  db: Db,
  config: Config,
  lost: readonly DeletionRecord[],
  now: Instant,
): Promise<number> {
  const digests = new Map(lost.map((deletion) => [deletion.digest, deletion]));
  const restored = (await store.userIds(db)).filter((id) => digests.has(deletionDigest(config, id)));
  const caller = { ip: '', device: '', language: 'en' } as const;
  for (const id of restored)
    await inTransaction(db, async (transaction) => {
      const deletion = digests.get(deletionDigest(config, id));
      if (deletion) await store.recordDeletion(transaction, deletion);
      await deleteWithoutChoices({
        db: transaction,
        now,
        user: { id, session_id: '' },
        config,
        caller,
        record,
      });
    });
  for (const deletion of lost) await store.recordDeletion(db, deletion);
  return restored.length;
}
