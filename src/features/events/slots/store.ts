import { randomUUID } from 'node:crypto';
import { all, first, run, sql, type Db } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';
import type { EventInClub, LockedEvent } from '#features/events/access.ts';
import { byName } from '#features/members/list-queries.ts';
import { type EndedMembership } from '#features/members/store.ts';
import type { Slot } from '#features/events/slots/contract.ts';

/** The list of an event, oldest entry first. */
export const slotsOf = (db: Db, { id }: Pick<EventInClub, 'id'>): Promise<Slot[]> =>
  all(
    db,
    sql<Slot>`
      select s.id, s.kind, s.title, s.places,
        case when b.id is not null then json_build_object('id', b.id, 'first_name', b.first_name,
          'last_name', b.last_name, 'profile_picture_url', b.profile_picture_url) end as by,
        coalesce((
          select json_agg(json_build_object('id', u.id, 'first_name', u.first_name, 'last_name', u.last_name,
            'profile_picture_url', u.profile_picture_url, 'places', c.places) order by ${byName('u')})
          from slot_claims c join users u on u.id = c.user_id where c.slot_id = s.id), '[]') as claims
      from slots s left join users b on b.id = s.by_id
      where s.event_id = ${id} order by s.created_at, s.id`,
  );

/** The event of a slot. */
export const eventOf = async (db: Db, slot: string): Promise<string | undefined> =>
  (await first(db, sql<{ event_id: string }>`select event_id from slots where id = ${slot}`))?.event_id;

export const addSlot = (
  db: Db,
  event: LockedEvent,
  { kind, title, places, by }: Pick<Slot, 'kind' | 'title' | 'places'> & { by: string },
  now: Instant,
) =>
  run(
    db,
    sql`insert into slots (id, event_id, kind, title, places, by_id, created_at)
        values (${randomUUID()}, ${event.id}, ${kind}, ${title}, ${places}, ${by}, ${now})`,
  );

export const removeSlot = (db: Db, event: LockedEvent, slot: string) =>
  run(db, sql`delete from slots where id = ${slot} and event_id = ${event.id}`);

/**
 * Sets the number of places that a member takes; 0 removes the claim. The event is locked, so that no place is taken
 * twice.
 */
export const saveClaim = (db: Db, { id, user, places }: { id: string; user: string; places: number }) =>
  run(
    db,
    places === 0
      ? sql`delete from slot_claims where slot_id = ${id} and user_id = ${user}`
      : sql`insert into slot_claims (slot_id, user_id, places) values (${id}, ${user}, ${places})
            on conflict (slot_id, user_id) do update set places = excluded.places`,
  );

/** Removes the lifts and claims of a former member from the events that have not ended. */
export const onMembershipEnded = (db: Db, { club_id, user_id }: EndedMembership, now: Instant) =>
  run(
    db,
    sql`select release_slots(array_agg(id order by id), array_agg(${user_id}::uuid))
        from events where owner_club_id = ${club_id} and end_time > ${now}`,
  );

/**
 * Removes the lifts that a user offered to any event. Lifts to upcoming events were removed when the memberships ended.
 */
export const removeLifts = (db: Db, user: string) =>
  run(db, sql`delete from slots where by_id = ${user} and kind = 'lift'`);

/** The club of an event that is neither over nor cancelled, and the actor unless their account is deleted. */
export const sourceOf = (db: Db, event: string, { actor, now }: { actor: string; now: Instant }) =>
  first(
    db,
    sql<{ club_id: string; actor: string | null }>`
      select owner_club_id as club_id, (select id from users where id = ${actor}) as actor
      from events where id = ${event} and deleted_at is null and end_time > ${now}`,
  );
