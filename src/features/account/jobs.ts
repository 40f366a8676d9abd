import type { Db } from '#platform/db.ts';
import { forgetAnswers } from '#platform/idempotency.ts';
import { dropFailedJobs } from '#platform/jobs.ts';
import { forgetPastLimits } from '#platform/rate.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { forgetPastLogins } from '#features/auth/store.ts';
import { forgetExpiredLinks } from '#features/invites/store.ts';
import { forgetEjections } from '#features/members/store.ts';
import { forgetOld } from '#features/notifications/store.ts';
import { forgetPast } from '#features/payments/store.ts';

/** Lets go of what nobody needs any more, as the privacy policy promises. Once an hour, since some of it is promised to be gone within a day. */
export async function forgetWhatIsOver(db: Db, now: Instant): Promise<void> {
  const daysAgo = (days: number) => addSeconds(now, -days * 24 * 60 * 60);
  await forgetPastLogins(db, { before: daysAgo(1), now });
  await forgetExpiredLinks(db, daysAgo(30));
  await forgetEjections(db, daysAgo(365));
  await forgetOld(db, daysAgo(90));
  await forgetPast(db, { before: daysAgo(35), now });
  await forgetPastLimits(db, now);
  await forgetAnswers(db, now);
  await dropFailedJobs(db, daysAgo(30));
}
