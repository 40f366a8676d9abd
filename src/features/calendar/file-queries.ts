import { all, run, sql, type Db } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';
import type { CalendarEvent } from '#features/calendar/rules.ts';
import { movedFrom } from '#features/events/answer-queries.ts';
import { aliveFor } from '#features/events/calendar-queries.ts';
import { eventFieldColumns } from '#features/events/queries.ts';

/** An event to be sent to a reader as a calendar file. */
export interface FileEntry extends CalendarEvent {
  /** Whether the reader has ever answered. */
  has_answered: boolean;
  /** Whether a calendar app of the reader fetches the event in a feed. A file would add it a second time. */
  in_feed: boolean;
  /** Whether the reader was sent an invitation to the event. */
  invited: boolean;
  /** Whether the reader was sent a calendar file of the event. */
  has_file: boolean;
}

/**
 * Locks the memberships and answers of a reader, so that a concurrent request to answer or to leave either commits
 * first or sees that a file was sent. Lock order: users, then their memberships, then their answers.
 */
export async function lockReader(db: Db, user: string, events: readonly string[]): Promise<void> {
  const clubs = sql`select owner_club_id from events where id = any(${events}::uuid[])`;
  await run(
    db,
    sql`select from members where user_id = ${user} and club_id in (${clubs}) order by club_id for key share`,
  );
  // Changing an answer is an update, which `for key share` would not block.
  await run(
    db,
    sql`select from answers where user_id = ${user} and event_id = any(${events}::uuid[]) order by event_id for share`,
  );
}

/**
 * Whether a feed that the member's calendar app fetches contains an event of the club. `answer` is the member's answer.
 */
function isInFeed({ member, answer }: Record<'member' | 'answer', string>, now: Instant) {
  const [m, a] = [sql.ref(member), sql.ref(answer)];
  return sql`exists (
    select from feed_fetches f
    where f.user_id = ${m}.user_id and f.fetched_at > ${now}::timestamptz - ${aliveFor}
      and (f.club_id = ${m}.club_id or (f.club_id is null and ${a}.answer <> 'no')))`;
}

/**
 * The given events as files for a reader. Omits events of clubs that the reader has left since the notice was loaded.
 */
export const fileEntries = (
  db: Db,
  user: string,
  events: readonly string[],
  now: Instant,
): Promise<FileEntry[]> =>
  all(
    db,
    sql<FileEntry>`
      select e.id, e.slug, ${eventFieldColumns('e')}, e.start_time, e.end_time, e.time_zone, ${movedFrom('e')} as moved_from,
        e.created_at, e.updated_at, e.sequence, e.deleted_at, e.polling, a.answer, coalesce(a.guests, 0) as guests,
        c.user_id is not null as has_answered, ${isInFeed({ member: 'm', answer: 'a' }, now)} as in_feed, f.user_id is not null as has_file,
        coalesce(f.invited, false) as invited, greatest(c.changed_at, m.joined_at) as reader_changed_at
      from events e
      join members m on m.club_id = e.owner_club_id and m.user_id = ${user}
      left join answers a on a.event_id = e.id and a.user_id = ${user}
      left join answer_changes c on c.event_id = e.id and c.user_id = ${user}
      left join (
        select event_id, user_id, bool_or(invited) as invited from calendar_files
        where user_id = ${user} and event_id = any(${events}::uuid[]) group by 1, 2) as f on f.event_id = e.id
      where e.id = any(${events}::uuid[]) order by e.start_time, e.id`,
  );

export const wantsInvitations = async (db: Db, user: string): Promise<boolean> =>
  (await all(db, sql`select from users where id = ${user} and invites_by_mail`)).length > 0;
