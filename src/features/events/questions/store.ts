import { randomUUID } from 'node:crypto';
import { first, run, sql, type Db } from '#platform/db/client.ts';
import { fail } from '#wire/errors.ts';
import type { Instant } from '#wire/instant.ts';
import type { LockedEvent } from '#features/events/access.ts';
import type { Question } from '#features/events/question-contract.ts';
import { maxQuestions, questionColumns } from '#features/events/question-queries.ts';
import type { AnsweredQuestion, RemovableQuestion } from '#features/events/questions/access.ts';
import type { EndedMembership } from '#features/members/store.ts';

/** Adds a question, unless there are too many open ones. The lock on the event makes concurrent questions wait. */
export async function addQuestion(
  db: Db,
  { id: event_id }: LockedEvent,
  { author_id, question }: { author_id: string; question: string },
  now: Instant,
): Promise<string> {
  const id = randomUUID();
  const added = await run(
    db,
    sql`insert into questions (id, event_id, author_id, question, asked_at)
        select ${id}, ${event_id}, ${author_id}, ${question}, ${now}
        where (select count(*) from questions where event_id = ${event_id} and answered_at is null) < ${maxQuestions}`,
  );
  return added > 0 ? id : fail('too_many_questions');
}

/** Saves the answer to a question, or changes it. */
export const saveAnswer = (
  db: Db,
  { id }: AnsweredQuestion,
  { answer, shared, by }: { answer: string; shared: boolean; by: string },
  now: Instant,
) =>
  run(
    db,
    sql`update questions set answer = ${answer}, shared = ${shared}, answered_at = ${now}, answered_by = ${by},
          version = version + 1
        where id = ${id}`,
  );

export const removeQuestion = (db: Db, { id }: RemovableQuestion) =>
  run(db, sql`delete from questions where id = ${id}`);

/** A question as this member sees it. */
export async function questionFor(
  db: Db,
  id: string,
  reader: { viewer: string; runs: boolean },
): Promise<Question> {
  const question = await first(
    db,
    sql<Question>`
      select ${questionColumns({ question: 'q', author: 'u' }, reader)}
      from questions q join users u on u.id = q.author_id where q.id = ${id}`,
  );
  return question ?? fail('not_found');
}

/** Deletes the questions of a former member. */
export const onMembershipEnded = (db: Db, { club_id, user_id }: EndedMembership) =>
  run(
    db,
    sql`delete from questions q using events e
        where e.id = q.event_id and e.owner_club_id = ${club_id} and q.author_id = ${user_id}`,
  );

/** Deletes the questions about events that ended before this time. */
export const deletePastQuestions = (db: Db, before: Instant) =>
  run(db, sql`delete from questions q using events e where e.id = q.event_id and e.end_time < ${before}`);
