import { randomUUID } from 'node:crypto';
import { all, byRef, first, run, sql, type Db } from '#platform/db/client.ts';
import type { Context } from '#platform/context.ts';
import { capability } from '#platform/slug.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import { slugFrom } from '#wire/slug.ts';
import { eventFieldKeys, type Event, type EventFields } from '#features/events/contract.ts';
import { eventFieldColumns } from '#features/events/queries.ts';
import { scheduleKeys, type Schedule } from '#features/events/form-rules.ts';
import { isRunner, type AdminOf } from '#features/members/rules.ts';
import { lockClub } from '#features/members/store.ts';
import { going, notify } from '#features/notifications/store.ts';
import type { ClubRole } from '#features/users/contract.ts';

const day = 24 * 60 * 60;

const fieldColumns = sql.join(eventFieldKeys.map((key) => sql.ref(key)));
const fieldValues = (event: EventFields) => sql.join(eventFieldKeys.map((key) => event[key]));

/** An event with the member's role in it. */
export type EventInClub = EventFields &
  Pick<
    Event,
    'id' | 'slug' | 'owner_club_id' | 'start_time' | 'end_time' | 'entry_until_time' | 'time_zone'
  > &
  Pick<Event, 'deleted_at' | 'user_count' | 'guest_count' | 'version'> &
  Pick<Event, 'my_role' | 'my_answer' | 'my_guests' | 'my_note'> & { club_slug: string; club_role: ClubRole };

declare const locked: unique symbol;

/** An event whose row is locked until the transaction ends. Every function that changes an event requires one. */
export interface LockedEvent extends EventInClub {
  readonly [locked]: true;
}

declare const runs: unique symbol;

/** An event whose viewer is its host or an admin of its club, and may read all answers. */
export interface ReadingRunnerOf extends EventInClub {
  readonly [runs]: true;
}

/** The same with the event locked. Every function that answers for a member requires one. */
export interface RunnerOf extends ReadingRunnerOf, LockedEvent {}

type ViewerContext = Pick<Context<'user'>, 'user' | 'config'>;

const findEvent = (db: Db, user: string, ref: string) =>
  first(
    db,
    sql<EventInClub & { is_member: boolean }>`
      select events.id, events.slug, ${eventFieldColumns('events')}, owner_club_id, start_time, end_time,
        entry_until_time, time_zone, deleted_at, sequence as version, c.slug as club_slug,
        m.user_id is not null as is_member, m.club_role,
        case when mine.answer = 'going' then mine.attendee_role end as my_role, mine.answer as my_answer,
        coalesce(mine.guests, 0) as my_guests, coalesce(mine.note, '') as my_note, g.*
      from events join clubs c on c.id = owner_club_id
      left join members m on m.club_id = owner_club_id and m.user_id = ${user}
      left join answers mine on mine.event_id = events.id and mine.user_id = ${user}
      cross join lateral (
        select count(*)::int as user_count, coalesce(sum(guests), 0)::int as guest_count
        from ${going} a where a.event_id = events.id) as g
      where ${byRef('events', ref)}`,
  );

/** Outsiders get `not_member`, or `not_found` when previews are off, so that they cannot probe for events. */
export async function eventInClub(
  db: Db,
  { user, config }: ViewerContext,
  ref: string,
): Promise<EventInClub> {
  const event = await findEvent(db, user.id, ref);
  if (!event) fail('not_found');
  if (!event.is_member) fail(config.eventPreview ? 'not_member' : 'not_found');
  return event;
}

/** Answers refer to the times of their event: a change of times that raised its lock later could deadlock with them. */
const locks = { 'no key update': sql`for no key update`, update: sql`for update` };

/**
 * Locks an event so that changes to it and to its answers are serialised. Lock order: after the club, before any
 * user.
 */
export async function lockEvent(
  db: Db,
  viewer: ViewerContext,
  ref: string,
  strength: keyof typeof locks = 'no key update',
): Promise<LockedEvent> {
  await first(db, sql`select 1 from events where ${byRef('events', ref)} ${locks[strength]}`);
  // A separate statement: its snapshot is taken after the wait for the lock, so it sees the previous holder's changes.
  return (await eventInClub(db, viewer, ref)) as LockedEvent;
}

export type NewEvent = EventFields & Schedule & Pick<Event, 'slug'>;

/** A runner who only reads: takes no lock, and therefore returns no `RunnerOf` that a write would accept. */
export async function asReadingRunner(db: Db, viewer: ViewerContext, ref: string): Promise<ReadingRunnerOf> {
  const event = await eventInClub(db, viewer, ref);
  return isRunner(event.club_role, event) ? (event as ReadingRunnerOf) : fail('not_runner');
}

/** Checks that the user runs the event. Roles and memberships are read after locking the club and the event. */
export async function asRunner(db: Db, viewer: ViewerContext, ref: string): Promise<RunnerOf> {
  const { owner_club_id } = await asReadingRunner(db, viewer, ref);
  await lockClub(db, owner_club_id);
  const event = await lockEvent(db, viewer, ref);
  return isRunner(event.club_role, event) ? (event as RunnerOf) : fail('not_runner');
}

/** The event as a member sees it. For runners, people who are not members do not exist. */
export async function eventOfMember(db: Db, { id }: RunnerOf, member: string): Promise<LockedEvent> {
  const event = await findEvent(db, member, id);
  return event?.is_member ? (event as EventInClub as LockedEvent) : fail('not_found');
}

/** What later features do when events are created. Registered in `app/features.ts`. */
export const onEventsCreated: ((
  db: Db,
  created: { ids: readonly string[]; host: string },
  now: Instant,
) => Promise<unknown>)[] = [];

/** The client may choose the readable part. The suffix is always random because the link grants access to the preview. */
export const newSlug = ({ slug = '', name }: { slug?: string | undefined; name: string }): string =>
  [slugFrom(slug) || slugFrom(name), capability()].filter(Boolean).join('-');

/** One of several new events that share their fields; `slot_on` is the day that the rule of its series gave it. */
export type NewDate = Pick<Event, 'slug' | 'start_time' | 'end_time' | 'entry_until_time'> & {
  slot_on?: string;
};

/** Where new events belong. `series` must be locked. */
interface Owner {
  club_id: string;
  /** Becomes the host and first attendee. */
  host: string;
  series?: string;
}

/** Adds events that share their fields, in the same number of statements however many they are. Returns their ids. */
export async function createEvents(
  db: Db,
  { club_id, host, series }: Owner,
  fields: EventFields & Pick<Event, 'time_zone'>,
  dates: readonly NewDate[],
  now: Instant,
): Promise<string[]> {
  if (dates.length === 0) return [];
  const ids = dates.map(() => randomUUID());
  const times = (key: 'start_time' | 'end_time' | 'entry_until_time') =>
    sql`${dates.map((date) => date[key])}::timestamptz[]`;
  await run(
    db,
    sql`
      insert into events (id, slug, owner_club_id, ${fieldColumns}, time_zone, series_id, start_time, end_time,
        entry_until_time, slot_on, created_at, updated_at)
      select d.id, d.slug, ${club_id}, ${fieldValues(fields)}, ${fields.time_zone}, ${series ?? null}, d.start_time,
        d.end_time, d.entry_until_time, d.slot_on, ${now}, ${now}
      from unnest(${ids}::uuid[], ${dates.map(({ slug }) => slug)}::text[], ${times('start_time')}, ${times('end_time')},
        ${times('entry_until_time')}, ${dates.map(({ slot_on = null }) => slot_on)}::date[])
        as d (id, slug, start_time, end_time, entry_until_time, slot_on)`,
  );
  if (onEventsCreated.length === 0) throw new Error('app/features.ts is not loaded');
  for (const listener of onEventsCreated) await listener(db, { ids, host }, now);
  return ids;
}

/** Adds an event to the admin's club. The admin becomes the host and first attendee. */
export async function createEvent(
  db: Db,
  { club_id, user_id: host }: AdminOf,
  event: NewEvent,
  now: Instant,
): Promise<string> {
  const [id] = await createEvents(db, { club_id, host }, event, [event], now);
  return id as string;
}

/** Updates an event; returns whether anything changed. A no-op keeps the sequence, so calendars see no new revision. */
export async function updateEvent(
  db: Db,
  event: LockedEvent,
  next: EventFields & Schedule,
  now: Instant,
): Promise<boolean> {
  const columns = sql`${fieldColumns}, ${sql.join(scheduleKeys.map((key) => sql.ref(key)))}`;
  const values = sql`${fieldValues(next)}, ${sql.join(scheduleKeys.map((key) => next[key]))}`;
  const edited = [...eventFieldKeys, ...scheduleKeys].filter((key) => next[key] !== event[key]);
  // A new start is more than a day away: attendees are reminded again. Otherwise the notice of the change reminds them.
  const isFar = next.start_time > addSeconds(now, day);
  const changed = await run(
    db,
    sql`
      update events set (${columns}) = row(${values}), sequence = sequence + 1, updated_at = ${now},
        own_fields = case when series_id is null then own_fields
          else array(select distinct unnest(own_fields || ${edited}::text[]) order by 1) end,
        reminded_at = case when start_time = ${next.start_time} then reminded_at else ${isFar ? null : now}::timestamptz end
      where id = ${event.id} and (${columns}) is distinct from (${values})`,
  );
  return changed > 0;
}

/**
 * Marks events as cancelled, which must be locked. A sign-up that committed while this request waited for the lock may
 * carry a later timestamp than `now`; the cancellation must not come before it. Returns the first timestamp.
 */
export async function cancelEvents(db: Db, ids: readonly string[], now: Instant): Promise<Instant> {
  const [row] = await all(
    db,
    sql<{ deleted_at: Instant }>`
      update events set sequence = sequence + 1, updated_at = ${now}, deleted_at =
        greatest(${now}, (select max(answered_at) from ${going} a where a.event_id = events.id))
      where id = any(${ids}::uuid[]) and deleted_at is null returning deleted_at`,
  );
  return row?.deleted_at ?? fail('not_found');
}

export const cancel = (db: Db, { id }: LockedEvent, now: Instant): Promise<Instant> =>
  cancelEvents(db, [id], now);

/**
 * Reminds attendees of events that start within a day, again after a new start. Those who signed up in the last 24 hours
 * get no reminder.
 */
export async function remindAttendees(db: Db, now: Instant): Promise<void> {
  const due = await all(
    db,
    sql<{ event_id: string; club_id: string; cause: string }>`
      update events set reminded_at = ${now}
      where reminded_at is null and deleted_at is null
        and start_time > ${now} and start_time <= ${addSeconds(now, day)}
      returning id as event_id, owner_club_id as club_id, md5(id::text || start_time)::uuid as cause`,
  );
  const signedUpEarlier = sql<boolean>`exists (
    select 1 from ${going} a
    where a.event_id = e.id and a.user_id = m.user_id and a.answered_at < e.start_time - interval '24 hours')`;
  for (const event of due)
    await notify(db, { kind: 'event_reminder', actor: null, ...event, now }, signedUpEarlier);
}
