import { z } from 'zod';
import type { Recipient } from '#platform/notices/notice.ts';
import { all, first, isoTimestamp, sql, type Db } from '#platform/db/client.ts';
import { Instant } from '#wire/instant.ts';
import { askOf } from '#features/events/answer-queries.ts';
import type { Answer } from '#features/events/choice-contract.ts';
import type { ChangedFields, EventChange, Reason } from '#features/events/contract.ts';
import type { EventFields } from '#features/events/field-contract.ts';
import { eventFieldColumns, mustConfirm, recurrenceFields } from '#features/events/queries.ts';
import { Recurrence } from '#features/events/time-contract.ts';
import { isFor } from '#features/sections/queries.ts';
import type { ClubRole } from '#features/users/contract.ts';

/**
 * A snapshot of an event that may have been deleted by the time that a notice about it is sent. It contains no texts
 * that only members may read.
 */
export const EventSnapshot = z.object({
  id: z.uuid(),
  slug: z.string(),
  name: z.string(),
  location_name: z.string(),
  start_time: Instant,
  end_time: Instant,
  time_zone: z.string(),
  created_at: Instant,
  updated_at: Instant,
  sequence: z.int(),
  deleted_at: Instant.nullable(),
  polling: z.boolean(),
  /** How the event repeats. Null if it does not. Older snapshots have it in English words: 'Every Tuesday'. */
  repeats: z.union([Recurrence, z.string()]).nullable(),
  /** When the calendar entry of the event last changed for the recipient, if that was recorded. */
  reader_changed_at: Instant.nullish(),
  /** Whether the recipient got the event as a calendar invitation by email. */
  invited: z.boolean().optional(),
});
export type EventSnapshot = z.infer<typeof EventSnapshot>;

/** How an event repeats, as JSON. */
const recurrenceOf = (event: string) =>
  sql`(select json_build_object(${recurrenceFields('s')}) from series s where s.id = ${sql.ref(event)}.series_id)`;

/** An event as an `EventSnapshot` in JSON. */
export function snapshotOf(event: string) {
  const e = sql.ref(event);
  return sql`jsonb_build_object('id', ${e}.id, 'slug', ${e}.slug, 'name', ${e}.name, 'location_name', ${e}.location_name,
    'start_time', ${isoTimestamp(`${event}.start_time`)}, 'end_time', ${isoTimestamp(`${event}.end_time`)}, 'time_zone', ${e}.time_zone,
    'created_at', ${isoTimestamp(`${event}.created_at`)}, 'updated_at', ${isoTimestamp(`${event}.updated_at`)}, 'sequence', ${e}.sequence,
    'deleted_at', ${isoTimestamp(`${event}.deleted_at`)}, 'polling', ${e}.polling, 'repeats', ${recurrenceOf(event)})`;
}

/** Snapshots of these events as they are now, keyed by id. */
export async function snapshotsOf(db: Db, ids: readonly string[]): Promise<Record<string, EventSnapshot>> {
  const rows = await all(
    db,
    sql<{
      event: EventSnapshot;
    }>`select ${snapshotOf('e')} as event from events e where id = any(${ids}::uuid[])`,
  );
  return Object.fromEntries(rows.map(({ event }) => [event.id, event]));
}

/** Snapshots of cancelled events. The notice stores the snapshots, so they remain if the events are deleted. */
export async function cancelledEvents(
  db: Db,
  ids: readonly string[],
): Promise<{ club_id?: string; club_name: string; events: Record<string, EventSnapshot> }> {
  const row = await first(
    db,
    sql<{ club_id: string; club_name: string; events: Record<string, EventSnapshot> }>`
      select c.id as club_id, c.club_name, jsonb_object_agg(e.id, ${snapshotOf('e')}) as events
      from events e join clubs c on c.id = e.owner_club_id where e.id = any(${ids}::uuid[]) group by c.id`,
  );
  return row ?? { club_name: '', events: {} };
}

/** An event as a notice shows it to a reader, with their answer. */
export interface EventForReader extends EventFields, Omit<EventSnapshot, 'reader_changed_at' | 'invited'> {
  entry_until_time: Instant;
  series_id: string | null;
  club_id: string;
  club_name: string;
  club_slug: string;
  club_picture: string | null;
  user_id: string;
  club_role: ClubRole;
  is_planner: boolean;
  answer: Answer | null;
  /** How the answer was given. 'standing': it comes from the reader's standing answer to the series. */
  via: string | null;
  guests: number;
  is_host: boolean;
  /** Whether the event is for the reader. */
  is_for: boolean;
  must_confirm: boolean;
  /** For the answer links. Null for hosts, who cannot answer by link. */
  answer_key: string | null;
}

interface EventRecipient {
  user_id: string;
  facts: { event_id: string };
}

/**
 * The events that notices are about, in the order of the recipients; null if the recipient is not a member of the club,
 * or the event is gone. `limit 1` makes the planner look up each row by its key. Without it, the planner might scan the
 * tables, because it does not know how many recipients there are.
 */
export async function eventsForMembers(
  db: Db,
  recipients: readonly EventRecipient[],
): Promise<(EventForReader | null)[]> {
  const rows = await all(
    db,
    sql<EventForReader | { user_id: null }>`
      select e.id, e.slug, ${eventFieldColumns('e')}, e.start_time, e.end_time, e.entry_until_time, e.time_zone, e.created_at,
        e.updated_at, e.sequence, e.deleted_at, e.polling, ${recurrenceOf('e')} as repeats, e.series_id, c.id as club_id,
        c.club_name, c.slug as club_slug, c.profile_picture_url as club_picture, m.user_id, m.club_role,
        is_planner(m.club_role, c.organisers_plan), a.answer, a.via, coalesce(a.guests, 0) as guests,
        a.host_no is not null as is_host, ${isFor('e', 'm')} as is_for,
        ${mustConfirm({ answer: 'a', ask: 'ask' }, sql.ref('m.user_id'))} as must_confirm,
        case when a.host_no is null then m.answer_key end as answer_key
      from unnest(${recipients.map(({ user_id }) => user_id)}::uuid[], ${recipients.map(({ facts }) => facts.event_id)}::uuid[])
        with ordinality as wanted (user_id, event_id, nth)
      left join lateral (select * from events where id = wanted.event_id limit 1) as e on true
      left join lateral (
        select * from members where club_id = e.owner_club_id and user_id = wanted.user_id limit 1) as m on true
      left join lateral (select * from clubs where id = m.club_id limit 1) as c on true
      left join lateral (select * from answers where event_id = e.id and user_id = m.user_id limit 1) as a on true
      left join lateral ${askOf('e')} as ask on true
      order by wanted.nth`,
  );
  return rows.map((row) => (row.user_id === null ? null : row));
}

/**
 * For each recipient, the events that their notice is about, in the order of `idsOf`. Leaves out events for which
 * `eventsForMembers` returns null.
 */
export async function eventsOfEach<Facts>(
  db: Db,
  recipients: readonly Pick<Recipient<Facts>, 'user_id' | 'facts'>[],
  idsOf: (facts: Facts) => readonly string[],
): Promise<EventForReader[][]> {
  const lists = recipients.map((recipient) => ({ recipient, events: [] as EventForReader[] }));
  const wanted = lists.flatMap(({ recipient: { user_id, facts }, events }) =>
    [...new Set(idsOf(facts))].map((event_id) => ({ user_id, facts: { event_id }, events })),
  );
  const found = await eventsForMembers(db, wanted);
  for (const [at, { events }] of wanted.entries()) {
    const event = found[at];
    if (event) events.push(event);
  }
  return lists.map(({ events }) => events);
}

/** The facts of each notice, with its event; null where `eventsForMembers` returns null. */
export async function withEvents<Facts extends EventRecipient['facts']>(
  db: Db,
  recipients: readonly Recipient<Facts>[],
): Promise<((Facts & { event: EventForReader }) | null)[]> {
  const events = await eventsForMembers(db, recipients);
  return recipients.map(({ facts }, n) => {
    const event = events[n];
    return event ? { ...facts, event } : null;
  });
}

/** Of these ids, the ids of events that still exist. */
export async function existingEvents(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await all(db, sql<{ id: string }>`select id from events where id = any(${ids}::uuid[])`);
  return new Set(rows.map(({ id }) => id));
}

/** A change in the history of an event. */
export interface RecordedChange {
  id: string;
  event_id: string;
  kind: EventChange['kind'];
  before: ChangedFields;
  after: ChangedFields;
  reason: Reason | null;
  words: string;
  asked_again: boolean;
}

/**
 * The announced changes of each event from the first of these `changes` on, oldest first. Changes that were undone are
 * left out.
 */
export const changesSince = (db: Db, changes: readonly string[]): Promise<RecordedChange[]> =>
  all(
    db,
    sql<RecordedChange>`
      select h.id, h.event_id, h.kind, h.before || coalesce(h.long_texts, '{}') as before, h.after, h.reason, h.words,
        h.asked_again
      from event_changes h join (
        select event_id, min(sequence) as sequence from event_changes where id = any(${changes}::uuid[]) group by 1) as since
        using (event_id)
      where h.sequence >= since.sequence and h.told and h.undone_at is null order by h.sequence`,
  );

/** Why events were cancelled, keyed by event id. */
export async function reasonsOf(
  db: Db,
  events: readonly string[],
): Promise<Map<string, Pick<RecordedChange, 'reason' | 'words'>>> {
  const rows = await all(
    db,
    sql<Pick<RecordedChange, 'event_id' | 'reason' | 'words'>>`
      select distinct on (event_id) event_id, reason, words from event_changes
      where event_id = any(${events}::uuid[]) and kind = 'cancelled' order by event_id, sequence desc`,
  );
  return new Map(rows.map(({ event_id, ...why }) => [event_id, why]));
}

/** The times that members vote on, earliest first, keyed by event id. */
export async function offeredTimes(
  db: Db,
  events: readonly string[],
): Promise<Map<string, Pick<EventSnapshot, 'start_time' | 'end_time'>[]>> {
  if (events.length === 0) return new Map();
  const rows = await all(
    db,
    sql<Pick<EventSnapshot, 'start_time' | 'end_time'> & { event_id: string }>`
      select event_id, start_time, end_time from event_times where event_id = any(${events}::uuid[])
      order by start_time, end_time`,
  );
  return Map.groupBy(rows, ({ event_id }) => event_id);
}

const concerned = (events: readonly string[], answers: ReturnType<typeof sql>) => {
  const ids = sql`${events}::uuid[]`;
  return sql`
    select m.user_id, p.event_id from (
      select event_id, user_id from answers where event_id = any(${ids}) and ${answers}
      union select event_id, user_id from event_followers where event_id = any(${ids})
      union select event_id, user_id from time_votes where event_id = any(${ids}) and vote <> 'no') as p
    cross join lateral (select owner_club_id from events where id = p.event_id limit 1) as e
    cross join lateral (
      select user_id from members where club_id = e.owner_club_id and user_id = p.user_id limit 1) as m`;
};

/**
 * The audience of a notice about these events, as rows of `user_id` and `event_id`: members who are going, waiting or
 * said maybe, members who voted for one of the times, and members who follow an event.
 */
export const followers = (...events: string[]) => concerned(events, sql`answer <> 'no'`);

/** The `followers`, and the members who said no, because the event may suit them now. */
export const followersAndDecliners = (...events: string[]) => concerned(events, sql`true`);

/** The hosts of an event who are in its club: rows of `user_id`. */
export const hostsOf = (event: string) => sql`
  select m.user_id from events e join members m on m.club_id = e.owner_club_id
  join answers a on a.event_id = e.id and a.user_id = m.user_id and a.host_no is not null where e.id = ${event}`;

/** Members without an answer whom an event was not for while it was for the sections `before`: rows of `user_id`. */
export const newlyIncluded = (event: string, before: readonly string[]) => sql`
  select m.user_id from events e join members m on m.club_id = e.owner_club_id and ${isFor('e', 'm')}
  where e.id = ${event} and not is_for(${before}::uuid[], m.section_ids)
    and not exists (select from answers a where a.event_id = e.id and a.user_id = m.user_id)`;

/** Members who signed up more than a day before the event starts: rows of `user_id`. */
export const signedUpEarlier = (event: string) => sql`
  select a.user_id from events e join answers a on a.event_id = e.id and a.answer = 'going'
  join members m on m.club_id = e.owner_club_id and m.user_id = a.user_id
  where e.id = ${event} and a.answered_at < e.start_time - interval '24 hours'`;
