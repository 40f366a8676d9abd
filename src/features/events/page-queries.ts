import type { RawBuilder } from 'kysely';
import { databaseBatchLoader } from '#platform/db/batch-loader.ts';
import { all, asJson, first, isoTimestamp, isUuid, sql, type Db } from '#platform/db/client.ts';
import { versionedLoader, type Versioned } from '#platform/db/versioned.ts';
import type { Viewer } from '#platform/context.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { absencesAround, lastDayAway, type DaysAway } from '#features/events/absence-queries.ts';
import { askOf, changedAt, confirmedAt, lastAsk, shownReply } from '#features/events/answer-queries.ts';
import { calendarsThatKnow } from '#features/events/calendar-queries.ts';
import type { Event, SharedEvent, ViewerEvent } from '#features/events/contract.ts';
import { memberFieldKeys } from '#features/events/field-contract.ts';
import { undoSeconds } from '#features/events/form-rules.ts';
import { openTimes, withCursor, type StoredTime } from '#features/events/poll-queries.ts';
import { hasMessages, messagesFor } from '#features/events/post-queries.ts';
import { hasQuestions, questionsFor } from '#features/events/question-queries.ts';
import {
  eventColumns,
  eventFieldColumns,
  myPlace,
  namedPeople,
  peoplePage,
  versionWith,
  viewerFields,
  viewersOf,
  type NamedAnswer,
  type StoredAttendee,
} from '#features/events/queries.ts';
import { reachInNumbers } from '#features/events/reach-queries.ts';
import { sectionCounts } from '#features/events/section-queries.ts';
import { isFor } from '#features/sections/queries.ts';

/** Includes the version of the members, because the page shows how many of them have not answered. */
const pageVersion = (event: string) => versionWith(event, 'cards', 'members');

/** The last change of an event, if the viewer made it and can still undo it: JSON with `change` and `seconds`. */
function undoable(event: string, viewer: string, now: Instant) {
  const e = sql.ref(event);
  return sql`(
    select json_build_object('change', h.id, 'seconds',
      ceil(${undoSeconds}::int - extract(epoch from ${now}::timestamptz - h.changed_at))::int)
    from event_changes h
    where h.event_id = ${e}.id and h.actor_id = ${viewer} and h.kind = 'edit' and h.sequence = ${e}.sequence
      and h.undone_at is null and not h.of_series and h.changed_at > ${addSeconds(now, -undoSeconds)}
    order by h.changed_at desc limit 1)`;
}

/**
 * Whether this member voted 'yes' or 'if_needed' for a time of an event whose times are open. This is a scalar subquery
 * instead of `exists`, because PostgreSQL might read all votes into a hash table for `exists`.
 */
function suits(event: string, member: RawBuilder<unknown>) {
  const e = sql.ref(event);
  return sql`${e}.polling and coalesce((
    select true from time_votes v where v.event_id = ${e}.id and v.user_id = ${member} and v.vote <> 'no' limit 1), false)`;
}

/**
 * The columns that only runners of an event read: `confirmed_count`, `calendars`, `reach`, `audience`, `list_changes` and `undo`. There may be
 * many members whom a time suits. They are not counted here, because `event_counts.suited` contains their number.
 */
function forRunners(event: string, viewer: string, now: Instant) {
  const e = sql.ref(event);
  const mayCome = sql`select a.user_id, ${confirmedAt('a')} as confirmed_at from answers a where a.event_id = ${e}.id and a.answer in ('going', 'waiting', 'maybe')`;
  const follow = sql`select f.user_id from event_followers f where f.event_id = ${e}.id`;
  return sql`
    (select (select count(*)::int from (${mayCome}) as p where p.confirmed_at > h.changed_at or p.user_id = h.actor_id)
      from ${lastAsk(`${event}.id`)} as h) as confirmed_count,
    ${calendarsThatKnow(event, now)} as calendars, ${reachInNumbers(event, now)} as reach,
    json_build_object(
      'followers', (select count(*)::int from (select p.user_id from (${mayCome}) as p union ${follow}) as p
          where p.user_id <> ${viewer} and not (${suits(event, sql`p.user_id`)}))
        + coalesce((select suited from event_counts c where c.event_id = ${e}.id and ${e}.polling), 0)
        - (${suits(event, sql`${viewer}::uuid`)})::int,
      'declined', (
          select count(*)::int from answers a
          where a.event_id = ${e}.id and a.answer = 'no' and a.user_id <> ${viewer} and a.user_id not in (${follow})))
      as audience,
    (select json_object_agg(answer, newest) from (
      select a.answer, ${isoTimestamp(sql`max(${changedAt('a')})`)} as newest from answers a
      where a.event_id = ${e}.id and a.user_id <> ${viewer} group by a.answer) as lists) as list_changes,
    ${replyCounts(event)} as reply_counts, ${undoable(event, viewer, now)} as undo`;
}

/** How many members gave each reply to the question of an event, as JSON. Null without a question. */
function replyCounts(event: string) {
  const e = sql.ref(event);
  return sql`case when ${e}.question <> '' then ${asJson(sql`
    select r.reply, count(*)::int as n
    from answers a
    cross join lateral (
      select case when a.reply = '' or a.reply = any(${e}.choices) then a.reply end as reply) as r
    where a.event_id = ${e}.id and a.answer in ('going', 'waiting', 'maybe')
    group by r.reply order by coalesce(r.reply = '', false), array_position(${e}.choices, r.reply)`)} end`;
}

const maxChanges = 20;

/** The name of the user with this id, as JSON. */
const nameOf = (user: string) => sql`(
  select json_build_object('first_name', u.first_name, 'last_name', u.last_name) from users u where u.id = ${sql.ref(user)})`;

/** The newest changes of the event with this id, as JSON. */
const changesOf = (event: string) =>
  asJson(sql`
  select h.id, h.kind, ${isoTimestamp('h.changed_at')} as changed_at, ${nameOf('h.actor_id')} as changed_by,
    ${nameOf('h.host_id')} as new_host, h.before, h.after, h.reason, h.words, h.asked_again, ${isoTimestamp('h.undone_at')} as undone_at
  from event_changes h where h.event_id = ${sql.ref(event)} order by h.changed_at desc, h.sequence desc limit ${maxChanges}`);

/**
 * The `goingCounts` of the event with this id, plus `waiting_count`, `maybe_count` and `no_count`, in a single read of
 * its answers. Join it with `cross join lateral`.
 */
const answerCounts = (event: string) => sql`(
  select (count(*) filter (where a.answer = 'going'))::int as user_count,
    (count(*) filter (where a.answer = 'waiting'))::int as waiting_count,
    (count(*) filter (where a.answer = 'maybe'))::int as maybe_count,
    (count(*) filter (where a.answer = 'no'))::int as no_count,
    coalesce(sum(a.guests) filter (where a.answer = 'going'), 0)::int as guest_count
  from answers a where a.event_id = ${sql.ref(event)})`;

const storedEvent = versionedLoader(
  (ids) => sql<StoredEvent & { shared_version: string }>`
    select ${eventColumns({ event: 'e', club: 'c', counts: 'g', ask: 'ask' })}, g.waiting_count, g.maybe_count, g.no_count, ${asJson(namedPeople(sql.ref('e.id'), 'going'))} as going,
      ${asJson(namedPeople(sql.ref('e.id'), 'maybe'))} as maybe, ${asJson(namedPeople(sql.ref('e.id'), 'waiting'))} as waiting,
      ${eventFieldColumns('e', memberFieldKeys)}, e.slot_on::text as slot_on, e.sequence as version,
      (select s.version from series s where s.id = e.series_id) as series_version, e.nudges,
      ${isoTimestamp('e.nudged_at')} as nudged_at, e.nudged,
      ${sectionCounts('e')} as section_counts,
      (select count(*)::int from members m where m.club_id = e.owner_club_id and ${isFor('e', 'm')} and not exists (
        select from answers a where a.event_id = e.id and a.user_id = m.user_id)) as silent_count,
      ${changesOf('e.id')} as changes, ${pageVersion('e')} as shared_version
    from events e join clubs c on c.id = e.owner_club_id
    cross join lateral ${answerCounts('e.id')} as g left join lateral ${askOf('e')} as ask on true
    where e.id = any(${ids}::uuid[])`,
);

/** An event with everything that all members see. */
export async function sharedEvent(
  db: Db,
  wanted: Pick<Event, 'id'>,
): Promise<Versioned<SharedEvent> | undefined> {
  const found = await storedEvent(db, wanted);
  return found && { ...found, value: withFirstPages(found.value) };
}

type Named = Record<NamedAnswer, StoredAttendee[]>;
type StoredEvent = Omit<SharedEvent, 'host' | 'attendees' | keyof Named> & Named;

/** The event with the first page of each of its lists. */
function withFirstPages({ going, waiting, maybe, ...event }: StoredEvent): SharedEvent {
  const pages = {
    going: peoplePage(going, 'going'),
    waiting: peoplePage(waiting, 'waiting'),
    maybe: peoplePage(maybe, 'maybe'),
  };
  return {
    ...event,
    host: hostIn(pages.going.people),
    attendees: pages.going.people,
    waiting: pages.waiting.people,
    maybe: pages.maybe.people,
    more_attendees: pages.going.more,
    more_waiting: pages.waiting.more,
    more_maybe: pages.maybe.more,
  };
}

function hostIn([first]: SharedEvent['attendees']): SharedEvent['host'] {
  if (first?.attendee_role !== 'organiser') return null;
  const { first_name, last_name, profile_picture_url } = first;
  return {
    host_first_name: first_name,
    host_last_name: last_name,
    host_profile_picture_url: profile_picture_url,
  };
}

const unread = {
  times: [],
  away_until: null,
  confirmed_count: null,
  calendars: null,
  reach: null,
  audience: null,
  list_changes: null,
  undo: null,
  reply_counts: null,
  messages: [],
  questions: [],
} satisfies Partial<ViewerEvent>;

type RareFields = Pick<ViewerEvent, keyof typeof unread>;

interface EventOfViewer extends Omit<ViewerEvent, keyof RareFields> {
  id: string;
  owner_club_id: string;
  polling: boolean;
  has_messages: boolean;
  has_questions: boolean;
  /** Whether an absence of the viewer gave the answer. */
  by_absence: boolean;
  /** The version of what all members see. */
  version: string;
}

interface EventRequest {
  viewer: Viewer;
  /** Id or slug. */
  ref: string;
  now: Instant;
}

/**
 * The viewer fields of an event that are read for every member; undefined if the event does not exist. Batched per
 * tick.
 */
export const eventOfViewer = databaseBatchLoader(async (db: Db, requests: readonly EventRequest[]) => {
  const viewer = { id: sql`asked.viewer`, clubs: sql`asked.clubs::uuid[]` };
  const ids = requests.map(({ ref }) => (isUuid(ref) ? ref : null));
  const slugs = requests.map(({ ref }) => (isUuid(ref) ? null : ref));
  const rows = await all(
    db,
    sql<EventOfViewer | { id: null }>`
      select e.id, e.owner_club_id, e.polling, ${hasMessages('e')} as has_messages, ${hasQuestions('e')} as has_questions, ${pageVersion('e')} as version,
        ${viewerFields({ event: 'e', answer: 'mine', ask: 'ask' }, viewer, sql`asked.now`)},
        exists (select from favourites f where f.event_id = e.id and f.user_id = asked.viewer) as favourite,
        exists (select from event_followers s where s.event_id = e.id and s.user_id = asked.viewer) as subscribed,
        coalesce(mine.via = 'standing', false) as by_standing, coalesce(mine.via = 'away', false) as by_absence, coalesce(mine.guests, 0) as my_guests,
        coalesce(mine.note, '') as my_note, coalesce(${shownReply('mine', sql`e.question`)}, '') as my_reply,
        ${myPlace('mine')} as my_place, coalesce(mine.lets_pass, false) as my_lets_pass
      from unnest(${viewersOf(requests)}, ${ids}::uuid[], ${slugs}::text[])
        with ordinality as asked (viewer, clubs, now, id, slug, place)
      left join lateral (
        (select * from events where id = asked.id limit 1)
        union all (select * from events where slug = asked.slug limit 1)) as e on true
      left join lateral ${askOf('e')} as ask on true
      left join lateral (select * from answers where event_id = e.id and user_id = asked.viewer limit 1) as mine on true
      order by asked.place`,
  );
  return rows.map((row) => (row.id === null ? undefined : row));
});

/**
 * The viewer fields that most viewers lack: few events have open times, messages or questions, and few viewers are runners. Reading
 * these fields for everybody would double the time in PostgreSQL, mostly for starting a longer plan.
 */
export async function rareFieldsOfEvent(
  db: Db,
  viewer: string,
  now: Instant,
  event: Pick<
    EventOfViewer,
    'id' | 'polling' | 'by_absence' | 'has_messages' | 'has_questions' | 'my_answer' | 'is_for_me'
  > & {
    runs: boolean;
  },
): Promise<RareFields> {
  const parts = [
    ...(event.polling ? [sql`${openTimes('e', viewer, now)} as times`] : []),
    ...(event.by_absence ? [sql`${absencesAround('e', viewer)} as absences`] : []),
    ...(event.runs ? [forRunners('e', viewer, now)] : []),
    ...(event.has_messages ? [sql`${messagesFor('e', { viewer, ...event })} as messages`] : []),
    ...(event.has_questions ? [sql`${questionsFor('e', { viewer, ...event })} as questions`] : []),
  ];
  if (parts.length === 0) return unread;
  const found = await first(
    db,
    sql<Partial<Omit<RareFields, 'times'>> & { times?: StoredTime[]; absences?: DaysAway }>`
      select ${sql.join(parts)} from events e where e.id = ${event.id}`,
  );
  const { times, absences, ...rest } = found ?? {};
  return {
    ...unread,
    ...rest,
    times: times?.map(withCursor) ?? unread.times,
    away_until: absences ? lastDayAway(absences) : null,
  };
}
