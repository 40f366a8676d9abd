import { sql } from '#platform/db/client.ts';

/** The number of offered times of an event that have not passed; 0 once its time is fixed. */
export function timeCount(event: string) {
  const e = sql.ref(event);
  return sql`case when ${e}.polling then (
    select count(*)::int from event_times t where t.event_id = ${e}.id and t.start_time >= ${e}.start_time) else 0 end`;
}

/** Whether the viewer voted on the times of an event. */
export function hasVoted(event: string, viewer: unknown) {
  const e = sql.ref(event);
  return sql`${e}.polling and coalesce((
    select true from time_votes v where v.event_id = ${e}.id and v.user_id = ${viewer} limit 1), false)`;
}
