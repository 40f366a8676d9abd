import { randomUUID } from 'node:crypto';
import { all, first, run, sql, type Db } from '#platform/db/client.ts';
import { searchTextFrom, type SearchedTable } from '#platform/db/search-text.ts';
import { raise } from '#platform/notices/raise.ts';
import { capability } from '#platform/slug.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import { slugFrom } from '#wire/slug.ts';
import { confirmedAt, going } from '#features/events/answer-queries.ts';
import type { ChangedFields, Event, EventChange, Reason } from '#features/events/contract.ts';
import { eventFieldKeys, type EventFields } from '#features/events/field-contract.ts';
import {
  changeBetween,
  changesGivenAnswers,
  scheduleKeys,
  type Schedule,
  type WhenAndForWhom,
} from '#features/events/form-rules.ts';
import { signedUpEarlier } from '#features/events/notice-queries.ts';
import { eventReminder } from '#features/events/notices.ts';
import type { HostsEditorOf, LockedEvent, RunnerOf } from '#features/events/access.ts';
import type { PlannerOf } from '#features/members/rules.ts';
import type { NudgedList } from '#features/notifications/contract.ts';

const day = 24 * 60 * 60;

const fieldColumns = sql.join(eventFieldKeys.map((key) => sql.ref(key)));
const fieldValues = (event: EventFields) => sql.join(eventFieldKeys.map((key) => event[key]));

export const searchedEvents: SearchedTable<'name'> = { name: 'events', lines: [['name']] };

/** Called when events are created. `app/features.ts` registers listeners of features that this one cannot import. */
export const onEventsCreated: ((
  db: Db,
  created: { ids: readonly string[]; hosts: readonly string[] },
  now: Instant,
) => Promise<unknown>)[] = [];

/** Called when an event was edited. `app/features.ts` registers listeners of features that this one cannot import. */
export const onEventEdited: ((db: Db, events: readonly string[], now: Instant) => Promise<unknown>)[] = [];

/**
 * Called when the day or the sections of an event changed, which decide whether absences and standing answers answer it.
 * `app/features.ts` registers listeners of features that this one cannot import.
 */
export const onEventMoved: typeof onEventEdited = [];

/** Listeners to edits are called only if members are on the waitlist: they only give free seats to those members. */
async function onEdited(db: Db, before: LockedEvent, after: WhenAndForWhom, now: Instant): Promise<void> {
  if (changesGivenAnswers(before, after))
    for (const listener of onEventMoved) await listener(db, [before.id], now);
  if (before.waiting_count > 0) for (const listener of onEventEdited) await listener(db, [before.id], now);
}

/** Records that the runners get a notice of a free seat. Returns false if they already got it. */
export const recordFreeSeatNotice = async (db: Db, event: string): Promise<boolean> =>
  (await run(db, sql`update events set free_told = true where id = ${event} and not free_told`)) > 0;

/**
 * The client may choose the readable part of a slug. The suffix is always random because the link grants access to the
 * preview.
 */
export const newSlug = ({ slug = '', name }: { slug?: string | undefined; name: string }): string =>
  [slugFrom(slug) || slugFrom(name), capability()].filter(Boolean).join('-');

/** One of several new events that share their fields; `slot_on` is the day that the rule of its series gave it. */
export type NewDate = Pick<Event, 'slug' | 'start_time' | 'end_time' | 'entry_until_time'> & {
  slot_on?: string;
  polling?: boolean;
};

/** The club, the hosts and the series of new events. `series` must be locked. */
interface Owner {
  club_id: string;
  /** The hosts in their order. They become the first attendees. */
  hosts: readonly string[];
  series?: string;
}

/** Adds events that share their fields, with a constant number of statements. Returns their ids. */
export async function createEvents(
  db: Db,
  { club_id, hosts, series }: Owner,
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
      insert into events (id, slug, owner_club_id, ${fieldColumns}, search_text, time_zone, series_id, start_time, end_time,
        entry_until_time, slot_on, polling, created_at, updated_at)
      select d.id, d.slug, ${club_id}, ${fieldValues(fields)}, ${searchTextFrom(searchedEvents, fields)}, ${fields.time_zone}, ${series ?? null}, d.start_time,
        d.end_time, d.entry_until_time, d.slot_on, d.polling, ${now}, ${now}
      from unnest(${ids}::uuid[], ${dates.map(({ slug }) => slug)}::text[], ${times('start_time')}, ${times('end_time')},
        ${times('entry_until_time')}, ${dates.map(({ slot_on = null }) => slot_on)}::date[],
        ${dates.map(({ polling = false }) => polling)}::boolean[])
        as d (id, slug, start_time, end_time, entry_until_time, slot_on, polling)`,
  );
  if (onEventsCreated.length === 0) throw new Error('app/features.ts is not loaded');
  for (const listener of onEventsCreated) await listener(db, { ids, hosts }, now);
  return ids;
}

type NewEvent = EventFields & Schedule & Pick<Event, 'slug'> & Pick<NewDate, 'polling'>;

/** Adds an event to the planner's club. The planner becomes the host and first attendee. */
export async function createEvent(
  db: Db,
  { club_id, user_id }: PlannerOf,
  event: NewEvent,
  now: Instant,
): Promise<string> {
  const [id] = await createEvents(db, { club_id, hosts: [user_id] }, event, [event], now);
  return id as string;
}

type Times = Pick<Event, 'start_time' | 'end_time'>;

/** Adds the times that members vote on. */
export const addTimes = (db: Db, event: string, times: readonly Times[]) =>
  run(
    db,
    sql`
      insert into event_times (event_id, start_time, end_time)
      select ${event}, * from unnest(${times.map(({ start_time }) => start_time)}::timestamptz[],
        ${times.map(({ end_time }) => end_time)}::timestamptz[])`,
  );

/**
 * Decides a poll: gives the event one of its times, deletes the other times and writes the history. Sign-up is open
 * until the start. Returns the id of the change.
 */
export async function fixTime(
  db: Db,
  event: LockedEvent,
  { id: time, start_time, end_time }: Times & Pick<Event, 'id'>,
  actor: string,
  now: Instant,
): Promise<string> {
  const id = randomUUID();
  const times = { start_time, end_time, entry_until_time: start_time };
  await run(
    db,
    sql`
      with fixed as (
        update events set ${assignments({ ...event, ...times }, now)}, polling = false where id = ${event.id}
        returning sequence),
      others as (delete from event_times where event_id = ${event.id} and id <> ${time})
      insert into event_changes (id, event_id, kind, actor_id, changed_at, sequence, after, told)
      select ${id}, ${event.id}, 'decided', ${actor}, ${now}, sequence, ${JSON.stringify(times)}, true from fixed`,
  );
  return id;
}

/**
 * If the start of an event has passed while its members still vote, moves the event to its next offered time, if any is
 * left.
 */
export async function passTimes(db: Db, now: Instant): Promise<void> {
  await run(
    db,
    sql`
      with due as materialized (
        select id from events e
        where polling and reminded_at is null and deleted_at is null and start_time <= ${now}
          and exists (select from event_times t where t.event_id = e.id and t.start_time > ${now})
        order by id for no key update skip locked)
      update events e set (start_time, end_time) = (
        select t.start_time, t.end_time from event_times t where t.event_id = e.id and t.start_time > ${now}
        order by t.start_time, t.end_time limit 1)
      where id in (select id from due)`,
  );
}

/** Records that a break cancelled these dates of a series. */
export const recordBreak = (db: Db, dates: readonly string[]) =>
  run(db, sql`update events set cancelled_by_break = true where id = any(${dates}::uuid[])`);

/** Moves dates to other days of the rule. Dates without a new day leave the series. */
export const moveSlots = (db: Db, slots: readonly { id: string; slot_on: string | null }[]) =>
  run(
    db,
    sql`
      update events set slot_on = s.slot_on, series_id = case when s.slot_on is not null then series_id end
      from unnest(${slots.map(({ id }) => id)}::uuid[], ${slots.map((slot) => slot.slot_on)}::date[]) as s (id, slot_on)
      where events.id = s.id`,
  );

/** Sets a column. The condition keeps PostgreSQL from storing an unchanged long text again. */
const assignment = (column: string, value: unknown) =>
  sql`${sql.ref(column)} = case when ${sql.ref(column)} is not distinct from ${value} then ${sql.ref(column)} else ${value} end`;

/** The assignments of an update of an event. The sequence is incremented, so that calendars see a new revision. */
function assignments(next: EventFields & Schedule, now: Instant) {
  const keys = [...eventFieldKeys, ...scheduleKeys];
  // If the new start is more than a day away, attendees are reminded again. Otherwise the notice of the change serves
  // as the reminder.
  const isFar = next.start_time > addSeconds(now, day);
  return sql`${sql.join(keys.map((key) => assignment(key, next[key])))}, search_text = ${searchTextFrom(searchedEvents, next)},
    sequence = sequence + 1, updated_at = ${now}, short_notified = short_notified and ${next.entry_until_time <= now},
    reminded_at = case when start_time = ${next.start_time} then reminded_at else ${isFar ? null : now}::timestamptz end`;
}

/** An admin's choices and words for an edit. */
export interface EditNote {
  actor: string;
  announced: boolean;
  /** Whether members have to confirm their answers. */
  asksAgain?: boolean;
  reason?: Reason | undefined;
  words?: string | undefined;
  /** Whether the whole series changes. */
  ofSeries?: boolean;
}

/** Updates an event, writes its history and returns the id of the change. Does nothing if no field changes. */
export async function updateEvent(
  db: Db,
  event: LockedEvent,
  next: EventFields & Schedule,
  { actor, announced, asksAgain = false, reason, words = '', ofSeries = false }: EditNote,
  now: Instant,
): Promise<string | undefined> {
  const change = changeBetween(event, next);
  if (!change) return undefined;
  const id = randomUUID();
  const [before, after] = [JSON.stringify(change.before), JSON.stringify(change.after)];
  // An answer that committed while this edit waited for the lock may carry a later time than `now`. The change must not
  // be earlier than that, so that this answer has to be confirmed too.
  const answered = sql`(select max(${confirmedAt('a')}) from answers a where event_id = ${event.id} and ${asksAgain})`;
  // Only an undo needs the long texts, and an edit of a series cannot be undone.
  const long_texts = change.long_texts && !ofSeries ? JSON.stringify(change.long_texts) : null;
  await run(
    db,
    sql`
      with updated as (
        update events set ${assignments(next, now)} where id = ${event.id} returning sequence)
      insert into event_changes (id, event_id, kind, actor_id, changed_at, sequence, before, after, long_texts,
        reason, words, asked_again, told, of_series)
      select ${id}, ${event.id}, 'edit', ${actor}, greatest(${now}, ${answered}), sequence, ${before}, ${after},
        ${long_texts}::jsonb, ${reason ?? null}, ${words}, ${asksAgain}, ${announced}, ${ofSeries}
      from updated`,
  );
  // The dates of a series are answered together.
  await onEdited(db, event, ofSeries ? event : next, now);
  return id;
}

/** Writes a change of the hosts into the history; returns the id of the change. `host` became a host, or was one. */
export async function recordChangeOfHost(
  db: Db,
  { id: event, version }: Pick<HostsEditorOf, 'id' | 'version'>,
  { kind, actor, host }: { kind: `host${string}` & EventChange['kind']; actor: string; host: string },
  now: Instant,
): Promise<string> {
  const id = randomUUID();
  await run(
    db,
    sql`insert into event_changes (id, event_id, kind, actor_id, host_id, changed_at, sequence, told)
        values (${id}, ${event}, ${kind}, ${actor}, ${host}, ${now}, ${version}, true)`,
  );
  return id;
}

/** A stored change, with the values that an undo restores. */
interface StoredChange extends Pick<EventChange, 'id' | 'kind' | 'changed_at' | 'undone_at'> {
  actor_id: string | null;
  sequence: number;
  old: ChangedFields;
}

/** Reads a change of this event, unless it changed the whole series. */
export const changeOf = (db: Db, { id: event }: LockedEvent, id: string) =>
  first(
    db,
    sql<StoredChange>`
      select id, kind, changed_at, undone_at, actor_id, sequence, before || coalesce(long_texts, '{}') as old
      from event_changes where id = ${id} and event_id = ${event} and not of_series`,
  );

/** Restores the state before a change, and marks the change as undone. */
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
  await onEdited(db, event, { ...event, ...old }, now);
}

/** Deletes the texts that only an undo needs. */
export const deleteLongTexts = (db: Db, before: Instant) =>
  run(
    db,
    sql`update event_changes set long_texts = null where long_texts is not null and changed_at < ${before}`,
  );

/** Removes the words that a user added to changes. */
export const removeWords = (db: Db, user: string) =>
  run(db, sql`update event_changes set words = '' where actor_id = ${user} and words <> ''`);

/** The author, reason and words of a cancellation. */
type CancelNote = Pick<EditNote, 'actor' | 'reason' | 'words'>;

/**
 * Marks these events, which must be locked, as cancelled, and writes their history. A sign-up that committed while this
 * request waited for the lock may carry a later timestamp than `now`; the cancellation must not come before it. Returns
 * the `deleted_at` of the first event.
 */
export async function cancelEvents(
  db: Db,
  ids: readonly string[],
  { actor, reason, words = '' }: CancelNote,
  now: Instant,
): Promise<Instant> {
  const [row] = await all(
    db,
    sql<{ deleted_at: Instant }>`
      with cancelled as (
        update events set sequence = sequence + 1, updated_at = ${now}, deleted_at =
          greatest(${now}, (select max(answered_at) from ${going} a where a.event_id = events.id))
        where id = any(${ids}::uuid[]) and deleted_at is null returning id, sequence, deleted_at),
      recorded as (
        insert into event_changes (id, event_id, kind, actor_id, changed_at, sequence, reason, words, told)
        select gen_random_uuid(), id, 'cancelled', ${actor}, ${now}, sequence, ${reason ?? null}, ${words}, true
        from cancelled)
      select deleted_at from cancelled`,
  );
  return row?.deleted_at ?? fail('not_found');
}

export const cancel = (db: Db, { id }: LockedEvent, note: CancelNote, now: Instant): Promise<Instant> =>
  cancelEvents(db, [id], note, now);

/** Counts a nudge to the members on a list, see `whyCannotNudge`. */
export function recordNudge(db: Db, { id, nudged }: RunnerOf, list: NudgedList, now: Instant) {
  const times = 1 + (nudged.find((each) => each.list === list)?.times ?? 0);
  const next = [...nudged.filter((each) => each.list !== list), { list, times, last_at: now }];
  return run(
    db,
    sql`update events set nudges = nudges + 1, nudged_at = ${now}, nudged = ${JSON.stringify(next)} where id = ${id}`,
  );
}

/**
 * Reminds the attendees of each event that starts within 24 hours, unless they signed up in the 24 hours before the
 * start. If the start moves to more than a day away, attendees are reminded again.
 */
export async function remindAttendees(db: Db, now: Instant): Promise<void> {
  const due = await all(
    db,
    sql<{ event_id: string; start_time: Instant; dedupe_key: string }>`
      update events set reminded_at = ${now}
      where reminded_at is null and deleted_at is null and not polling
        and start_time > ${now} and start_time <= ${addSeconds(now, day)}
      returning id as event_id, start_time, md5(id::text || start_time)::uuid as dedupe_key`,
  );
  for (const { dedupe_key: dedupeKey, ...facts } of due)
    await raise(db, eventReminder, { facts, dedupeKey, now }, signedUpEarlier(facts.event_id));
}

/** The ids of the events that need people and whose sign-up has closed. Each closing of an event is returned once. */
export const takeClosed = (db: Db, now: Instant): Promise<{ id: string }[]> =>
  all(
    db,
    sql<{ id: string }>`
      update events set short_notified = true
      where needed <> '{}' and not short_notified and entry_until_time <= ${now} and end_time > ${now} and not polling
        and deleted_at is null returning id`,
  );
