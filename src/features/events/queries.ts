import type { RawBuilder } from 'kysely';
import { z } from 'zod';
import { all, isoTimestamp, sql, type Db } from '#platform/db/client.ts';
import { versionedLoader } from '#platform/db/versioned.ts';
import { keyIn, pageSize, pageOf, rowsForPage } from '#platform/db/pagination.ts';
import type { Viewer } from '#platform/context.ts';
import { firstInstant, lastInstant, type Instant } from '#wire/instant.ts';
import type { MemberOf } from '#features/members/rules.ts';
import { askOf, confirmedAt, going, lastMove, roleOf } from '#features/events/answer-queries.ts';
import { hasVoted, timeCount } from '#features/events/poll-queries.ts';
import type {
  events as contract,
  Event,
  EventCard,
  Phase,
  SharedCard,
  ViewerCard,
} from '#features/events/contract.ts';
import { eventFieldKeys, type EventField } from '#features/events/field-contract.ts';
import type { Attendee } from '#features/events/people-contract.ts';
import { isForViewer, sectionNames } from '#features/sections/queries.ts';
import { homeEventLimit, nearestFirst, timeColumns } from '#features/events/rules.ts';

/** The columns of the event fields with these keys; by default, of all event fields. */
export const eventFieldColumns = (table: string, keys: readonly EventField[] = eventFieldKeys) =>
  sql.join(keys.map((key) => sql.ref(`${table}.${key}`)));

/** The answers on waitlists. 'waiting' is a literal: PostgreSQL does not use the partial index for a parameter. */
const waiting = sql`(select * from answers where answer = 'waiting')`;

/** The fields of a `Recurrence`, for `json_build_object`. */
export function recurrenceFields(series: string) {
  const s = sql.ref(series);
  return sql`'freq', ${s}.freq, 'every', ${s}.every, 'weekdays', ${s}.weekdays, 'month_day', ${s}.month_day, 'nth', ${s}.nth`;
}

/** The series of an event as cards contain it, in JSON. Null for an event that does not repeat. */
export function seriesOf(event: string) {
  const e = sql.ref(event);
  return sql`(
    select json_build_object('slug', s.slug, ${recurrenceFields('s')}) from series s
    where s.id = ${e}.series_id and ${e}.series_id is not null)`;
}

/** The rank of an answer on the waitlist; null for an answer that does not wait. */
export function myPlace(answer: string) {
  const mine = sql.ref(answer);
  return sql`case when ${mine}.answer = 'waiting' then (
    select count(*)::int from ${waiting} a where a.event_id = ${mine}.event_id and a.place <= ${mine}.place) end`;
}

/** The number of members on the waitlist of the event with this id. */
export const waitingCount = (event: string) =>
  sql`(select count(*)::int from ${waiting} a where a.event_id = ${sql.ref(event)})`;

/** The columns of `answers` by which each list is sorted. The hosts come first in any case. */
const orders = {
  going: ['answered_at', 'user_id'],
  waiting: ['place'],
  maybe: ['answered_at', 'user_id'],
};

/** The answers that members see with names. */
export type NamedAnswer = keyof typeof orders;

const orderOf = (answers: string, answer: NamedAnswer) =>
  sql.join(orders[answer].map((column) => sql.ref(`${answers}.${column}`)));

const hostsFirst = (answers: string, answer: NamedAnswer) =>
  sql`order by ${sql.ref(answers)}.host_no, ${orderOf(answers, answer)}`;

/**
 * The first answers of one kind to the event with this id, in index order: rows of `answers`. `behind` is a condition
 * on columns of `answers` that selects the rows after a cursor.
 */
function firstAnswers(
  event: RawBuilder<unknown>,
  answer: NamedAnswer,
  { limit, behind }: { limit: number; behind?: RawBuilder<unknown> | undefined },
) {
  const those = sql`answers where event_id = ${event} and answer = ${sql.lit(answer)}`;
  // The limit is a literal, because for a parameter the planner would assume a tenth of the rows.
  const hasHosts = answer === 'going' && !behind;
  const hosts = hasHosts ? sql`(select * from ${those} and host_no is not null) union all` : sql``;
  // The index has attendee_role, which is 'attendee' for all but the first host.
  return sql`(${hosts} (
    select * from ${those} and attendee_role = 'attendee' and host_no is null ${behind ?? sql``}
    order by ${orderOf('answers', answer)} limit ${sql.lit(limit)}))`;
}

/** The id of a viewer, and the ids of their clubs from the session. Both are values, or columns of a batch. */
export interface ViewerColumns {
  id: unknown;
  clubs: RawBuilder<unknown>;
}

export const columnsOf = ({ id, memberships }: Viewer): ViewerColumns => ({
  id,
  clubs: sql`${[...memberships.keys()]}::uuid[]`,
});

/**
 * The columns `viewer`, `clubs` and `now` of a batch. Clubs are text, because an array of arrays would be flattened.
 */
export const viewersOf = (requests: readonly { viewer: Viewer; now: Instant }[]) => sql`
  ${requests.map(({ viewer }) => viewer.id)}::uuid[], ${requests.map(({ viewer }) => `{${[...viewer.memberships.keys()].join(',')}}`)}::text[],
  ${requests.map(({ now }) => now)}::timestamptz[]`;

/**
 * Whether the viewer gave or confirmed their answer before people were last asked to confirm, see `askOf`. The admin
 * who asked does not have to confirm.
 */
export function mustConfirm({ answer, ask }: Record<'answer' | 'ask', string>, viewer: unknown) {
  const [mine, asked] = [sql.ref(answer), sql.ref(ask)];
  return sql`coalesce(
    ${mine}.answer in ('going', 'waiting', 'maybe') and ${confirmedAt(answer)} <= ${asked}.asked_at
    and ${asked}.asked_by is distinct from ${viewer}, false)`;
}

/**
 * The viewer fields of an event, from the viewer's answer, if any, and the event's `askOf`: `my_role`, `my_answer`,
 * `must_confirm`, `has_voted`, `is_for_me` and `conflicting_events`. There are no conflicting events after the end of the event, or while its
 * time is open. One index finds events that start less than a day before this event, another index finds events longer
 * than a day, so only overlapping events are read.
 */
export function viewerFields(
  { event, answer, ask }: Record<'event' | 'answer' | 'ask', string>,
  { id: viewer, clubs }: ViewerColumns,
  now: unknown,
) {
  const [e, mine] = [sql.ref(event), sql.ref(answer)];
  const overlapping = sql`select event_id from ${going} a
    where user_id = ${viewer} and event_start < ${e}.end_time and event_end > ${e}.start_time and event_id <> ${e}.id`;
  return sql`
    case when ${mine}.answer = 'going' then ${roleOf(answer)} end as my_role, ${mine}.answer as my_answer,
    ${mustConfirm({ answer, ask }, viewer)} as must_confirm, ${hasVoted(event, viewer)} as has_voted,
    ${isForViewer(event, viewer)} as is_for_me,
    coalesce(case when ${e}.end_time > ${now} and not ${e}.polling then (
      select json_agg(json_build_object('slug', o.slug, 'name', o.name) order by o.start_time, o.id)
      from (
        (${overlapping} and event_start > ${e}.start_time - interval '24 hours')
        union all
        (${overlapping} and event_start <= ${e}.start_time - interval '24 hours' and event_end - event_start > interval '24 hours')
      ) as a cross join lateral (select * from events where id = a.event_id limit 1) as o
      where o.owner_club_id = any(${clubs}) and o.deleted_at is null and not o.polling) end, '[]') as conflicting_events`;
}

/** The fields of a `Host`, as JSON. */
export const hostFields = (user: string) => {
  const u = sql.ref(user);
  return sql`json_build_object('host_first_name', ${u}.first_name, 'host_last_name', ${u}.last_name,
    'host_profile_picture_url', ${u}.profile_picture_url)`;
};

/**
 * The number of members who are going to the event with this id, and of their guests: `user_count` and `guest_count`.
 * Join it with `cross join lateral`.
 */
export const goingCounts = (event: string) => sql`(
  select count(*)::int as user_count, coalesce(sum(guests), 0)::int as guest_count
  from ${going} a where a.event_id = ${sql.ref(event)})`;

/** The free seats of an event with its `goingCounts`; null without a limit. */
export function seatsLeft({ event, counts }: Record<'event' | 'counts', string>) {
  const [e, g] = [sql.ref(event), sql.ref(counts)];
  return sql`case when ${e}.capacity is not null then greatest(0, ${e}.capacity - ${g}.user_count - ${g}.guest_count) end`;
}

/** What had changed when people were last asked to confirm, see `askOf`: 'time', 'place', 'event' or null. */
export function askedAbout(ask: string) {
  const request = sql.ref(ask);
  return sql`case
    when ${request}.asked_about ?| array['start_time', 'end_time', 'time_zone'] then 'time'
    when ${request}.asked_about ? 'location_name' then 'place' when ${request}.asked_at is not null then 'event' end`;
}

/**
 * The columns of an event that are the same for every viewer: those of `SharedCard` except `waiting_count`, `host` and
 * `faces`. They are read from the event, its club, its `goingCounts` and its `askOf`.
 */
export function eventColumns({
  event,
  club,
  counts,
  ask,
}: Record<'event' | 'club' | 'counts' | 'ask', string>) {
  const [e, c, g] = [sql.ref(event), sql.ref(club), sql.ref(counts)];
  const time = (column: string) => isoTimestamp(`${event}.${column}`);
  return sql`
    ${e}.id, ${e}.slug, ${e}.name, ${e}.description, ${e}.location_name, ${time('start_time')} as start_time,
    ${time('end_time')} as end_time, ${time('entry_until_time')} as entry_until_time,
    ${e}.time_zone, ${e}.owner_club_id, ${time('deleted_at')} as deleted_at, ${e}.polling, ${c}.club_name, ${c}.slug as club_slug,
    ${sectionNames(event)} as section_names, ${seriesOf(event)} as series, ${timeCount(event)} as time_count,
    ${g}.user_count, ${g}.guest_count, ${seatsLeft({ event, counts })} as seats_left,
    (select json_build_object('start_time', coalesce(h.before->>'start_time', ${time('start_time')}),
        'end_time', coalesce(h.before->>'end_time', ${time('end_time')}),
        'until', ${isoTimestamp(sql`least(h.changed_at + interval '7 days', ${e}.end_time)`)})
      from ${lastMove(event)} as h) as moved_from,
    ${askedAbout(ask)} as asked_about`;
}

/** The number of attendees on a card. */
const maxFaces = 5;

/**
 * The columns `host` and `faces` of the event with this id. `faces` contains the first attendees, starting with the
 * hosts, and `host` is the first of these. Join it with `cross join lateral`.
 */
const facesOf = (event: string) => sql`(
  select coalesce(json_agg(json_build_object('attendee_id', u.id, 'attendee_role', ${roleOf('a')}, 'first_name', u.first_name,
      'last_name', u.last_name, 'profile_picture_url', u.profile_picture_url) ${hostsFirst('a', 'going')}), '[]') as faces,
    (json_agg(${hostFields('u')} order by a.host_no) filter (where a.host_no is not null))->0 as host
  from (
    select * from ${firstAnswers(sql.ref(event), 'going', { limit: maxFaces })} as a ${hostsFirst('a', 'going')} limit ${maxFaces}) as a
  join users u on u.id = a.user_id)`;

export interface StoredAttendee extends Attendee {
  answered_at: Instant;
}

/**
 * The people who gave this answer to the event with this id, starting with the hosts: one person more than fits on a
 * page, to know whether another page follows. `behind` is a condition on columns of `answers`.
 */
export const namedPeople = (event: RawBuilder<unknown>, answer: NamedAnswer, behind?: RawBuilder<unknown>) =>
  sql<StoredAttendee>`
    select u.id as attendee_id, ${roleOf('a')} as attendee_role, u.first_name, u.last_name, u.profile_picture_url,
      a.guests, ${isoTimestamp('a.answered_at')} as answered_at
    from ${firstAnswers(event, answer, { limit: rowsForPage, behind })} as a
    join users u on u.id = a.user_id ${hostsFirst('a', answer)} limit ${sql.lit(rowsForPage)}`;

/**
 * A page of people. A cursor in the waitlist contains the id of the last person instead of that person's stored place,
 * so that it does not reveal the place.
 */
export function peoplePage(
  read: readonly StoredAttendee[],
  answer: NamedAnswer,
): { people: Attendee[]; more: string | null } {
  const { rows, more } = pageOf(read, ({ answered_at, attendee_id }) =>
    answer === 'waiting' ? [attendee_id] : [answered_at, attendee_id],
  );
  return {
    people: rows.map((row) => {
      const { answered_at: _, ...person } = row;
      return person;
    }),
    more,
  };
}

const inPhase = (phase: Phase, now: unknown) =>
  ({
    upcoming: sql`start_time > ${now}`,
    in_progress: sql`start_time <= ${now} and end_time > ${now}`,
    previous: sql`end_time <= ${now}`,
  })[phase];

/** Allows any year, because events of earlier releases may be in years that are rejected in new input. */
const EventKey = z.tuple([z.iso.datetime(), z.guid()]);
type EventKey = z.infer<typeof EventKey>;

export type EventTimes = Pick<Event, 'id' | 'start_time' | 'end_time' | 'polling'>;

/** The viewer fields of an event, with its id. */
export type ViewerRow = ViewerCard & Pick<Event, 'id'>;

/**
 * An event in a list: the viewer fields, the version of its card, and the fields that decide whether a screen shows it.
 */
export interface ListedEvent
  extends ViewerRow, EventTimes, Pick<Event, 'slug' | 'entry_until_time' | 'deleted_at'> {
  version: string;
  /** Here, `slug` contains the id of the series, which is enough to group the dates of a series. */
  series: { slug: string } | null;
}

/** A version that changes whenever the event or one of these parts of its club page changes. */
export function versionWith(event: string, ...parts: ('cards' | 'members')[]) {
  const e = sql.ref(event);
  return sql`concat(
    (select bit_xor(version) from event_versions where event_id = ${e}.id), ' ',
    (select bit_xor(version) from club_versions where club_id = ${e}.owner_club_id
      and part in (${sql.join(parts.map((part) => sql.lit(part)))})))`;
}

/** The events that `which` selects, for one viewer. */
const listEvents = (viewer: ViewerColumns, now: unknown, which: RawBuilder<unknown>) => sql<ListedEvent>`
  select e.id, e.slug, ${isoTimestamp('e.start_time')} as start_time, ${isoTimestamp('e.end_time')} as end_time,
    ${isoTimestamp('e.entry_until_time')} as entry_until_time, ${isoTimestamp('e.deleted_at')} as deleted_at, e.polling,
    case when e.series_id is not null then json_build_object('slug', e.series_id) end as series,
    ${versionWith('e', 'cards')} as version, ${viewerFields({ event: 'e', answer: 'mine', ask: 'ask' }, viewer, now)}
  from (${which}) as e left join lateral ${askOf('e')} as ask on true
  left join lateral (select * from answers where event_id = e.id and user_id = ${viewer.id} limit 1) as mine on true
  order by e.start_time, e.id`;

/** The card of an event as all members see it. */
export const sharedCard = versionedLoader(
  (ids) => sql<SharedCard & { shared_version: string }>`
    select ${eventColumns({ event: 'e', club: 'c', counts: 'g', ask: 'ask' })}, ${waitingCount('e.id')} as waiting_count, f.host, f.faces,
      ${versionWith('e', 'cards')} as shared_version
    from events e join clubs c on c.id = e.owner_club_id cross join lateral ${goingCounts('e.id')} as g
    cross join lateral ${facesOf('e.id')} as f left join lateral ${askOf('e')} as ask on true
    where e.id = any(${ids}::uuid[])`,
);

/** Which events of a club a list contains: those of the phase, or those that start in the period if there is one. */
type ListOfClub = Pick<z.output<typeof contract.ofClub.input>, 'phase'> &
  Partial<z.output<typeof contract.ofClub.input>>;

/** The SQL condition that selects the events of a list. */
function inList({ phase, from, until, whose }: ListOfClub, { id: viewer }: Viewer, now: Instant) {
  const period = sql`start_time >= ${from ?? firstInstant} and start_time < ${until ?? lastInstant}`;
  const inTime = from || until ? period : inPhase(phase, now);
  const mine = sql`select event_id from answers where user_id = ${viewer} and answer in ('going', 'waiting', 'maybe')`;
  return whose === 'mine' ? sql`${inTime} and id in (${mine})` : inTime;
}

type PageOfEvents = Pick<ListOfClub, 'after'> & { max: number; condition?: RawBuilder<unknown> };

/**
 * The events of a club in one phase, the nearest first, or other events that `condition` selects in the order of that
 * phase. They are read in index order, so that the last page costs no more than the first.
 */
function eventsInPhase(
  phase: Phase,
  club: unknown,
  now: unknown,
  { max, after, condition = inPhase(phase, now) }: PageOfEvents,
) {
  const [beyond, direction] = phase === 'previous' ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`];
  const time = sql.ref(timeColumns[phase]);
  const [at, id] = keyIn(EventKey, after) ?? [];
  const behind = at ? sql`and (${time}, id) ${beyond} (${at}::timestamptz, ${id}::uuid)` : sql``;
  return sql`(
    select * from events where owner_club_id = ${club} and ${condition} ${behind}
    order by ${time} ${direction}, id ${direction} limit ${max})`;
}

const currentEvents = (club: unknown, now: unknown, max: number) => sql`
  ${eventsInPhase('in_progress', club, now, { max })} union all ${eventsInPhase('upcoming', club, now, { max })}`;

/**
 * The events on the page of a club for one viewer, in order of their start. Each phase contains one event more than
 * fits on a page, to know whether another page follows.
 */
export const eventsOfPage = (club: unknown, viewer: ViewerColumns, now: unknown) =>
  listEvents(
    viewer,
    now,
    sql`${currentEvents(club, now, rowsForPage)} union all ${eventsInPhase('previous', club, now, { max: rowsForPage })}`,
  );

/** Sorts events of one phase, the nearest first. Returns the first page and the cursor of the next page. */
export const firstPageIn = <Row extends EventTimes>(phase: Phase, rows: readonly Row[]) =>
  pageOf(nearestFirst(rows, phase), (event): EventKey => [event[timeColumns[phase]], event.id]);

/** A page of the events of a club in one phase, the nearest first, or in a period, the earliest first. */
export async function listOfClub(
  db: Db,
  viewer: Viewer,
  { club_id }: MemberOf,
  now: Instant,
  list: ListOfClub,
) {
  const phase = list.from || list.until ? 'upcoming' : list.phase;
  const condition = inList(list, viewer, now);
  const which = eventsInPhase(phase, club_id, now, { max: rowsForPage, after: list.after, condition });
  const { rows: events, more } = firstPageIn(phase, await all(db, listEvents(columnsOf(viewer), now, which)));
  return { events, more };
}

export function listOfAttended(db: Db, viewer: Viewer, now: Instant): Promise<ListedEvent[]> {
  const { id, clubs } = columnsOf(viewer);
  const which = sql`
    select o.* from answers a cross join lateral (select * from events where id = a.event_id limit 1) as o
    where a.user_id = ${id} and a.answer in ('going', 'waiting') and a.event_end > ${now} and o.owner_club_id = any(${clubs})
    order by a.event_start, a.event_id limit ${homeEventLimit}`;
  return all(db, listEvents({ id, clubs }, now, which));
}

export function listOfAllClubs(db: Db, viewer: Viewer, now: Instant): Promise<ListedEvent[]> {
  const { id, clubs } = columnsOf(viewer);
  const which = sql`
    select o.* from unnest(${clubs}) as m (club_id)
    cross join lateral (${currentEvents(sql.ref('m.club_id'), now, pageSize)}) o order by o.start_time, o.id limit ${homeEventLimit}`;
  return all(db, listEvents({ id, clubs }, now, which));
}

/** The unfinished dates of a series. */
export const listOfSeries = (db: Db, viewer: Viewer, now: Instant, series: string): Promise<ListedEvent[]> =>
  all(
    db,
    listEvents(
      columnsOf(viewer),
      now,
      sql`select * from events where series_id = ${series} and end_time > ${now} order by start_time, id limit ${homeEventLimit}`,
    ),
  );

/** The current and upcoming events of a club as short summaries. */
export const summaries = (db: Db, { club_id }: MemberOf, now: Instant) =>
  all(
    db,
    sql<Pick<EventCard, 'slug' | 'name' | 'location_name'>>`
      select slug, name, location_name from (${currentEvents(club_id, now, pageSize)}) as events
      where deleted_at is null order by start_time, id limit ${pageSize}`,
  );
