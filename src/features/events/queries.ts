import type { RawBuilder } from 'kysely';
import { z } from 'zod';
import { all, first, isoTimestamp, sql, type Db } from '#platform/db/client.ts';
import { versionedLoader } from '#platform/db/versioned.ts';
import { keyIn, pageSize, pageOf, rowsForPage } from '#platform/db/pagination.ts';
import type { Viewer } from '#platform/context.ts';
import { fail } from '#wire/errors.ts';
import type { Instant } from '#wire/instant.ts';
import type { MemberOf } from '#features/members/rules.ts';
import { confirmedAt, going, lastMove, withLastAsk } from '#features/events/answer-queries.ts';
import {
  eventFieldKeys,
  type Answer,
  type Attendee,
  type Event,
  type EventCard,
  type EventField,
  type Phase,
  type SharedCard,
  type ViewerCard,
} from '#features/events/contract.ts';
import { homeEventLimit, nearestFirst, timeIn } from '#features/events/rules.ts';

/** The columns of the fields that admins edit. */
export const eventFieldColumns = (table: string, keys: readonly EventField[] = eventFieldKeys) =>
  sql.join(keys.map((key) => sql.ref(`${table}.${key}`)));

const attendee = sql`
  json_build_object('attendee_id', u.id, 'attendee_role', a.attendee_role, 'first_name', u.first_name,
    'last_name', u.last_name, 'profile_picture_url', u.profile_picture_url)`;
/** The waitlists. The index on them needs a literal. */
const waiting = sql`(select * from answers where answer = 'waiting')`;

/** The rank on the waitlist of the answer `mine`. */
export const myPlace = sql`case when mine.answer = 'waiting' then (
  select count(*)::int from ${waiting} a where a.event_id = mine.event_id and a.place <= mine.place) end`;

/** Members on the waitlist of the event with this id. */
export const waitingCount = (event: string) =>
  sql`(select count(*)::int from ${waiting} a where a.event_id = ${sql.ref(event)})`;

export const isAnswered = (answer: Answer) => sql`answers a where a.event_id = e.id and a.answer = ${answer}`;
/** The order of the answers `a` in each list, apart from the host. */
const orders = {
  going: sql`a.answered_at, a.user_id`,
  waiting: sql`a.place`,
  maybe: sql`a.answered_at, a.user_id`,
};

/** The answers that members see with names. */
export type NamedAnswer = keyof typeof orders;

/** The host comes first. */
export const orderOf = (answer: NamedAnswer) =>
  sql`order by a.attendee_role = 'organiser' desc, ${orders[answer]}`;

/** The first answers of one kind to the event with this id, or those `behind` a cursor, in index order. */
export function firstAnswers(
  event: RawBuilder<unknown>,
  answer: NamedAnswer,
  { limit, behind }: { limit: number; behind?: RawBuilder<unknown> | undefined },
) {
  const those = sql`answers a where a.event_id = ${event} and a.answer = ${sql.lit(answer)}`;
  // The limit is a literal, because the planner would take a tenth of the rows for a parameter.
  const hasHost = answer === 'going' && !behind;
  const host = hasHost ? sql`(select * from ${those} and a.attendee_role = 'organiser') union all` : sql``;
  return sql`(${host} (
    select * from ${those} and a.attendee_role = 'attendee' ${behind ?? sql``} order by ${orders[answer]} limit ${sql.lit(limit)}))`;
}

/**
 * The events `o` of answers `a`, restricted to the viewer's current clubs. The `limit 1` makes the planner start from
 * the answers: starting from the events of the clubs would be slow for a large club.
 */
export const eventsOfViewersClubs = (viewer: unknown) => sql`
  cross join lateral (select * from events where id = a.event_id limit 1) as o
  cross join lateral (select from members where club_id = o.owner_club_id and user_id = ${viewer} limit 1) as m`;

/** Who reads events: their id, and the clubs that came with the session. Values, or columns of a batch. */
export interface ViewerColumns {
  id: unknown;
  clubs: RawBuilder<unknown>;
}

export const columnsOf = ({ id, roles }: Viewer): ViewerColumns => ({
  id,
  clubs: sql`${[...roles.keys()]}::uuid[]`,
});

/** The columns `viewer`, `clubs` and `now` of a batch. Clubs are text, because an array of arrays would be flattened. */
export const viewersOf = (requests: readonly { viewer: Viewer; now: Instant }[]) => sql`
  ${requests.map(({ viewer }) => viewer.id)}::uuid[], ${requests.map(({ viewer }) => `{${[...viewer.roles.keys()].join(',')}}`)}::text[],
  ${requests.map(({ now }) => now)}::timestamptz[]`;

/** The viewer's answer `mine` to an event `e`. */
export const withMyAnswer = (viewer: unknown) => sql`
  left join lateral (select * from answers where event_id = e.id and user_id = ${viewer} limit 1) as mine on true`;

/** Whether the viewer's answer `mine` is older than the last question `ask` whether it still holds. */
export const mustConfirm = (viewer: unknown) => sql`coalesce(
  mine.answer in ('going', 'waiting', 'maybe') and ${confirmedAt('mine')} <= ask.asked_at
  and ask.asked_by is distinct from ${viewer}, false)`;

/**
 * The viewer fields of an event `e` with their answer `mine` and the last `ask`: that and, if its time is fixed, their conflicting events until it ends. One index
 * finds events that start less than a day before `e`, another one finds events longer than a day, so only overlapping
 * events are read.
 */
export const viewerFields = ({ id: viewer, clubs }: ViewerColumns, now: unknown) => {
  const during = sql`select event_id from ${going} a
    where user_id = ${viewer} and event_start < e.end_time and event_end > e.start_time and event_id <> e.id`;
  return sql`
    case when mine.answer = 'going' then mine.attendee_role end as my_role, mine.answer as my_answer,
    ${mustConfirm(viewer)} as must_confirm,
    coalesce(case when e.end_time > ${now} and not e.polling then (
      select json_agg(json_build_object('slug', o.slug, 'name', o.name) order by o.start_time, o.id)
      from (
        (${during} and event_start > e.start_time - interval '24 hours')
        union all
        (${during} and event_start <= e.start_time - interval '24 hours' and event_end - event_start > interval '24 hours')
      ) as a cross join lateral (select * from events where id = a.event_id limit 1) as o
      where o.owner_club_id = any(${clubs}) and o.deleted_at is null and not o.polling) end, '[]') as conflicting_events`;
};

const hostFields = sql`json_build_object('host_first_name', u.first_name, 'host_last_name', u.last_name,
  'host_profile_picture_url', u.profile_picture_url)`;

const host = sql`(select ${hostFields} from ${going} a join users u on u.id = a.user_id
  where a.event_id = e.id and a.attendee_role = 'organiser')`;

/** How many are going to the event with this id, and the guests that they bring, as `g`. */
export const goingCounts = (event: string) => sql`
  cross join lateral (
    select count(*)::int as user_count, coalesce(sum(guests), 0)::int as guest_count
    from ${going} a where a.event_id = ${sql.ref(event)}) as g`;

/** The free seats of an event with its `goingCounts`; null without a limit. */
export const seatsLeft = sql`
  case when capacity is not null then greatest(0, capacity - g.user_count - g.guest_count) end as seats_left`;

/** What had changed at the last `ask`. */
export const askedAbout = sql`case
  when ask.asked_about ?| array['start_time', 'end_time', 'time_zone'] then 'time'
  when ask.asked_about ? 'location_name' then 'place' when ask.asked_at is not null then 'event' end`;

/** Columns of an event `e`, its club `c`, its `goingCounts` and its last `ask` that are the same for every viewer. */
export const eventColumns = sql`
  e.id, e.slug, e.name, e.description, e.location_name, ${isoTimestamp('e.start_time')} as start_time,
  ${isoTimestamp('e.end_time')} as end_time, ${isoTimestamp('e.entry_until_time')} as entry_until_time,
  e.time_zone, e.owner_club_id, ${isoTimestamp('e.deleted_at')} as deleted_at, e.polling, c.club_name, c.slug as club_slug,
  (select json_build_object('slug', s.slug, 'words', s.words) from series s where s.id = e.series_id and e.series_id is not null) as series,
  g.user_count, g.guest_count, ${seatsLeft},
  (select json_build_object('start_time', coalesce(h.before->>'start_time', ${isoTimestamp('e.start_time')}),
      'end_time', coalesce(h.before->>'end_time', ${isoTimestamp('e.end_time')}),
      'until', ${isoTimestamp(sql`least(h.changed_at + interval '7 days', e.end_time)`)})
    from ${lastMove} as h) as moved_from,
  ${askedAbout} as asked_about`;

/** Attendees on a card. */
const maxFaces = 5;

/** The first attendees of an event `e` as `f`, and the host, who comes first. */
const withFaces = sql`
  cross join lateral (
    select coalesce(json_agg(${attendee} ${orderOf('going')}), '[]') as faces,
      (json_agg(${hostFields}) filter (where a.attendee_role = 'organiser'))->0 as host
    from (
      select * from ${firstAnswers(sql.ref('e.id'), 'going', { limit: maxFaces })} as a ${orderOf('going')} limit ${maxFaces}) as a
    join users u on u.id = a.user_id) as f`;

export interface StoredAttendee extends Attendee {
  answered_at: Instant;
}

const attendeeColumns = sql`u.id as attendee_id, a.attendee_role, u.first_name, u.last_name, u.profile_picture_url,
  ${isoTimestamp('a.answered_at')} as answered_at`;

/** The people with one answer to an event, one more than a page has. */
export const namedPeople = (event: RawBuilder<unknown>, answer: NamedAnswer, behind?: RawBuilder<unknown>) =>
  sql<StoredAttendee>`
    select ${attendeeColumns} from ${firstAnswers(event, answer, { limit: rowsForPage, behind })} as a
    join users u on u.id = a.user_id ${orderOf(answer)} limit ${sql.lit(rowsForPage)}`;

/** The first page of people. A cursor in the waitlist names the last person, so that it tells no stored place. */
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

/** The columns of an event card, from what `eventColumns` need and the faces. */
const sharedColumns = sql`${eventColumns}, ${waitingCount('e.id')} as waiting_count, f.host, f.faces`;

const during = (phase: Phase, now: unknown) =>
  ({
    upcoming: sql`start_time > ${now}`,
    in_progress: sql`start_time <= ${now} and end_time > ${now}`,
    previous: sql`end_time <= ${now}`,
  })[phase];

/** Events of an earlier release may be in years that are bad input now. */
const EventKey = z.tuple([z.iso.datetime(), z.guid()]);
type EventKey = z.infer<typeof EventKey>;

export type EventTimes = Pick<Event, 'id' | 'start_time' | 'end_time' | 'polling'>;

/** The viewer fields of an event, with its id. */
export type ViewerRow = ViewerCard & Pick<Event, 'id'>;

/** An event in a list: the viewer fields, the version of its card, and what decides whether a screen shows it. */
export interface ListedEvent
  extends ViewerRow, EventTimes, Pick<Event, 'slug' | 'entry_until_time' | 'deleted_at'> {
  version: string;
  /** Identifies the series by its id. */
  series: { slug: string } | null;
}

/** The version of what an event `e` and these parts of its club page show. */
export const versionWith = (...parts: ('cards' | 'members')[]) => sql`concat(
  (select bit_xor(version) from event_versions where event_id = e.id), ' ',
  (select bit_xor(version) from club_versions where club_id = e.owner_club_id
    and part in (${sql.join(parts.map((part) => sql.lit(part)))})))`;

/** The events `e` that `which` selects, for one viewer. */
const listed = (viewer: ViewerColumns, now: unknown, which: RawBuilder<unknown>) => sql<ListedEvent>`
  select e.id, e.slug, ${isoTimestamp('e.start_time')} as start_time, ${isoTimestamp('e.end_time')} as end_time,
    ${isoTimestamp('e.entry_until_time')} as entry_until_time, ${isoTimestamp('e.deleted_at')} as deleted_at, e.polling,
    case when e.series_id is not null then json_build_object('slug', e.series_id) end as series,
    ${versionWith('cards')} as version, ${viewerFields(viewer, now)}
  from (${which}) as e ${withLastAsk()} ${withMyAnswer(viewer.id)}
  order by e.start_time, e.id`;

/** The card of an event as all members see it. */
export const sharedCard = versionedLoader(
  (ids) => sql<SharedCard & { shared_version: string }>`
    select ${sharedColumns}, ${versionWith('cards')} as shared_version from events e join clubs c on c.id = e.owner_club_id
    ${goingCounts('e.id')} ${withFaces} ${withLastAsk()} where e.id = any(${ids}::uuid[])`,
);

/** The nearest events of a club in one phase, in index order: every page costs the same, however deep. */
function nearest(
  phase: Phase,
  club: unknown,
  now: unknown,
  { max, after }: { max: number; after?: string | undefined },
) {
  const [beyond, direction] = phase === 'previous' ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`];
  const time = sql.ref(timeIn[phase]);
  const [at, id] = keyIn(EventKey, after) ?? [];
  const behind = at ? sql`and (${time}, id) ${beyond} (${at}::timestamptz, ${id}::uuid)` : sql``;
  return sql`(
    select * from events where owner_club_id = ${club} and ${during(phase, now)} ${behind}
    order by ${time} ${direction}, id ${direction} limit ${max})`;
}

const coming = (club: unknown, now: unknown, max: number) => sql`
  ${nearest('in_progress', club, now, { max })} union all ${nearest('upcoming', club, now, { max })}`;

/**
 * The events on the page of a club for one viewer, in order of their start: per phase one more than a page has, to know
 * whether another page follows.
 */
export const eventsOfPage = (club: unknown, viewer: ViewerColumns, now: unknown) =>
  listed(
    viewer,
    now,
    sql`${coming(club, now, rowsForPage)} union all ${nearest('previous', club, now, { max: rowsForPage })}`,
  );

/** The first page of these events, all in one phase, in their order, and the cursor of the next one. */
export const firstPageIn = <Row extends EventTimes>(phase: Phase, rows: readonly Row[]) =>
  pageOf(nearestFirst(rows, phase), (event): EventKey => [event[timeIn[phase]], event.id]);

/** A page of the events of a club in one phase, the nearest first. */
export async function listOfClub(
  db: Db,
  viewer: Viewer,
  { club_id }: MemberOf,
  now: Instant,
  { phase, after }: { phase: Phase; after?: string | undefined },
) {
  const which = nearest(phase, club_id, now, { max: rowsForPage, after });
  const { rows: events, more } = firstPageIn(phase, await all(db, listed(columnsOf(viewer), now, which)));
  return { events, more };
}

export function listOfAttended(db: Db, viewer: Viewer, now: Instant): Promise<ListedEvent[]> {
  const { id, clubs } = columnsOf(viewer);
  const which = sql`
    select o.* from answers a cross join lateral (select * from events where id = a.event_id limit 1) as o
    where a.user_id = ${id} and a.answer in ('going', 'waiting') and a.event_end > ${now} and o.owner_club_id = any(${clubs})
    order by a.event_start, a.event_id limit ${homeEventLimit}`;
  return all(db, listed({ id, clubs }, now, which));
}

export function listOfAllClubs(db: Db, viewer: Viewer, now: Instant): Promise<ListedEvent[]> {
  const { id, clubs } = columnsOf(viewer);
  const which = sql`
    select o.* from unnest(${clubs}) as m (club_id)
    cross join lateral (${coming(sql.ref('m.club_id'), now, pageSize)}) o order by o.start_time, o.id limit ${homeEventLimit}`;
  return all(db, listed({ id, clubs }, now, which));
}

/** The fields of a date that were edited for it alone: edits of its series leave them as they are. */
export const ownFields = (event: string) => sql`array(
  select jsonb_object_keys(before) from event_changes
  where event_id = ${sql.ref(event)} and kind = 'edit' and undone_at is null and not of_series)`;

/** The dates of a series that have not ended. */
export const listOfSeries = (db: Db, viewer: Viewer, now: Instant, series: string): Promise<ListedEvent[]> =>
  all(
    db,
    listed(
      columnsOf(viewer),
      now,
      sql`select * from events where series_id = ${series} and end_time > ${now} order by start_time, id limit ${homeEventLimit}`,
    ),
  );

/** The upcoming events of a club as short summaries. */
export const summaries = (db: Db, { club_id }: MemberOf, now: Instant) =>
  all(
    db,
    sql<Pick<EventCard, 'slug' | 'name' | 'location_name'>>`
      select slug, name, location_name from (${coming(club_id, now, pageSize)}) as events
      where deleted_at is null order by start_time, id limit ${pageSize}`,
  );

/** The host of an event, and the role of the viewer. */
export async function hostOf(db: Db, viewer: string, id: string): Promise<Pick<Event, 'host' | 'my_role'>> {
  const found = await first(
    db,
    sql<Pick<Event, 'host' | 'my_role'>>`
      select ${host} as host, (select attendee_role from ${going} a where a.event_id = e.id and a.user_id = ${viewer}) as my_role
      from events e where id = ${id}`,
  );
  return found ?? fail('not_found');
}
