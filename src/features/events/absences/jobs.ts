import type { Clock, Db } from '#platform/db/client.ts';
import type { Tasks } from '#platform/jobs/queue.ts';
import {
  answerRemaining,
  updateAnswersOfMember,
  updateAnswersOfUser,
  type EventsToAnswer,
  type MemberToAnswer,
} from '#features/events/absences/store.ts';

export const absenceTasks = (db: Db, clock: Clock): Tasks => ({
  answer_for_member: (member: MemberToAnswer) => updateAnswersOfMember(db, member, clock),

  answer_events: (work: EventsToAnswer) => answerRemaining(db, work, clock),

  /** Does again what the request that saved an absence may not have finished. */
  answer_absence: ({ user }: { user: string }) => updateAnswersOfUser(db, user, clock),
});
