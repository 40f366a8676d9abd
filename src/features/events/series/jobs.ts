import { inTransaction, type Clock, type Db } from '#platform/db/client.ts';
import type { Tasks } from '#platform/jobs/queue.ts';
import { lockIdleSeries } from '#features/events/series/access.ts';
import { extendAll, makeMissingDates } from '#features/events/series/store.ts';

/** Each series has its own job, so that no transaction locks the dates of many clubs. */
export const seriesTasks = (db: Db, clock: Clock): Tasks => ({
  extend_all_series: async () => void (await extendAll(db, await clock(db))),

  extend_series: ({ series: id }: { series: string }) =>
    inTransaction(db, async (transaction) => {
      const series = await lockIdleSeries(transaction, id);
      if (series) await makeMissingDates(transaction, series, await clock(transaction));
    }),
});
