import type { RawBuilder } from 'kysely';
import { z } from 'zod';
import { all, byRef, first, sql, type Db } from '#platform/db/client.ts';
import { lookOf, type StoredLook } from '#platform/db/look.ts';
import { Instant } from '#wire/instant.ts';
import { keyIn, pageOf, rowsForPage } from '#platform/db/pagination.ts';
import type { Audience } from '#platform/notices/raise.ts';
import type { AnswerList, MemberAnswer } from '#features/events/answers/contract.ts';
import type { Waiting } from '#features/events/answers/rules.ts';
import { clock } from '#features/auth/store.ts';
import { recurrenceFields } from '#features/events/queries.ts';
import type { Recurrence } from '#features/events/time-contract.ts';
import type { Answer } from '#features/events/choice-contract.ts';
import { changedAt, going, roleOf, shownReply, unconfirmed } from '#features/events/answer-queries.ts';
import type { Event } from '#features/events/contract.ts';
import {
  goingCounts,
  myPlace,
  namedPeople,
  peoplePage,
  seatsLeft,
  waitingCount,
  type NamedAnswer,
} from '#features/events/queries.ts';
import { unreached } from '#features/events/reach-queries.ts';
import type { ReadingRunnerOf } from '#features/events/access.ts';
import { canCall } from '#features/members/contact-queries.ts';
import { behindName, byName, NameKey, sectionNames } from '#features/members/list-queries.ts';
import { isFor, membersItIsFor } from '#features/sections/queries.ts';
import type { NudgedList } from '#features/notifications/contract.ts';

/**
 * A query for the rate limit key of the answers of a member to an event. It returns no row for people who are not
 * members.
 */
export const answerLimitKey = (user: string, event: string) => sql`
  select concat('answers:', events.id, ':', m.user_id) as key
  from events join members m on m.club_id = owner_club_id and m.user_id = ${user} where ${byRef('events', event)}`;

/**
 * A page of the members with one answer, without an answer, or whom the last change has not reached. The lists of past events include former members. The
 * next page of a waitlist starts from the top if the last member of this page has left the waitlist.
 */
export async function pageOfAnswers(
  db: Db,
  { id, owner_club_id, question }: ReadingRunnerOf,
  { state, section, after }: { state: AnswerList; section?: string | undefined; after?: string | undefined },
  { user, now }: { user: { id: string }; now: Instant },
): Promise<{ answers: MemberAnswer[]; more: string | null }> {
  const isWaitlist = state === 'waiting';
  const rank = isWaitlist ? sql`rank() over (order by place)` : sql`null`;
  const people =
    state === 'silent'
      ? sql`select m.user_id, null as rank from events e join members m on m.club_id = e.owner_club_id and ${isFor('e', 'm')}
          where e.id = ${id} and not exists (select from answers where event_id = ${id} and user_id = m.user_id)`
      : state === 'unconfirmed'
        ? sql`select user_id, null as rank from ${unconfirmed} as a where event_id = ${id}`
        : state === 'unreached'
          ? sql`select user_id, null as rank, why from (${unreached(id, now)}) as n`
          : sql`select user_id, ${rank} as rank from answers where event_id = ${id} and answer = ${state}`;
  const key = keyIn(NameKey, after);
  const ofSection = section
    ? sql`and exists (
        select from members m where m.club_id = ${owner_club_id} and m.user_id = u.id and ${section}::uuid = any(m.section_ids))`
    : sql``;
  const behindPlace = sql`and a.place > coalesce(
    (select place from answers where event_id = ${id} and user_id = ${key?.[2]}), 0)`;
  const read = await all(
    db,
    sql<MemberAnswer>`
      select u.id, u.first_name, u.last_name, u.profile_picture_url,
        case when a.answer = 'going' then ${roleOf('a')} end as attendee_role,
        coalesce(a.guests, 0) as guests, coalesce(a.note, '') as note,
        coalesce(${shownReply('a', sql`${question}::text`)}, '') as reply, p.rank::int as place, ${state === 'unreached' ? sql`p.why` : sql`null`} as why,
        coalesce(a.lets_pass, false) as lets_pass, coalesce(a.over, false) as over, a.answered_at,
        ${changedAt('a')} as changed_at, case a.via when 'away' then 'app' else a.via end as via,
        case when r.id is not null then json_build_object('first_name', r.first_name, 'last_name', r.last_name) end
          as answered_by, coalesce((
          select m.section_ids from members m where m.club_id = ${owner_club_id} and m.user_id = u.id), '{}') as section_ids, ${canCall('u.id', { club_id: owner_club_id, user_id: user.id }, now)} as can_call
      from (${people}) as p join users u on u.id = p.user_id
      left join answers a on a.event_id = ${id} and a.user_id = u.id
      left join users r on r.id = a.by_id
      where true ${ofSection} ${isWaitlist && key ? behindPlace : behindName('u', key)}
      order by ${isWaitlist ? sql`a.place` : byName('u')} limit ${rowsForPage}`,
  );
  const { rows: answers, more } = pageOf(read, (row) => [row.first_name, row.last_name, row.id]);
  return { answers, more };
}

/** A person in the file that runners download. */
export interface ListedAnswer extends Pick<
  MemberAnswer,
  'first_name' | 'last_name' | 'guests' | 'reply' | 'note'
> {
  sections: string[];
  /** Null if the person has not answered. */
  answer: Answer | null;
  /** Whether the person came. Null if nobody has recorded it. */
  came: boolean | null;
}

/** All members whom the event is for, and everybody else who answered, ordered by name. */
export const allAnswers = (
  db: Db,
  { id, owner_club_id, question }: ReadingRunnerOf,
): Promise<ListedAnswer[]> =>
  all(
    db,
    sql<ListedAnswer>`
      select u.first_name, u.last_name, ${sectionNames('m.section_ids')} as sections, a.answer,
        coalesce(a.guests, 0) as guests,
        coalesce(${shownReply('a', sql`${question}::text`)}, '') as reply, coalesce(a.note, '') as note, c.came
      from (
        ${membersItIsFor(id)} union select user_id from answers where event_id = ${id}) as p
      join users u on u.id = p.user_id
      left join members m on m.club_id = ${owner_club_id} and m.user_id = u.id
      left join answers a on a.event_id = ${id} and a.user_id = u.id
      left join check_ins c on c.event_id = ${id} and c.user_id = u.id
      order by ${byName('u')}`,
  );

/** An event as seen by the member to whom an answer link was sent, and the secret that the token must depend on. */
export interface LinkedEvent
  extends
    Pick<
      Event,
      'id' | 'slug' | 'name' | 'club_name' | 'location_name' | 'start_time' | 'end_time' | 'time_zone'
    >,
    Pick<
      Event,
      'entry_until_time' | 'deleted_at' | 'polling' | 'guests_max' | 'capacity' | 'waitlist' | 'seats_left'
    >,
    Pick<Event, 'owner_club_id' | 'user_count' | 'guest_count' | 'waiting_count'>,
    Pick<Event, 'my_role' | 'my_answer' | 'my_guests' | 'my_place'> {
  user_id: string;
  first_name: string;
  look: StoredLook;
  answer_key: string;
  series_id: string | null;
  /** How the event repeats. Null if it is not a date of a running series. */
  repeats: Recurrence | null;
  my_standing: 'going' | 'no' | null;
  my_standing_guests: number | null;
  /** The id of the transaction that last wrote the standing answer. It serves as the version of the standing answer. */
  my_standing_version: string | null;
}

/**
 * Reads the member and the event of a token, which may be forged. `link` is undefined if the member or the event does
 * not exist. `clockOffset` is 0 outside of tests.
 */
export async function findLink(
  db: Db,
  [user, event]: readonly [string | null, string | null],
  clockOffset = 0,
): Promise<{ now: Instant; link?: LinkedEvent }> {
  const row = await first(
    db,
    sql<{ now: Instant } & (LinkedEvent | { id: null })>`
      select clock.now, e.id, e.slug, e.name, c.club_name, e.location_name, e.start_time, e.end_time, e.time_zone,
        e.owner_club_id, e.entry_until_time, e.deleted_at, e.polling, e.guests_max, m.user_id, m.answer_key, u.first_name,
        ${lookOf('u')} as look, case when mine.answer = 'going' then ${roleOf('mine')} end as my_role, mine.answer as my_answer,
        coalesce(mine.guests, 0) as my_guests, ${myPlace('mine')} as my_place, e.capacity, e.waitlist, g.user_count,
        g.guest_count, ${waitingCount('e.id')} as waiting_count, ${seatsLeft({ event: 'e', counts: 'g' })} as seats_left,
        e.series_id, case when s.ended_at is null and s.id is not null then json_build_object(${recurrenceFields('s')}) end
        as repeats, standing.answer as my_standing, standing.guests as my_standing_guests,
        standing.xmin::text as my_standing_version
      from ${clock(clockOffset)} as clock
      left join (events e join clubs c on c.id = e.owner_club_id join members m on m.club_id = c.id
        join users u on u.id = m.user_id) on e.id = ${event} and m.user_id = ${user}
      left join answers mine on mine.event_id = e.id and mine.user_id = m.user_id
      left join series s on s.id = e.series_id
      left join standing_answers standing on standing.series_id = s.id and standing.user_id = m.user_id
      cross join lateral ${goingCounts('e.id')} as g`,
  );
  const { now, ...link } = row as { now: Instant } & (LinkedEvent | { id: null });
  return link.id === null ? { now } : { now, link };
}

const AnswerKey = z.tuple([Instant, z.guid()]);
const PlaceKey = z.tuple([z.guid()]);

/**
 * A condition on columns of `answers` that selects the rows after a cursor. The next page of a waitlist starts from the
 * top if the last person of the previous page has left the waitlist.
 */
function behindKey(id: string, answer: NamedAnswer, after: string | undefined) {
  if (answer === 'waiting') {
    const [user] = keyIn(PlaceKey, after) ?? [];
    return (
      user &&
      sql`and place > coalesce((select place from answers where event_id = ${id} and user_id = ${user}), 0)`
    );
  }
  const [at, user] = keyIn(AnswerKey, after) ?? [];
  return at && sql`and (answered_at, user_id) > (${at}::timestamptz, ${user}::uuid)`;
}

/** A page of the people with one answer to an event, in the order of the event page. */
export async function pageOfPeople(
  db: Db,
  { id }: Pick<Event, 'id'>,
  { answer, after }: { answer: NamedAnswer; after?: string | undefined },
) {
  const event = sql`${id}::uuid`;
  return peoplePage(
    await all(db, namedPeople(event, answer, behindKey(id, answer, after) || undefined)),
    answer,
  );
}

/** An event with its waitlist, in order. `free` is the number of free seats, or null if seats are not limited. */
interface Waitlist {
  event_id: string;
  club_id: string;
  free: number | null;
  is_closed: boolean;
  waiting: Waiting[];
}

/** The waitlists of these events. Leaves out events without free seats, and events that nobody waits for. */
export const waitlistsOf = (db: Db, events: readonly string[], now: Instant): Promise<Waitlist[]> =>
  all(
    db,
    sql<Waitlist>`
      select e.id as event_id, e.owner_club_id as club_id, e.capacity - taken.seats as free,
        e.entry_until_time <= ${now} as is_closed, queue.waiting
      from events e
      cross join lateral (
        select coalesce(sum(1 + guests), 0)::int as seats from ${going} a where a.event_id = e.id) as taken
      cross join lateral (
        select json_agg(json_build_object('user_id', a.user_id, 'guests', a.guests, 'lets_pass', a.lets_pass)
          order by a.place) as waiting
        from answers a join members m on m.club_id = e.owner_club_id and m.user_id = a.user_id
        where a.event_id = e.id and a.answer = 'waiting') as queue
      where e.id = any(${events}::uuid[]) and e.deleted_at is null and e.end_time > ${now}
        and queue.waiting is not null and (e.capacity is null or e.capacity > taken.seats)`,
  );

/**
 * The `votes` of members who have not answered, as rows of `user_id`, `answer` and `since`, with a `place` on the
 * waitlist for members who get no seat. Places start at 1, because nobody is waiting for the event yet.
 */
export function answersOfVotes(
  { id, capacity, user_count, guest_count }: Pick<Event, 'id' | 'capacity' | 'user_count' | 'guest_count'>,
  votes: RawBuilder<unknown>,
) {
  const free = capacity === null ? null : Math.max(0, capacity - user_count - guest_count);
  return sql`
    select *, case when answer = 'going' and nth > ${free}::int then nth - ${free}::int end as place from (
      select v.*, row_number() over (partition by answer order by since, user_id) as nth
      from (${votes}) as v
      where not exists (select from answers a where a.event_id = ${id} and a.user_id = v.user_id)) as v`;
}

/**
 * The members whom a nudge to each list reaches: those whom the event is for and who have not answered, those with the
 * answer 'maybe', and the unconfirmed.
 */
const onList: Record<NudgedList, (event: string) => Audience> = {
  silent: (event) => sql`
    select m.user_id from events e join members m on m.club_id = e.owner_club_id and ${isFor('e', 'm')}
    where e.id = ${event} and not exists (select from answers a where a.event_id = e.id and a.user_id = m.user_id)`,
  maybe: (event) => sql`
    select m.user_id from events e join members m on m.club_id = e.owner_club_id
    join answers a on a.event_id = e.id and a.user_id = m.user_id where e.id = ${event} and a.answer = 'maybe'`,
  unconfirmed: (event) => sql`
    select m.user_id from events e join members m on m.club_id = e.owner_club_id
    join ${unconfirmed} as a on a.event_id = e.id and a.user_id = m.user_id where e.id = ${event}`,
};

/** The members of a list whom a nudge reaches, of all sections or of some. */
export const nudgedMembers = (list: NudgedList, event: string, sections: readonly string[]): Audience =>
  sections.length === 0
    ? onList[list](event)
    : sql`
      select m.user_id from (${onList[list](event)}) as l join members m on m.user_id = l.user_id
      join events e on e.owner_club_id = m.club_id where e.id = ${event} and m.section_ids && ${sections}::uuid[]`;

/** The planners of the club of an event, and its hosts: rows of `user_id`. */
export const runnersOf = (event: string) => sql`
  select m.user_id from events e join clubs c on c.id = e.owner_club_id join members m on m.club_id = c.id
  where e.id = ${event} and (is_planner(m.club_role, c.organisers_plan) or exists (
    select from answers a where a.event_id = e.id and a.user_id = m.user_id and a.host_no is not null))`;

/** Of these ids, the ids of events that have a free seat. */
export async function withFreeSeats(db: Db, events: readonly string[]): Promise<Set<string>> {
  const rows = await all(
    db,
    sql<{ id: string }>`
      select id from events e where id = any(${events}::uuid[]) and (capacity is null or capacity > (
        select coalesce(sum(1 + guests), 0) from ${going} a where a.event_id = e.id))`,
  );
  return new Set(rows.map(({ id }) => id));
}
