import { inTransaction, type Clock, type Db } from '#platform/db/client.ts';
import type { Tasks } from '#platform/jobs/queue.ts';
import { lockIdleSeries } from '#features/events/series/access.ts';
import { datesToAnswer, type NewMember } from '#features/events/series/queries.ts';
import { answerDates, datesAtOnce, extendAll, makeMissingDates } from '#features/events/series/store.ts';

/** Each series has its own job, so that no transaction locks the dates of many clubs. */
export const seriesTasks = (db: Db, clock: Clock): Tasks => ({
  extend_all_series: async () => void (await extendAll(db, await clock(db))),

  /** Uses short transactions, because nobody else can answer these dates while they are locked. */
  async answer_for_new_member(member: NewMember) {
    const dates = await datesToAnswer(db, member, await clock(db));
    for (let start = 0; start < dates.length; start += datesAtOnce)
      await inTransaction(db, async (transaction) =>
        answerDates(transaction, member, dates.slice(start, start + datesAtOnce), await clock(transaction)),
      );
  },

  extend_series: ({ series: id }: { series: string }) =>
    inTransaction(db, async (transaction) => {
      const series = await lockIdleSeries(transaction, id);
      if (series) await makeMissingDates(transaction, series, await clock(transaction));
    }),
});
