import { all, sql, type Db } from '#platform/db/client.ts';
import { followers } from '#features/events/notice-queries.ts';

/**
 * For each person, the ids of those of the given events that concern the person (see `followers`), the earliest first.
 * `invited` contains the events that were emailed to the person as calendar invitations.
 */
export const eventsByFollower = (db: Db, events: readonly string[]) =>
  all(
    db,
    sql<{ user_id: string; mine: string[]; invited: string[] }>`
      select p.user_id, array_agg(e.id::text order by e.start_time, e.id) as mine,
        coalesce(array_agg(e.id::text) filter (where exists (
          select from calendar_files f where f.event_id = e.id and f.user_id = p.user_id and f.invited)), '{}') as invited
      from (${followers(...events)}) as p join events e on e.id = p.event_id group by p.user_id`,
  );
