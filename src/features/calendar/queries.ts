import { all, byRef, first, sql, type Db } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';
import { windowOf, type CalendarEvent } from '#features/calendar/rules.ts';
import {
  askedAbout,
  eventFieldColumns,
  eventsOfViewersClubs,
  mustConfirm,
} from '#features/events/queries.ts';
import type { MemberOf } from '#features/members/rules.ts';
import { movedFrom } from '#features/notifications/queries.ts';

/** The state of an event `e` for its reader. */
const ownColumns = (reader: string) => sql`
  ${movedFrom} as moved_from, mine.answer, coalesce(mine.guests, 0) as guests, ${mustConfirm(reader)} as must_confirm,
  ${askedAbout} as asked_about, greatest(answer.changed_at, membership.joined_at) as reader_changed_at`;

const ownRows = (reader: string) => sql`
  left join answers mine on mine.event_id = e.id and mine.user_id = ${reader}
  left join answer_changes answer on answer.event_id = e.id and answer.user_id = ${reader}
  left join members membership on membership.club_id = e.owner_club_id and membership.user_id = ${reader}`;

/**
 * The calendar entries of the events `o` that `which` selects: the event, or while members vote on its time those of its
 * times that have not passed and that `isShown` selects. The event stands at the earliest, so no entry depends on the time
 * of reading.
 */
const entriesOf = (which: ReturnType<typeof sql>, isShown: ReturnType<typeof sql<boolean>>) => sql`
  select entry.*, o.slug, ${eventFieldColumns('o')}, o.owner_club_id, o.created_at, o.updated_at, o.time_zone, o.sequence,
    o.deleted_at, o.polling, o.club_name
  from (${which}) as o cross join lateral (
    select o.id, o.start_time, o.end_time where not o.polling
    union all
    select t.id, t.start_time, t.end_time from event_times t
    where o.polling and t.event_id = o.id and t.start_time >= o.start_time and ${isShown}) as entry`;

/** All of a club. */
export const heldBy = (club: string) =>
  entriesOf(sql`select *, null as club_name from events where owner_club_id = ${club}`, sql`true`);

/** The entries that `which` selects, within the retention of a feed. */
const inWindow = (db: Db, viewer: string, which: ReturnType<typeof sql>, now: Instant) => {
  const { from, cancelledFrom } = windowOf(now);
  return all(
    db,
    sql<CalendarEvent>`
      select e.id, e.slug, ${eventFieldColumns('e')}, e.start_time, e.end_time, e.created_at, e.updated_at,
        e.time_zone, e.sequence, e.deleted_at, e.polling, e.club_name, ${ownColumns(viewer)}
      from (${which}) as e ${ownRows(viewer)}
      where e.end_time > ${from} and (e.deleted_at is null or e.end_time > ${cancelledFrom})
      order by e.start_time, e.id`,
  );
};

/** The events of a user's current clubs that they may come to, and the times that suit them. */
export function attendedBy(user: string) {
  const ofClubs = sql`${eventsOfViewersClubs(user)} join clubs c on c.id = o.owner_club_id`;
  const suits = sql<boolean>`v.user_id = ${user} and v.vote <> 'no'`;
  return entriesOf(
    sql`
      select o.*, c.club_name from answers a ${ofClubs}
      where a.user_id = ${user} and a.answer <> 'no' and not o.polling
      union all
      select o.*, c.club_name from (select distinct v.event_id from time_votes v where ${suits}) as a ${ofClubs}
      where o.polling`,
    sql`exists (select from time_votes v where v.event_id = o.id and v.time_id = t.id and ${suits})`,
  );
}

export const eventsOfClub = (
  db: Db,
  { club_id, user_id }: Pick<MemberOf, 'club_id' | 'user_id'>,
  now: Instant,
) => inWindow(db, user_id, heldBy(club_id), now);

export const eventsOfUser = (db: Db, user: string, now: Instant) => inWindow(db, user, attendedBy(user), now);

/** One event of any age, and whether the viewer is a member of its club. */
export const oneEvent = (db: Db, viewer: string, ref: string) =>
  first(
    db,
    sql<CalendarEvent & { is_member: boolean }>`
      select e.*, ${ownColumns(viewer)}, membership.user_id is not null as is_member
      from events e ${ownRows(viewer)}
      where ${byRef('e', ref)}`,
  );
