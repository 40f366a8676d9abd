import { byRef, run, sql, type Db } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';
import type { EventInClub, LockedEvent } from '#features/events/store.ts';
import { recordAnswers } from '#features/members/store.ts';
import { debounceSeconds } from '#features/notifications/rules.ts';
import { clubAndEvent } from '#features/notifications/store.ts';

/** Adds an attendance. A second call changes nothing and keeps the role. Returns whether the attendance is new. */
export async function attend(db: Db, { id }: LockedEvent, user: string, now: Instant): Promise<boolean> {
  const added = sql`
    insert into attendances (event_id, user_id, attended_at) values (${id}, ${user}, ${now})
    on conflict (event_id, user_id) do nothing`;
  const isNew = (await run(db, added)) === 1;
  if (isNew) await recordAnswers(db, user, [id], now);
  return isNew;
}

/** Removes an attendance; returns whether there was one. */
export async function unattend(db: Db, { id }: LockedEvent, user: string, now: Instant): Promise<boolean> {
  const removed = sql`
    delete from attendances where event_id = ${id} and user_id = ${user} and attendee_role = 'attendee'`;
  const attended = (await run(db, removed)) === 1;
  if (attended) await recordAnswers(db, user, [id], now);
  return attended;
}

/**
 * Enqueues the debounced confirmation email for a new attendance. It is not a notification, because the user signed up
 * themselves. Each attendance has its own `about` key, so the debouncing of one user does not delay another.
 */
export const confirmLater = (
  db: Db,
  event: { id: string; owner_club_id: string },
  user: string,
  now: Instant,
) =>
  run(
    db,
    sql`
      insert into notification_emails (id, user_id, kind, about, club_id, payload, created_at, send_at)
      select gen_random_uuid(), ${user}::uuid, 'attending', md5(e.id::text || ${user}::text)::uuid, c.id, ${clubAndEvent},
        ${now}::timestamptz, now() + make_interval(secs => ${debounceSeconds('attending')})
      from events e join clubs c on c.id = e.owner_club_id where e.id = ${event.id}`,
  );

/** The tables of what a member can store about an event besides attending: favourites and followers. */
type FollowTable = 'favourites' | 'event_followers';

/** Locks the membership until commit: a member who is being removed at the same time ends up with no rows. */
export const addFollow = (db: Db, table: FollowTable, { id, owner_club_id }: EventInClub, user: string) =>
  run(
    db,
    sql`insert into ${sql.table(table)} (event_id, user_id)
        select ${id}::uuid, user_id from members where club_id = ${owner_club_id} and user_id = ${user} for key share
        on conflict do nothing`,
  );

export const removeFollow = (db: Db, table: FollowTable, ref: string, user: string) =>
  run(
    db,
    sql`delete from ${sql.table(table)} kept using events
        where events.id = kept.event_id and kept.user_id = ${user} and ${byRef('events', ref)}`,
  );
