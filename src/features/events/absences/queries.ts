import { all, first, sql, type Db } from '#platform/db/client.ts';
import { includesDay } from '#wire/day.ts';
import { fail } from '#wire/errors.ts';
import type { Instant } from '#wire/instant.ts';
import { dateIn } from '#wire/wall-time.ts';
import { around } from '#features/events/absence-queries.ts';
import type { Absence, SavedAbsence } from '#features/events/absences/contract.ts';
import { turns, type EventToAnswer, type Standing } from '#features/events/absences/rules.ts';
import { isLate } from '#features/events/answers/rules.ts';
import { going, isGiven } from '#features/events/answer-queries.ts';
import type { Event } from '#features/events/contract.ts';
import { isClosed } from '#features/events/rules.ts';

const columns = sql`id, first_on::text, last_on::text`;

export const absencesOf = (db: Db, user: string): Promise<Absence[]> =>
  all(
    db,
    sql<Absence>`select ${columns} from absences where user_id = ${user} order by first_on, last_on, id`,
  );

/** An absence of this user. Those of others are not found. */
export async function absenceOf(db: Db, user: string, id: string): Promise<Absence> {
  const absence = await first(
    db,
    sql<Absence>`select ${columns} from absences where id = ${id} and user_id = ${user}`,
  );
  return absence ?? fail('not_found');
}

export async function clubsOf(db: Db, user: string): Promise<string[]> {
  const clubs = await all(
    db,
    sql<{ club_id: string }>`select club_id from members where user_id = ${user} order by club_id`,
  );
  return clubs.map(({ club_id }) => club_id);
}

/** The club of an event, and the number of its members. */
export async function clubOf(db: Db, event: string): Promise<{ id: string; members: number }> {
  const club = await first(
    db,
    sql<{ id: string; members: number }>`
      select owner_club_id as id,
        (select count(*)::int from members where club_id = owner_club_id) as members
      from events where id = ${event}`,
  );
  return club ?? fail('not_found');
}

/** Whether an event starts on one of these days in its time zone. */
function startsOn(
  days: Absence,
  { time_zone, start_time }: Pick<Event, 'time_zone' | 'start_time'>,
): boolean {
  // No zone differs from UTC by more than a day, and most of a thousand events start well within a long absence.
  const day = start_time.slice(0, 10);
  return (days.first_on < day && day < days.last_on) || includesDay(days, dateIn(time_zone, start_time));
}

/** What an absence of this user means for the coming events on its days. */
export async function effectOf(
  db: Db,
  user: string,
  absence: Absence,
  now: Instant,
): Promise<Omit<SavedAbsence, 'away'>> {
  // The exact day depends on the zone of the event.
  const found = await all(
    db,
    sql<SavedAbsence['going'][number] & { answer: string; via: string }>`
      select e.slug, e.name, c.club_name, e.start_time, e.time_zone, a.host_no is not null as is_host, a.answer, a.via
      from answers a join events e on e.id = a.event_id join clubs c on c.id = e.owner_club_id
      join members m on m.club_id = c.id and m.user_id = a.user_id
      join absences days on days.id = ${absence.id} and ${around('e', 'days')}
      where a.user_id = ${user} and e.deleted_at is null and e.start_time > ${now}
      order by e.start_time, e.id`,
  );
  const events = found.filter((event) => startsOn(absence, event));
  return {
    answered: events.filter(({ via }) => via === 'away').length,
    going: events
      .filter(({ answer }) => answer === 'going')
      .map(({ slug, name, club_name, start_time, time_zone, is_host }) => ({
        slug,
        name,
        club_name,
        start_time,
        time_zone,
        is_host,
      })),
  };
}

/** The condition that a user is one of `users`. Without `users`, everybody is. */
const isOneOf = (user: string, users: readonly string[] | undefined) =>
  users ? sql`${sql.ref(user)} = any(${users}::uuid[])` : sql`true`;

/** The absences of members around the start of an event, as JSON. The exact day depends on the zone of the event. */
const awayAround = (event: string, users: readonly string[] | undefined) => {
  const e = sql.ref(event);
  return sql`
    select coalesce(json_agg(json_build_object('user_id', a.user_id, 'first_on', a.first_on, 'last_on', a.last_on,
      'section_ids', m.section_ids) order by a.user_id), '[]')
    from absences a join members m on m.user_id = a.user_id and m.club_id = ${e}.owner_club_id
    where ${around(event, 'a')} and ${isOneOf('a.user_id', users)}`;
};

/** An event with what the order of its series needs. */
interface EventOfSeries extends EventToAnswer {
  series_id: string | null;
  start_time: Instant;
  /** Whether hosts are told about changes, see `isLate`. */
  is_late: boolean;
}

type StoredEvent = Omit<EventOfSeries, 'on' | 'is_closed' | 'is_late'> &
  Pick<Event, 'time_zone' | 'end_time' | 'entry_until_time' | 'deleted_at'>;

/**
 * Those of these events that can be answered and have not started, the earliest first, with the answers and absences of
 * all members or of these users.
 */
export async function eventsToAnswer(
  db: Db,
  events: readonly string[],
  now: Instant,
  users: readonly string[] | undefined,
): Promise<EventOfSeries[]> {
  // An event has thousands of answers. Outside of series, only those that are given, or may be, are needed.
  const matters = sql`(e.series_id is not null or ${isGiven('answers')} or exists (
    select from absences a where a.user_id = answers.user_id))`;
  const rows = await all(
    db,
    sql<StoredEvent>`
      select e.id as event_id, e.series_id, e.start_time, e.time_zone, e.section_ids, e.capacity, e.waitlist, e.guests_max,
        e.end_time, e.entry_until_time, e.deleted_at,
        coalesce(sum(1 + guests) filter (where answer = 'going'), 0)::int as taken,
        coalesce(max(place), 0) as last_place,
        coalesce(json_agg(json_build_object('user_id', user_id, 'answer', answer, 'guests', guests, 'place', place,
          'via', via, 'is_own', not (${isGiven('answers')})))
          filter (where user_id is not null and ${isOneOf('user_id', users)} and ${matters}), '[]') as answers,
        (${awayAround('e', users)}) as away
      from events e left join answers on event_id = e.id
      where e.id = any(${events}::uuid[]) and e.deleted_at is null and not e.polling and e.start_time > ${now}
      group by e.id order by e.start_time, e.id`,
  );
  return rows.map(({ time_zone, end_time, entry_until_time, deleted_at, ...event }) => {
    const times = { start_time: event.start_time, end_time, entry_until_time, deleted_at };
    return {
      ...event,
      on: dateIn(time_zone, event.start_time),
      is_closed: isClosed(times, now),
      is_late: isLate(times, now),
    };
  });
}

/** The standing answers of all members, or of these users, to a series, the oldest first. */
export const standingAnswersTo = (db: Db, series: string, users: readonly string[] | undefined) =>
  all(
    db,
    sql<Standing>`
      select user_id, s.answer, s.guests, m.section_ids
      from standing_answers s join series on series.id = s.series_id join members m using (club_id, user_id)
      where s.series_id = ${series} and ${isOneOf('user_id', users)} order by s.since, user_id`,
  );

/** The members who had a seat on the dates of a series before a time that decide whose turn it is, the latest last. */
export async function seatedBefore(db: Db, series: string, start: Instant): Promise<string[][]> {
  const rows = await all(
    db,
    sql<{ seated: string[] }>`
      select array(select user_id from ${going} a where event_id = e.id) as seated
      from events e where series_id = ${series} and start_time < ${start} and deleted_at is null
      order by start_time desc limit ${turns}`,
  );
  return rows.map(({ seated }) => seated).toReversed();
}

/**
 * The coming events of a club whose given answers may change when something about these members does: dates of series
 * with a standing answer of theirs, events around their absences, and events with a given answer of theirs. The
 * earliest come first.
 */
export async function eventsOfMembers(
  db: Db,
  club: string,
  users: readonly string[],
  now: Instant,
): Promise<string[]> {
  const ids = sql`${users}::uuid[]`;
  const rows = await all(
    db,
    sql<{ id: string }>`
      select e.id from events e
      where e.owner_club_id = ${club} and e.start_time > ${now} and e.deleted_at is null and not e.polling and (
        e.series_id in (select series_id from standing_answers where user_id = any(${ids}))
        or exists (
          select from absences a where a.user_id = any(${ids}) and ${around('e', 'a')})
        or exists (select from answers a where a.event_id = e.id and a.user_id = any(${ids}) and ${isGiven('a')}))
      order by e.start_time, e.id`,
  );
  return rows.map(({ id }) => id);
}
