import { randomUUID } from 'node:crypto';
import { all, byRef, first, run, sql, type Db } from '#platform/db/client.ts';
import type { Actor, Context } from '#platform/context.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import {
  eventFieldKeys,
  type ChangedFields,
  type Event,
  type EventChange,
  type EventFields,
  type Reason,
} from '#features/events/contract.ts';
import { eventFieldColumns, mustConfirm, myPlace, waitingCount } from '#features/events/queries.ts';
import { changeBetween, scheduleKeys, type Schedule } from '#features/events/form-rules.ts';
import { isRunner, role, type AdminOf } from '#features/members/rules.ts';
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
  Pick<Event, 'deleted_at' | 'user_count' | 'guest_count' | 'seats_left' | 'waiting_count' | 'version'> &
  Pick<Event, 'my_role' | 'my_answer' | 'my_guests' | 'my_place' | 'my_lets_pass' | 'my_note'> &
  Pick<Event, 'must_confirm' | 'nudges' | 'nudged_at'> & {
    club_slug: string;
    club_role: ClubRole;
    /** Since when the member gives this answer. */
    my_answered_at: Instant | null;
  };

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

type ViewerContext = Pick<Context, 'config'> & { user: Pick<Actor, 'id'> };

const findEvent = (db: Db, user: string, ref: string) =>
  first(
    db,
    sql<EventInClub & { is_member: boolean }>`
      select events.id, events.slug, ${eventFieldColumns('events')}, owner_club_id, start_time, end_time,
        entry_until_time, time_zone, deleted_at, sequence as version, c.slug as club_slug,
        m.user_id is not null as is_member, m.club_role,
        case when mine.answer = 'going' then mine.attendee_role end as my_role, mine.answer as my_answer,
        coalesce(mine.guests, 0) as my_guests, coalesce(mine.note, '') as my_note, mine.answered_at as my_answered_at,
        ${myPlace} as my_place, coalesce(mine.lets_pass, false) as my_lets_pass, nudges, nudged_at, g.*,
        ${mustConfirm(user, 'events.id')} as must_confirm,
        ${waitingCount('events.id')} as waiting_count,
        case when capacity is not null then greatest(0, capacity - g.user_count - g.guest_count) end as seats_left
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

declare const hosts: unique symbol;

/** The event as an admin sees it who may become its host. */
export interface NextHostOf extends LockedEvent {
  readonly [hosts]: true;
}

/** Checks that this user is an admin of the club, whose lock keeps them one. */
export async function asNextHost(db: Db, { id }: RunnerOf, user: string): Promise<NextHostOf> {
  const event = await findEvent(db, user, id);
  return event?.is_member && event.club_role === role.admin
    ? (event as EventInClub as NextHostOf)
    : fail('not_an_admin');
}

/** What later features do when an event is created. Registered in `app/features.ts`. */
export const onEventCreated: ((
  db: Db,
  event: { id: string; creator: string },
  now: Instant,
) => Promise<unknown>)[] = [];

/** What later features do when an event was edited. Registered in `app/features.ts`. */
export const onEventEdited: ((db: Db, events: readonly string[], now: Instant) => Promise<unknown>)[] = [];

/** An edit can only give seats to people who wait. */
async function onEdited(db: Db, { id, waiting_count }: LockedEvent, now: Instant): Promise<void> {
  if (waiting_count > 0) for (const listener of onEventEdited) await listener(db, [id], now);
}

/** Records that the organisers are told of a free seat. Returns false if they were told before. */
export const tellOfFreeSeat = async (db: Db, event: string): Promise<boolean> =>
  (await run(db, sql`update events set free_told = true where id = ${event} and not free_told`)) > 0;

/** Adds an event to the admin's club. The admin becomes the host and first attendee. */
export async function createEvent(
  db: Db,
  { club_id, user_id }: AdminOf,
  event: NewEvent,
  now: Instant,
): Promise<string> {
  const id = randomUUID();
  await run(
    db,
    sql`
      insert into events (id, slug, owner_club_id, ${fieldColumns}, start_time, end_time, entry_until_time, time_zone,
        created_at, updated_at)
      values (${id}, ${event.slug}, ${club_id}, ${fieldValues(event)}, ${event.start_time},
        ${event.end_time}, ${event.entry_until_time}, ${event.time_zone}, ${now}, ${now})`,
  );
  if (onEventCreated.length === 0) throw new Error('app/features.ts is not loaded');
  for (const listener of onEventCreated) await listener(db, { id, creator: user_id }, now);
  return id;
}

/** What an update of an event sets. The sequence rises, so that calendars see a new revision. */
function assignments(next: EventFields & Schedule, now: Instant) {
  const columns = sql`${fieldColumns}, ${sql.join(scheduleKeys.map((key) => sql.ref(key)))}`;
  const values = sql`${fieldValues(next)}, ${sql.join(scheduleKeys.map((key) => next[key]))}`;
  // A new start is more than a day away: attendees are reminded again. Otherwise the notice of the change reminds them.
  const isFar = next.start_time > addSeconds(now, day);
  return sql`(${columns}) = row(${values}), sequence = sequence + 1, updated_at = ${now},
    reminded_at = case when start_time = ${next.start_time} then reminded_at else ${isFar ? null : now}::timestamptz end`;
}

/** People who are asked to confirm may be nudged as if for the first time. */
const nudgesAfter = (asked: boolean) => (asked ? sql`nudges = 0, nudged_at = null` : sql`nudges = nudges`);

/** What an admin says about an edit. */
interface EditNote {
  actor: string;
  told: boolean;
  /** Whether people have to confirm their answers. */
  asked?: boolean;
  reason?: Reason | undefined;
  words?: string | undefined;
}

/** Updates an event and writes its history; returns the id of the change. An update that changes nothing does neither. */
export async function updateEvent(
  db: Db,
  event: LockedEvent,
  next: EventFields & Schedule,
  { actor, told, asked = false, reason, words = '' }: EditNote,
  now: Instant,
): Promise<string | undefined> {
  const change = changeBetween(event, next);
  if (!change) return undefined;
  const id = randomUUID();
  const [before, after] = [JSON.stringify(change.before), JSON.stringify(change.after)];
  // An answer that this edit waited for may be later than `now`, and is older than the question.
  const answered = sql`(select max(answered_at) from answers where event_id = ${event.id} and ${asked})`;
  const long_texts = change.long_texts && JSON.stringify(change.long_texts);
  await run(
    db,
    sql`
      with updated as (
        update events set ${assignments(next, now)}, ${nudgesAfter(asked)} where id = ${event.id} returning sequence)
      insert into event_changes (id, event_id, kind, actor_id, changed_at, sequence, before, after, long_texts,
        reason, words, asked_again, told)
      select ${id}, ${event.id}, 'edit', ${actor}, greatest(${now}, ${answered}), sequence, ${before}, ${after},
        ${long_texts}::jsonb, ${reason ?? null}, ${words}, ${asked}, ${told}
      from updated`,
  );
  await onEdited(db, event, now);
  return id;
}

interface OtherChange extends Pick<EditNote, 'actor' | 'reason' | 'words'> {
  kind: 'cancelled' | 'host';
  /** The new host. */
  host?: string;
}

/** Writes a cancellation or a new host into the history; returns the id of the change. */
export async function recordChange(
  db: Db,
  { id: event, version }: LockedEvent,
  { kind, actor, host, reason, words = '' }: OtherChange,
  now: Instant,
): Promise<string> {
  const id = randomUUID();
  const sequence = kind === 'cancelled' ? version + 1 : version;
  await run(
    db,
    sql`insert into event_changes (id, event_id, kind, actor_id, host_id, changed_at, sequence, reason, words, told)
        values (${id}, ${event}, ${kind}, ${actor}, ${host ?? null}, ${now}, ${sequence}, ${reason ?? null}, ${words}, true)`,
  );
  return id;
}

/** A stored change, with the values that an undo restores. */
interface StoredChange extends Pick<EventChange, 'id' | 'kind' | 'changed_at' | 'undone_at'> {
  actor_id: string | null;
  sequence: number;
  old: ChangedFields;
}

/** A change of this event. */
export const changeOf = (db: Db, { id: event }: LockedEvent, id: string) =>
  first(
    db,
    sql<StoredChange>`
      select id, kind, changed_at, undone_at, actor_id, sequence, before || coalesce(long_texts, '{}') as old
      from event_changes where id = ${id} and event_id = ${event}`,
  );

/** Restores what an event was before a change, and marks the change as undone. */
export async function undoChange(
  db: Db,
  event: LockedEvent,
  { id, old }: StoredChange,
  now: Instant,
): Promise<void> {
  await run(
    db,
    sql`
      with restored as (update events set ${assignments({ ...event, ...old }, now)} where id = ${event.id})
      update event_changes set undone_at = ${now}, long_texts = null where id = ${id}`,
  );
  await onEdited(db, event, now);
}

/** The texts that only an undo needs. */
export const deleteLongTexts = (db: Db, before: Instant) =>
  run(
    db,
    sql`update event_changes set long_texts = null where long_texts is not null and changed_at < ${before}`,
  );

/**
 * Marks an event as cancelled. A sign-up that committed while this request waited for the lock may carry a later
 * timestamp than `now`; the cancellation must not come before it.
 */
export async function cancel(db: Db, { id }: LockedEvent, now: Instant): Promise<Instant> {
  const row = await first(
    db,
    sql<{ deleted_at: Instant }>`
      update events set sequence = sequence + 1, updated_at = ${now}, deleted_at =
        greatest(${now}, (select max(answered_at) from ${going} a where a.event_id = ${id}))
      where id = ${id} returning deleted_at`,
  );
  return row?.deleted_at ?? fail('not_found');
}

/** Counts a nudge, see `whyCannotNudge`. */
export const recordNudge = (db: Db, { id }: RunnerOf, now: Instant) =>
  run(db, sql`update events set nudges = nudges + 1, nudged_at = ${now} where id = ${id}`);

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
