import { inTransaction, type Db } from '#platform/db/client.ts';
import { fillSearchText } from '#platform/db/search-text.ts';
import { searchedUsers } from '#platform/db/users.ts';
import { enqueue, type Tasks } from '#platform/jobs/queue.ts';
import { searchedClubs } from '#features/members/queries.ts';
import { searchedEvents } from '#features/events/store.ts';

/**
 * A scheduled job that stores the search text of rows that the previous release wrote: before the upgrade, or while both
 * releases run. A later release can delete it, together with the triggers that clear the search text.
 */
export const searchTasks = (db: Db): Tasks => ({
  async fill_search_texts() {
    for (const table of [searchedUsers, searchedClubs, searchedEvents]) {
      const isFull = await inTransaction(db, (transaction) => fillSearchText(transaction, table));
      if (isFull) return enqueue(db, 'fill_search_texts', {}, { lowPriority: true });
    }
  },
});
