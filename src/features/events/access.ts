import { all, byRef, first, run, sql, type Db } from '#platform/db/client.ts';
import type { Actor, Context, ReadContext } from '#platform/context.ts';
import type { Instant } from '#wire/instant.ts';
import { fail, failIf } from '#wire/errors.ts';
import { askOf, hashOfNote, isGiven, ownFields, roleOf } from '#features/events/answer-queries.ts';
import { inCalendars } from '#features/events/calendar-queries.ts';
import type { Event } from '#features/events/contract.ts';
import { eventFieldKeys, type EventFields } from '#features/events/field-contract.ts';
import {
  eventFieldColumns,
  goingCounts,
  mustConfirm,
  myPlace,
  seatsLeft,
  waitingCount,
} from '#features/events/queries.ts';
import type { ZonedTimes } from '#features/events/mail-rules.ts';
import { isRunner, type PlannerOf } from '#features/members/rules.ts';
import { lockClub } from '#features/members/store.ts';
import { whyIsForNobody, withoutRemoved } from '#features/sections/rules.ts';
import { sectionIdsOf } from '#features/sections/store.ts';
import type { ClubRole } from '#features/users/contract.ts';

/** An event as a member of its club sees it, with their role in the event and in the club. */
export type EventInClub = EventFields &
  Pick<
    Event,
    'id' | 'slug' | 'owner_club_id' | 'start_time' | 'end_time' | 'entry_until_time' | 'time_zone' | 'polling'
  > &
  Pick<Event, 'deleted_at' | 'user_count' | 'guest_count' | 'seats_left' | 'waiting_count' | 'version'> &
  Pick<Event, 'my_role' | 'my_answer' | 'my_guests' | 'my_place' | 'my_lets_pass' | 'my_note'> &
  Pick<Event, 'must_confirm' | 'nudged'> & {
    club_slug: string;
    club_role: ClubRole;
    is_planner: boolean;
    /** The member's number among the hosts. 1 for the first host, null for a member who is no host. */
    my_host_no: number | null;
    /** When the member first gave this answer. */
    my_answered_at: Instant | null;
    /** Whether a standing answer or an absence gave the answer. */
    is_answer_given: boolean;
    /** The hash of the member's note, see `hashOfNote`. */
    my_note_hash: string;
    /** The member's reply, even if the question is gone. */
    my_reply: string;
    /** The id of the transaction that last wrote the answer. It serves as the version of the answer. */
    my_answer_version: string | null;
  };

/** The sections and needed numbers of an event after an edit, in the order of the sections. The club is locked. */
export async function audienceAfter(
  db: Db,
  planner: PlannerOf,
  before: Pick<EventFields, 'section_ids' | 'needed'>,
  patch: { [Key in 'section_ids' | 'needed']?: EventFields[Key] | undefined },
): Promise<Pick<EventFields, 'section_ids' | 'needed'>> {
  const { section_ids = before.section_ids, needed } = patch;
  const isChanged = patch.section_ids !== undefined || needed !== undefined;
  if (!isChanged || (section_ids.length === 0 && Object.keys(needed ?? before.needed).length === 0))
    return { section_ids, needed: needed ?? before.needed };
  const existing = await sectionIdsOf(db, planner);
  const next = needed ?? withoutRemoved({ section_ids, needed: before.needed }, existing).needed;
  failIf(whyIsForNobody({ section_ids, needed: next }, existing));
  return { section_ids: existing.filter((id) => section_ids.includes(id)), needed: next };
}

/**
 * The sections and needed numbers that an undo restores, without sections that were removed meanwhile. If none of those
 * that the event was for is left, it would be for everybody, so it is too late.
 */
export async function restorableAudience(
  db: Db,
  planner: PlannerOf,
  event: Pick<EventFields, 'section_ids' | 'needed'>,
  { section_ids, needed }: Partial<Pick<EventFields, 'section_ids' | 'needed'>>,
): Promise<Partial<Pick<EventFields, 'section_ids' | 'needed'>>> {
  if (!section_ids && !needed) return {};
  const old = { section_ids: section_ids ?? event.section_ids, needed: needed ?? event.needed };
  const kept = withoutRemoved(old, await sectionIdsOf(db, planner));
  if (old.section_ids.length > 0 && kept.section_ids.length === 0) fail('too_late');
  return kept;
}

declare const locked: unique symbol;

/** An event whose row is locked until the transaction ends. Every function that changes an event requires one. */
export interface LockedEvent extends EventInClub {
  readonly [locked]: true;
}

declare const runs: unique symbol;

/** An event whose viewer is one of its hosts or a planner of its club, and may read all answers. */
export interface ReadingRunnerOf extends EventInClub {
  readonly [runs]: true;
}

/** A `ReadingRunnerOf` whose event is locked. Every function that answers for a member requires a `RunnerOf`. */
export interface RunnerOf extends ReadingRunnerOf, LockedEvent {}

export type ViewerContext = Pick<Context, 'config'> & { user: Pick<Actor, 'id'> };

/** The events that a condition on columns of `events` selects, as a user sees them. */
const eventsWhere = (user: string, condition: ReturnType<typeof sql>) =>
  sql<EventInClub & { is_member: boolean }>`
      select events.id, events.slug, ${eventFieldColumns('events')}, owner_club_id, start_time, end_time,
        entry_until_time, time_zone, polling, deleted_at, sequence as version, c.slug as club_slug,
        m.user_id is not null as is_member, m.club_role,
        coalesce(is_planner(m.club_role, c.organisers_plan), false) as is_planner,
        case when mine.answer = 'going' then ${roleOf('mine')} end as my_role, mine.host_no as my_host_no, mine.answer as my_answer,
        coalesce(mine.guests, 0) as my_guests, coalesce(mine.note, '') as my_note,
        coalesce(${isGiven('mine')}, false) as is_answer_given,
        ${hashOfNote({ answer: 'mine', member: 'm' })} as my_note_hash,
        coalesce(mine.reply, '') as my_reply, mine.answered_at as my_answered_at,
        mine.xmin::text as my_answer_version,
        ${myPlace('mine')} as my_place, coalesce(mine.lets_pass, false) as my_lets_pass, nudged, g.*,
        ${mustConfirm({ answer: 'mine', ask: 'ask' }, user)} as must_confirm, ${waitingCount('events.id')} as waiting_count,
        ${seatsLeft({ event: 'events', counts: 'g' })} as seats_left
      from events join clubs c on c.id = owner_club_id
      left join members m on m.club_id = owner_club_id and m.user_id = ${user}
      left join answers mine on mine.event_id = events.id and mine.user_id = ${user}
      cross join lateral ${goingCounts('events.id')} as g left join lateral ${askOf('events')} as ask on true
      where ${condition}`;

const findEvent = (db: Db, user: string, ref: string) => first(db, eventsWhere(user, byRef('events', ref)));

/**
 * Reads the club of an event for a member of that club. Cheaper than `eventInClub`. The result may be out of date
 * unless the caller holds a lock on the club.
 */
export async function clubOfEvent(
  db: Db,
  { user, config }: ViewerContext,
  ref: string,
): Promise<Pick<EventInClub, 'owner_club_id' | 'club_slug'>> {
  const event = await first(
    db,
    sql<Pick<EventInClub, 'owner_club_id' | 'club_slug'> & { is_member: boolean }>`
      select owner_club_id, c.slug as club_slug, m.user_id is not null as is_member
      from events join clubs c on c.id = owner_club_id
      left join members m on m.club_id = owner_club_id and m.user_id = ${user.id}
      where ${byRef('events', ref)}`,
  );
  return requireMember(event, config);
}

function requireMember<Found extends { is_member: boolean }>(
  event: Found | undefined,
  { eventPreview }: ViewerContext['config'],
): Found {
  if (!event) fail('not_found');
  if (!event.is_member) fail(eventPreview ? 'not_member' : 'not_found');
  return event;
}

/** Reads an event for a request that changes nothing. The viewer's club role comes from the session. */
export async function readingEvent(
  db: Db,
  { user, config }: Pick<ReadContext, 'user' | 'config'>,
  ref: string,
): Promise<EventInClub> {
  const event = await findEvent(db, user.id, ref);
  const membership = user.memberships.get(event?.owner_club_id ?? '');
  return requireMember(
    event && ({ ...event, ...membership, is_member: membership !== undefined } as typeof event),
    config,
  );
}

/**
 * Reads an event for a member of its club. Outsiders get `not_member`, or `not_found` when previews are off, so that
 * they cannot probe for events.
 */
export async function eventInClub(
  db: Db,
  { user, config }: ViewerContext,
  ref: string,
): Promise<EventInClub> {
  return requireMember(await findEvent(db, user.id, ref), config);
}

/**
 * Answers have a foreign key to the times of their event, so inserting an answer takes a key-share lock on the event. A
 * transaction that changes the times must take `for update` at once: upgrading its lock later could deadlock with such
 * an insert.
 */
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

/**
 * Checks that the viewer is a runner of the event (one of its hosts or a planner of the club), for a request that only reads. The
 * function takes no lock, so its result is not a `RunnerOf`, and functions that write do not accept it.
 */
export const asReadingRunner = async (db: Db, viewer: Pick<ReadContext, 'user' | 'config'>, ref: string) =>
  requireRunner(await readingEvent(db, viewer, ref));

/** Checks that the member is a runner of the event. */
export const requireRunner = (event: EventInClub): ReadingRunnerOf =>
  isRunner(event, event) ? (event as ReadingRunnerOf) : fail('not_runner');

/** Checks that the user is a runner of the event. Reads roles and memberships after locking the club and the event. */
export async function asRunner(db: Db, viewer: ViewerContext, ref: string): Promise<RunnerOf> {
  const { owner_club_id } = requireRunner(await eventInClub(db, viewer, ref));
  await lockClub(db, owner_club_id);
  const event = await lockEvent(db, viewer, ref);
  return isRunner(event, event) ? (event as RunnerOf) : fail('not_runner');
}

/** The event as a member sees it. Throws `not_found` if the person is not a member. */
export async function eventOfMember(db: Db, { id }: RunnerOf, member: string): Promise<LockedEvent> {
  const event = await findEvent(db, member, id);
  return event?.is_member ? (event as EventInClub as LockedEvent) : fail('not_found');
}

declare const hosts: unique symbol;

/** A `RunnerOf` who may change the hosts of the event. Every function that changes them requires one. */
export interface HostsEditorOf extends RunnerOf {
  readonly [hosts]: true;
}

/** Checks that the user may make members hosts of the event: planners and the first host may. */
export async function asHostsEditor(db: Db, viewer: ViewerContext, ref: string): Promise<HostsEditorOf> {
  const event = await asRunner(db, viewer, ref);
  return event.is_planner || event.my_host_no === 1 ? (event as HostsEditorOf) : fail('not_runner');
}

/** Checks that the user may remove this host. Every host may step down. */
export const asRemoverOf = async (db: Db, viewer: ViewerContext, ref: string, host: string) =>
  host === viewer.user.id
    ? ((await asRunner(db, viewer, ref)) as HostsEditorOf)
    : asHostsEditor(db, viewer, ref);

/** An upcoming date of a series. */
export interface DateOfSeries {
  event: LockedEvent;
  slot_on: string;
  /** The fields that were edited for this date alone. */
  own_fields: string[];
  cancelled_by_break: boolean;
}

/**
 * Locks all unfinished dates of a series. Returns the dates that have not started, including cancelled dates.
 */
export async function lockUpcomingDates(
  db: Db,
  user: string,
  series: string,
  now: Instant,
): Promise<DateOfSeries[]> {
  await all(
    db,
    sql`select from events where series_id = ${series} and end_time > ${now} order by id for update`,
  );
  const isUpcoming = sql`series_id = ${series} and start_time > ${now}`;
  const events = await all(db, eventsWhere(user, isUpcoming));
  const slots = await all(
    db,
    sql<{ id: string } & Omit<DateOfSeries, 'event'>>`
      select id, slot_on::text, ${ownFields('events.id')} as own_fields, cancelled_by_break from events where ${isUpcoming} order by slot_on`,
  );
  const byId = new Map(events.map((event) => [event.id, event as EventInClub as LockedEvent]));
  return slots.map(({ id, ...slot }) => ({ event: byId.get(id) ?? fail('not_found'), ...slot }));
}

type Before = EventFields & ZonedTimes;

interface ChangeToRelay {
  event: Before & { id: string };
  /** The event before the change. */
  before: Before;
  /** When the change was made. Calendars that were fetched later show it. */
  since: Instant;
  /** The ids of all events that changed together. The `followers` of any of them already have a notice. */
  dates: string[];
  /** The id of the event's last change of time or place, or of its cancellation. */
  newest: string;
  is_cancelled: boolean;
  actor: string | null;
}

/** Reads a change unless it was undone or its event has ended. Locks the event, so that nobody gets two notices. */
export async function changeToRelay(db: Db, id: string, now: Instant): Promise<ChangeToRelay | undefined> {
  await run(
    db,
    sql`select from events where id = (select event_id from event_changes where id = ${id}) for no key update`,
  );
  const times = sql`e.id, e.start_time, e.end_time, e.time_zone`;
  const row = await first(
    db,
    sql<Omit<ChangeToRelay, 'event' | 'before'> & ChangeToRelay['event'] & { changed: Partial<Before> }>`
      select ${times}, ${sql.join(eventFieldKeys.map((key) => sql.ref(`e.${key}`)))}, h.before as changed,
        h.changed_at as since, n.id as newest, n.kind = 'cancelled' as is_cancelled, n.actor_id as actor,
        array(select e.id union select d.id from events d join event_changes c on c.event_id = d.id
          where d.series_id = e.series_id and c.changed_at = h.changed_at) as dates
      from event_changes h join events e on e.id = h.event_id
      cross join lateral (
        select * from event_changes c where c.event_id = e.id and c.undone_at is null and ${inCalendars('c')}
        order by c.changed_at desc, c.sequence desc limit 1) as n
      where h.id = ${id} and h.undone_at is null and e.end_time > ${now}`,
  );
  if (!row) return undefined;
  const { changed, since, newest, is_cancelled, actor, dates, ...event } = row;
  const { start_time, end_time, time_zone, location_name } = { ...event, ...changed };
  const before = { ...event, start_time, end_time, time_zone, location_name };
  return { event, before, since, newest, is_cancelled, actor, dates };
}
