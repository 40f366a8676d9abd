import { all, asJson, byRef, first, isoTimestamp, sql, type Db } from '#platform/db/client.ts';
import { fail } from '#wire/errors.ts';
import type { Instant } from '#wire/instant.ts';
import { dateIn } from '#wire/wall-time.ts';
import type { MemberOf } from '#features/members/rules.ts';
import {
  hostsOf,
  seriesColumns,
  type LockedSeries,
  type StoredSeries,
} from '#features/events/series/access.ts';
import type { Break, SeatsHeld, Series, StandingAnswer } from '#features/events/series/contract.ts';

const breaksIn = (club: unknown) => sql<Break>`
  select first_on::text, last_on::text, name from club_breaks where club_id = ${club} order by first_on, id`;

export const breaksOf = (db: Db, club_id: string): Promise<Break[]> => all(db, breaksIn(club_id));

/** Series with all breaks of their clubs. */
export const seriesAndBreaks = (
  db: Db,
  ids: readonly string[],
): Promise<(StoredSeries & { breaks: Break[] })[]> =>
  all(
    db,
    sql<StoredSeries & { breaks: Break[] }>`
      select ${seriesColumns('s')}, ${asJson(breaksIn(sql.ref('s.club_id')))} as breaks
      from series s where s.id = any(${ids}::uuid[])`,
  );

/** The standing answer of a member to a series, and how many upcoming dates it answers, as JSON. */
function standingOf(series: string, user: string, now: Instant) {
  const s = sql.ref(series);
  return sql`
    select json_build_object('answer', a.answer, 'guests', a.guests, 'dates', (
      select count(*) from answers g join events e on e.id = g.event_id
      where e.series_id = ${s}.id and e.start_time > ${now} and g.user_id = a.user_id and g.via = 'standing'))
    from standing_answers a where a.series_id = ${s}.id and a.user_id = ${user}`;
}

export async function myStanding(
  db: Db,
  { id }: LockedSeries,
  { user_id }: MemberOf,
  now: Instant,
): Promise<StandingAnswer | null> {
  const row = await first(
    db,
    sql<{ my_standing: StandingAnswer | null }>`
      select (${standingOf('s', user_id, now)}) as my_standing from series s where s.id = ${id}`,
  );
  return row?.my_standing ?? null;
}

/** The maximum number of members in `SeatsHeld.people`. */
const maxNamed = 3;

interface FoundSeats extends Pick<SeatsHeld, 'people'> {
  start_time: Instant;
  time_zone: string;
  count: number;
}

/**
 * A `FoundSeats` as JSON, or null: the members who have the seats on upcoming dates, while members who gave a standing
 * answer only after those dates were created have to wait. Members whose standing answer is older than the last of
 * those dates already take turns, so they are included even if they have no seat on that date.
 */
function seatsHeld(series: string, now: Instant) {
  const s = sql.ref(series);
  return sql`
    with regulars as materialized (
      select user_id, since from standing_answers where series_id = ${s}.id and answer = 'going'),
    last as materialized (
      select e.id, e.start_time, e.time_zone, e.created_at from events e
      where e.series_id = ${s}.id and e.start_time > ${now} and e.deleted_at is null and e.capacity is not null
        and exists (
          select from regulars r left join answers a on a.event_id = e.id and a.user_id = r.user_id
          where r.since > e.created_at and (a.answer = 'waiting' or a.answer is null and not e.waitlist))
      order by e.start_time desc, e.id limit 1),
    holders as materialized (
      select r.user_id, r.since from last cross join regulars r
      left join answers a on a.event_id = last.id and a.user_id = r.user_id
      where a.host_no is null and (a.answer = 'going' or r.since <= last.created_at))
    select json_build_object('start_time', ${isoTimestamp('last.start_time')}, 'time_zone', last.time_zone,
      'people', ${asJson(sql`
        select u.id, u.first_name, u.last_name from holders h join users u on u.id = h.user_id
        order by h.since, u.id limit ${maxNamed}`)},
      'count', (select count(*) from holders))
    from last where exists (select from holders)`;
}

/** The data of a series page, apart from its dates. */
export type SeriesHead = StoredSeries &
  Pick<Series, 'club_slug' | 'club_name' | 'host' | 'is_host' | 'my_standing' | 'seats_held'> & {
    /** All breaks of the club. */
    breaks: Break[];
  };

/** Reads the data of a series page for a member of its club. Others get `not_found`. */
export async function headFor(db: Db, user: string, ref: string, now: Instant): Promise<SeriesHead> {
  const row = await first(
    db,
    sql<Omit<SeriesHead, 'is_host' | 'seats_held'> & { found: FoundSeats | null }>`
      select ${seriesColumns('s')}, c.slug as club_slug, c.club_name,
        case when u.id is not null then json_build_object('host_first_name', u.first_name,
          'host_last_name', u.last_name, 'host_profile_picture_url', u.profile_picture_url) end as host,
        (${standingOf('s', user, now)}) as my_standing,
        case when s.ended_at is null then (${seatsHeld('s', now)}) end as found, ${asJson(breaksIn(sql.ref('s.club_id')))} as breaks
      from series s join clubs c on c.id = s.club_id
      join members m on m.club_id = s.club_id and m.user_id = ${user}
      left join users u on u.id = (${hostsOf('s')})[1] where ${byRef('s', ref)}`,
  );
  if (!row) fail('not_found');
  const { found, ...head } = row;
  return { ...head, is_host: head.hosts.includes(user), seats_held: found && seatsOf(found) };
}

const seatsOf = ({ start_time, time_zone, people, count }: FoundSeats): SeatsHeld => ({
  until: dateIn(time_zone, start_time),
  people,
  others: count - people.length,
});
