import { randomUUID } from 'node:crypto';
import type { Context } from '#platform/context.ts';
import { inTransaction, type Db } from '#platform/db/client.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { deleteJobs, enqueue } from '#platform/jobs/queue.ts';
import { fail } from '#wire/errors.ts';
import type { Instant } from '#wire/instant.ts';
import { dateIn } from '#wire/wall-time.ts';
import type { absences, SavedAbsence } from '#features/events/absences/contract.ts';
import { absenceOf, absencesOf, effectOf } from '#features/events/absences/queries.ts';
import { dayProblems, type Days } from '#features/events/absences/form-rules.ts';
import { maxAbsences } from '#features/events/absences/rules.ts';
import * as store from '#features/events/absences/store.ts';

/** Seconds after which a job answers the events, if the process of the request has not done so. */
const fallbackDelay = 10;

export const handlers: Handlers<typeof absences> = {
  list: ({ db, user }) => absencesOf(db, user.id),

  async add(context, days) {
    requireAllowed(days, context.now);
    const id = await save(context, async (db, user) => {
      await limitSaves(db, context);
      const own = await absencesOf(db, user);
      const isNew = !own.some(
        ({ first_on, last_on }) => first_on === days.first_on && last_on === days.last_on,
      );
      if (isNew && own.length >= maxAbsences) fail('too_many_absences');
      return store.addAbsence(db, user, days);
    });
    return saved(context, id);
  },

  async change(context, { away: id, ...days }) {
    requireAllowed(days, context.now);
    await save(context, async (db, user) => {
      await limitSaves(db, context);
      await store.changeAbsence(db, user, { id, ...days });
    });
    return saved(context, id);
  },

  async remove(context, { away: id }) {
    await save(context, (db, user) => store.deleteAbsence(db, user, id));
    return null;
  },
};

function requireAllowed(days: Days, now: Instant): void {
  if (Object.keys(dayProblems(days, dateIn('UTC', now))).length > 0) fail('bad_input');
}

const limitSaves = (db: Db, { user, now }: Context<'user'>) =>
  limit(db, `absences:${user.id}`, { max: 30, seconds: 60 * 60, now });

/**
 * Changes the absences of a user in one transaction, and then answers the events of each club in transactions of their
 * own. A job finishes it if this process cannot.
 */
async function save<T>(
  { db, user: { id: user }, now }: Context<'user'>,
  change: (db: Db, user: string) => Promise<T>,
): Promise<T> {
  const attempt = randomUUID();
  const result = await inTransaction(db, async (transaction) => {
    await store.lockUser(transaction, user);
    const changed = await change(transaction, user);
    await enqueue(transaction, 'answer_absence', { user, attempt }, { delaySeconds: fallbackDelay });
    return changed;
  });
  await store.updateAnswersOfUser(db, user, async () => now);
  await deleteJobs(db, 'answer_absence', 'attempt', attempt);
  return result;
}

async function saved({ db, user, now }: Context<'user'>, id: string): Promise<SavedAbsence> {
  const away = await absenceOf(db, user.id, id);
  return { away, ...(await effectOf(db, user.id, away, now)) };
}
