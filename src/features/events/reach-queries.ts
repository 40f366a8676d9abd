import type { RawBuilder } from 'kysely';
import { all, run, sql, type Db } from '#platform/db/client.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { isGiven } from '#features/events/answer-queries.ts';
import {
  aliveFor,
  changeInCalendars,
  committedWithin,
  inCalendars,
} from '#features/events/calendar-queries.ts';
import { byName } from '#features/members/list-queries.ts';

/** A time, or the column with it. */
type Time = Instant | RawBuilder<unknown>;

/** Seconds after a change from which the people whom it did not reach are named. */
export const namedAfter = 10 * 60;

/** The number of people who are named beside the numbers. */
const maxNamed = 5;

/** With fewer people, it is not told how they were reached. */
const minForEvidence = 5;

/**
 * The last new time, new place or cancellation of an event that was not undone, as a row; none if it is older than 30 days
 * or the event has started. `asks_decliners`: whether it was also told to members who had said no. `undone` and
 * `undone_sequences` tell what the event looked like in between.
 */
function changeToReach(event: string, now: Time) {
  const e = sql.ref(event);
  return sql`(
    select h.*, u.undone, u.undone_sequences, coalesce(u.undone_until, h.changed_at) + ${committedWithin} as fetched_after
    from (
      select c.id, c.actor_id, c.changed_at, c.sequence, ${changeInCalendars('c')} as about,
        c.asked_again and c.before ?| array['start_time', 'end_time'] as asks_decliners
      from event_changes c
      where c.event_id = ${e}.id and c.undone_at is null and ${inCalendars('c')} and ${e}.start_time > ${now}::timestamptz
        and c.changed_at > ${now}::timestamptz - interval '30 days'
      order by c.changed_at desc, c.sequence desc limit 1) as h
    cross join lateral (
      select coalesce(range_agg(tstzrange(c.changed_at, greatest(c.undone_at, c.changed_at), '[]')), '{}') as undone,
        coalesce(array_agg(c.sequence), '{}') as undone_sequences, max(c.undone_at) as undone_until
      from event_changes c
      where c.event_id = ${e}.id and c.changed_at > h.changed_at and c.undone_at is not null and ${inCalendars('c')}) as u)`;
}

/**
 * The members whom the change `h` of an event has to reach: those who may come, those who voted for one of its times,
 * followers, and those who had said no, if the change asked them again. Not the person who made it, and nobody who is
 * away. With the answer, if any.
 */
function peopleToReach(event: string) {
  const e = sql.ref(event);
  return sql`
    select m.user_id, a.answer, a.answered_at,
      not ${isGiven('a')} and a.answered_at > h.changed_at and not h.undone @> a.answered_at as answered,
      a.confirmed_at > h.changed_at and not h.undone @> a.confirmed_at as confirmed
    from h
    cross join lateral (
      select user_id from answers where event_id = ${e}.id and (answer <> 'no' or h.asks_decliners)
      union select user_id from event_followers where event_id = ${e}.id
      union select user_id from time_votes v where event_id = ${e}.id and vote <> 'no' and not exists (
        select from answers n where n.event_id = ${e}.id and n.user_id = v.user_id and n.answer = 'no')) as p
    join members m on m.club_id = ${e}.owner_club_id and m.user_id = p.user_id
    left join answers a on a.event_id = ${e}.id and a.user_id = m.user_id
    where m.user_id is distinct from h.actor_id and (a.answer = 'no' and a.via = 'away') is not true`;
}

/** Whether a row of `notices` is about an event. Notices about several dates have them in `dates` or `events`. */
function isAbout(notice: string, event: string) {
  const [n, id] = [sql.ref(notice), sql`${sql.ref(event)}.id::text`];
  return sql`(${n}.facts ->> 'event_id' = ${id} or ${n}.facts -> 'dates' ? ${id} or ${n}.facts -> 'events' ? ${id})`;
}

/**
 * The rule of evidence, once for all that tell whom the last change of an event reached: a query for `user_id`, `evidence`
 * (the strongest, or null) and `undelivered`, and the change itself as `h`. Evidence is later than the change, and was
 * not seen while a newer change was not yet undone. The texts of emails are compared by `sequence`: a transaction that
 * renders an email and one that edits the event may overlap.
 */
function reachOf(event: string, now: Time, columns: RawBuilder<unknown>) {
  const e = sql.ref(event);
  const isStated = sql`((d.states ->> ${e}.id::text)::int >= h.sequence and (d.states ->> ${e}.id::text)::int <> all(h.undone_sequences))`;
  return sql`
    with h as materialized ${changeToReach(event, now)},
    people as materialized (${peopleToReach(event)}),
    bell as (
      select p.user_id, bool_or(n.seen_at is not null or n.actioned_at is not null) as seen, bool_or(d.id is not null) as pushed,
        bool_or(n.kind = 'seat_given' and n.created_at = p.answered_at) as given_seat
      from h cross join people p join notices n on n.user_id = p.user_id and n.created_at >= h.changed_at
      -- The limit makes the plan look each outcome up by its key, also if it expects hardly any.
      left join lateral (
        select o.id from deliveries o where o.id = n.id and o.channel = 'push' and o.state = 'accepted' limit 1) as d on true
      where ${isAbout('n', event)} and not h.undone @> n.created_at
      group by p.user_id),
    told as (
      select d.user_id, bool_or(d.channel = 'app') as seen, bool_or(d.channel = 'email' and d.state = 'accepted') as emailed,
        bool_or(d.state in ('refused', 'failed')) and not bool_or(d.state = 'pending') as undelivered
      from h join deliveries d on d.states ? ${e}.id::text
      where d.channel = 'email' and ${isStated}
        or d.channel = 'app' and d.stated_at >= h.changed_at and not h.undone @> d.stated_at
      group by d.user_id),
    fetched as (
      select f.user_id, bool_or(f.club_id is not null) as of_club
      from h join feed_fetches f on f.fetched_at > greatest(h.fetched_after, ${now}::timestamptz - ${aliveFor})
        and (f.club_id = ${e}.owner_club_id or f.club_id is null and f.user_id in (select user_id from people))
      group by f.user_id),
    reached as (
      select p.user_id, coalesce(told.undelivered, false) as undelivered,
        -- Moving up from the waitlist counts as an answer of that time.
        case when p.confirmed or p.answered and bell.given_seat is not true then 'answered'
          when bell.seen or told.seen then 'seen'
          when fetched.of_club or fetched.user_id is not null and p.answer <> 'no' then 'calendar'
          when bell.pushed then 'push'
          when told.emailed then 'email' end as evidence
      from people p left join bell using (user_id) left join told using (user_id) left join fetched using (user_id))
    ${columns}`;
}

/** Why nothing is known to have reached a person: a row of `reached`. */
const why = (reached: string) =>
  sql`case when ${sql.ref(reached)}.undelivered then 'not_delivered' else 'on_its_way' end`;

const count = (evidence: string) => sql`(count(*) filter (where evidence = ${evidence}::text))::int`;

/**
 * For runners: how many people the last change of an event has reached, how, and the names of some whom it has not. As
 * JSON; null if there is no such change, or nobody to reach.
 */
export function reachInNumbers(event: string, now: Instant) {
  return sql`(${reachOf(
    event,
    now,
    sql`
      select json_build_object('about', h.about, 'all', count(*)::int, 'reached', count(evidence)::int,
        'by', case when count(*) >= ${minForEvidence} then json_build_object('answered', ${count('answered')}, 'seen', ${count('seen')},
          'calendar', ${count('calendar')}, 'push', ${count('push')}, 'email', ${count('email')}) end,
        'missing', case when h.changed_at <= ${addSeconds(now, -namedAfter)} then coalesce((
          select json_agg(named) from (
            select u.id, u.first_name, u.last_name, ${why('r')} as why
            from reached r join users u on u.id = r.user_id where r.evidence is null
            order by ${byName('u')} limit ${maxNamed}) as named), '[]') end)
      from h cross join reached group by h.about, h.changed_at having count(*) > 0`,
  )})`;
}

/** The people whom the last change of the event with this id has not reached: rows of `user_id` and `why`. */
export const unreached = (event: string, now: Instant) => sql`
  select p.* from events e
  cross join lateral (${reachOf('e', now, sql`select r.user_id, ${why('r')} as why from reached r where r.evidence is null`)}) as p
  where e.id = ${event}`;

/** A person whom a change of an event has not reached. */
export interface Unreached {
  event_id: string;
  /** The id of the change. */
  change: string;
  user_id: string;
  first_name: string;
  last_name: string;
  undelivered: boolean;
}

/** The people whom the last change before `at` has not reached yet, for each of these events, by name. */
export const unreachedOf = (
  db: Db,
  events: readonly { event_id: string; at: Instant }[],
): Promise<Unreached[]> =>
  all(
    db,
    sql<Unreached>`
      select e.id as event_id, p.change, p.user_id, u.first_name, u.last_name, p.undelivered
      from unnest(${events.map(({ event_id }) => event_id)}::uuid[], ${events.map(({ at }) => at)}::timestamptz[]) as wanted (id, at)
      cross join lateral (select * from events where id = wanted.id limit 1) as e
      cross join lateral (${reachOf(
        'e',
        sql`wanted.at`,
        sql`select h.id as change, r.user_id, r.undelivered from h cross join reached r where r.evidence is null`,
      )}) as p
      join users u on u.id = p.user_id
      order by ${byName('u')}`,
  );

/** A change that has to reach people, and who made it. */
interface Made {
  id: string;
  event_id: string;
  start_time: Instant;
  actor: string;
}

/**
 * A change with those of other dates of its series that were made together, ordered by start. None if the account of the
 * person who made it is deleted, or that person was told already.
 */
export async function untoldChanges(db: Db, id: string, kind: string): Promise<Made[]> {
  const together = sql`
    select c.id, e.id as event_id, e.start_time, c.actor_id as actor
    from event_changes h join events o on o.id = h.event_id
    join events e on e.id = o.id or e.series_id = o.series_id
    join event_changes c on c.event_id = e.id and c.changed_at = h.changed_at and c.actor_id = h.actor_id
    where h.id = ${id} and ${inCalendars('c')}`;
  // Two processes may check dates of one series at once. The second one then finds the notice of the first.
  await run(
    db,
    sql`select pg_advisory_xact_lock(hashtextextended(${kind} || min(id::text), 0)) from (${together}) as c`,
  );
  return all(
    db,
    sql<Made>`
      with made as (${together})
      select * from made
      where not exists (select from made c join notices n on n.user_id = c.actor and n.dedupe_key = c.id and n.kind = ${kind})
        and not exists (select from made c join notice_emails n on n.user_id = c.actor and n.key = c.id::text and n.kind = ${kind})
      order by start_time, id`,
  );
}

/** The user with this id, if the account still exists: a row of `user_id`. */
export const onlyUser = (id: string) => sql`select id as user_id from users where id = ${id}`;
