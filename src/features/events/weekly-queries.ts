import { all, sql, type Db } from '#platform/db/client.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { eventsForMembers, type EventForReader } from '#features/events/notice-queries.ts';
import { isFor } from '#features/sections/queries.ts';

const week = 7 * 24 * 60 * 60;

/** The events of the next seven days that are for a member, who can still answer and has not, the earliest first. */
export async function unansweredEvents(db: Db, user_id: string, now: Instant): Promise<EventForReader[]> {
  const rows = await all(
    db,
    sql<{ event_id: string }>`
      select e.id as event_id from members m
      cross join lateral (
        select * from events where owner_club_id = m.club_id and start_time > ${now}
          and start_time <= ${addSeconds(now, week)} offset 0) as e
      where m.user_id = ${user_id} and e.deleted_at is null and not e.polling and e.entry_until_time > ${now}
        and ${isFor('e', 'm')} and not exists (select from answers a where a.event_id = e.id and a.user_id = m.user_id)
      order by e.start_time, e.id`,
  );
  const events = await eventsForMembers(
    db,
    rows.map((facts) => ({ user_id, facts })),
  );
  return events.filter((event) => event !== null);
}
