import { sql } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';

/** Whether a change of an event shows in calendars: a new time, a new place or a cancellation. */
export const inCalendars = (change: string) => sql`(
  ${sql.ref(`${change}.kind`)} = 'cancelled' or ${sql.ref(`${change}.before`)} ?| array['start_time', 'end_time', 'location_name'])`;

/** What such a change is about: a `CalendarChange`. */
export const changeInCalendars = (change: string) => sql`
  case when ${sql.ref(`${change}.kind`)} = 'cancelled' then 'cancelled'
    when ${sql.ref(`${change}.before`)} ?| array['start_time', 'end_time'] then 'time' else 'place' end`;

/** A calendar that was not fetched for this long counts as abandoned. */
export const aliveFor = sql`interval '14 days'`;

/** The maximum time from the timestamp of a change to its commit. A fetch contains all changes that are older. */
export const committedWithin = sql`interval '10 seconds'`;

/**
 * For an event that has not ended: how many calendars in use contain the event (`all`), and how many of them show its
 * last new time, new place or cancellation (`known`). `about` is the kind of that change. As JSON; null if there is no
 * such change or no such calendar. The calendars are the feeds of the event's club, and the personal feeds of members
 * whose answer is not 'no'. A calendar that was fetched before the last undo does not count as `known`, because it may
 * still show the undone change.
 */
export function calendarsThatKnow(event: string, now: Instant) {
  const e = sql.ref(event);
  return sql`(
    select json_build_object('about', h.about, 'all', count(*)::int,
      'known', (count(*) filter (where f.fetched_at > h.since + ${committedWithin}))::int)
    from (
      select max(coalesce(undone_at, changed_at)) as since, (array_agg(
        ${changeInCalendars('c')} order by changed_at desc, sequence desc) filter (where undone_at is null))[1] as about
      from event_changes c where event_id = ${e}.id and ${inCalendars('c')}) as h
    join (
      select fetched_at from feed_fetches where club_id = ${e}.owner_club_id
      union all
      select f.fetched_at from answers a join members m on m.club_id = ${e}.owner_club_id and m.user_id = a.user_id
      join feed_fetches f on f.user_id = a.user_id and f.club_id is null
      where a.event_id = ${e}.id and a.answer <> 'no') as f on f.fetched_at > ${now}::timestamptz - ${aliveFor}
    where h.about is not null and ${e}.end_time > ${now}
    group by h.about, h.since)`;
}

/**
 * The members who have not answered the event, and whose feed of its club is in use but does not show the change yet:
 * rows of `user_id`. Leaves out the users of `excluded`, and users who already have a notice with this kind and
 * `dedupeKey`.
 */
export const membersToFollowUp = ({
  event,
  kind,
  dedupeKey,
  since,
  excluded,
  now,
}: {
  event: string;
  kind: string;
  dedupeKey: string;
  since: Instant;
  excluded: ReturnType<typeof sql>;
  now: Instant;
}) => sql`
  select m.user_id from events e join members m on m.club_id = e.owner_club_id
  where e.id = ${event}
    and (select max(f.fetched_at) > ${now}::timestamptz - ${aliveFor} and max(f.fetched_at) <= ${since}::timestamptz + ${committedWithin}
      from feed_fetches f where f.club_id = m.club_id and f.user_id = m.user_id)
    and not exists (select from answers a where a.event_id = e.id and a.user_id = m.user_id)
    and not exists (select from notices n where n.user_id = m.user_id and n.dedupe_key = ${dedupeKey} and n.kind = ${kind})
    and m.user_id not in (select f.user_id from (${excluded}) as f)`;
