import type { Config } from '#platform/config.ts';
import { inTransaction, type Clock, type Db } from '#platform/db/client.ts';
import { forgetAnswers } from '#platform/http/idempotency.ts';
import { deleteFailedJobs, type Tasks } from '#platform/jobs/queue.ts';
import { forgetPastLimits } from '#platform/http/rate-limit.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { eraseAgain, markOf } from '#features/account/handlers.ts';
import { dayOf, erasureDays, erasureIn, fileOf, type Erasure } from '#features/account/rules.ts';
import * as store from '#features/account/store.ts';
import { forgetPastLogins } from '#features/auth/store.ts';
import { forgetExpiredLinks } from '#features/invites/store.ts';
import {
  forgetAnswersOfFormerMembers,
  forgetEjections,
  forgetRetiredFeeds,
} from '#features/members/store.ts';
import { storageOf } from '#features/media/gateway.ts';
import { forgetOld } from '#features/notifications/store.ts';
import { forgetPast } from '#features/payments/store.ts';
import { forgetPastChanges } from '#features/users/store.ts';

/** Lets go of what nobody needs any more, as the privacy policy promises. Once an hour, since some of it is promised to be gone within a day. */
export async function forgetWhatIsOver(db: Db, now: Instant): Promise<void> {
  const daysAgo = (days: number) => addSeconds(now, -days * 24 * 60 * 60);
  await forgetPastLogins(db, { before: daysAgo(1), now });
  await forgetPastChanges(db, now);
  await forgetExpiredLinks(db, daysAgo(30));
  await forgetEjections(db, daysAgo(365));
  await forgetAnswersOfFormerMembers(db, daysAgo(1));
  await forgetRetiredFeeds(db, daysAgo(30));
  await forgetOld(db, daysAgo(90));
  await forgetPast(db, { before: daysAgo(35), now });
  await forgetPastLimits(db, now);
  await forgetAnswers(db, now);
  await deleteFailedJobs(db, daysAgo(30));
}

export const erasureTasks = (db: Db, config: Config, clock: Clock): Tasks => ({
  async agree_on_erasures() {
    await agreeOnErasures(db, config, await clock(db));
  },
});

/**
 * Makes the database and the marks outside of it agree on who was deleted, however they came to differ: a new deletion
 * is written down outside; one that the database has forgotten is done again. Tells how many those were.
 */
export async function agreeOnErasures(db: Db, config: Config, now: Instant): Promise<number> {
  const ledger = storageOf(config, 'erasures');
  const oldest = dayOf(addSeconds(now, -erasureDays * 24 * 60 * 60));
  await store.forgetErasures(db, oldest);
  const inside = await store.erasures(db);
  const files = new Set(await ledger.list());
  for (const erasure of inside)
    if (!files.has(fileOf(erasure))) await ledger.keep(fileOf(erasure), Buffer.from('erased\n'));

  const known = new Set(inside.map(({ mark }) => mark));
  const outside = [...files].map(erasureIn).filter((erasure) => erasure !== undefined);
  for (const erasure of outside) if (erasure.erased_on < oldest) await ledger.remove(fileOf(erasure));
  const forgotten = outside.filter(({ mark, erased_on }) => erased_on >= oldest && !known.has(mark));
  return forgotten.length === 0 ? 0 : eraseAll(db, config, forgotten, now);
}

/** The log was told when it happened. */
const note = () => {};

async function eraseAll(
  db: Db,
  config: Config,
  forgotten: readonly Erasure[],
  now: Instant,
): Promise<number> {
  const marks = new Map(forgotten.map((erasure) => [erasure.mark, erasure]));
  const back = (await store.userIds(db)).filter((id) => marks.has(markOf(config, id)));
  const caller = { ip: '', device: '' };
  for (const id of back)
    await inTransaction(db, async (transaction) => {
      const erasure = marks.get(markOf(config, id));
      if (erasure) await store.noteErasure(transaction, erasure);
      await eraseAgain({ db: transaction, now, user: { id, session_id: '' }, config, caller, note });
    });
  for (const erasure of forgotten) await store.noteErasure(db, erasure);
  return back.length;
}
