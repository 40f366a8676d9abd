import { databaseBatchLoader } from '#platform/db/batch-loader.ts';
import { all, byRef, first, isUuid, sql, type Db } from '#platform/db/client.ts';
import { lookOf, type StoredLook } from '#platform/db/look.ts';
import { digest } from '#platform/token.ts';
import type { Instant } from '#wire/instant.ts';
import type { FeedFetch } from '#features/calendar/contract.ts';
import { isEnabled } from '#features/auth/queries.ts';
import { clock } from '#features/auth/store.ts';
import { retiredSince, windowOf, type CalendarEvent, type RetiredFeed } from '#features/calendar/rules.ts';
import { askedAbout, eventFieldColumns, mustConfirm } from '#features/events/queries.ts';
import { askOf, movedFrom } from '#features/events/answer-queries.ts';
import { aliveFor } from '#features/events/calendar-queries.ts';

/**
 * The columns with the reader's state of an event (`moved_from`, `answer`, `guests`, `must_confirm`, `asked_about` and
 * `reader_changed_at`), and the joins that these columns need.
 */
function ownState(event: string, reader: string) {
  const e = sql.ref(event);
  return {
    columns: sql`
      ${movedFrom(event)} as moved_from, mine.answer, coalesce(mine.guests, 0) as guests,
      ${mustConfirm({ answer: 'mine', ask: 'ask' }, reader)} as must_confirm, ${askedAbout('ask')} as asked_about,
      greatest(answer.changed_at, membership.joined_at) as reader_changed_at`,
    joins: sql`
      left join answers mine on mine.event_id = ${e}.id and mine.user_id = ${reader}
      left join answer_changes answer on answer.event_id = ${e}.id and answer.user_id = ${reader}
      left join members membership on membership.club_id = ${e}.owner_club_id and membership.user_id = ${reader}
      left join lateral ${askOf(event)} as ask on true`,
  };
}

/**
 * The columns of a calendar entry: those of a `CalendarEvent`, without the reader's state (`ownState`). The entry is
 * the event or, while members vote on its time, one of the proposed times.
 */
function entryColumns(
  { event, entry }: Record<'event' | 'entry', string>,
  club_name: ReturnType<typeof sql>,
) {
  const [e, t] = [sql.ref(event), sql.ref(entry)];
  return sql`
    ${t}.id, ${t}.start_time, ${t}.end_time, ${e}.slug, ${eventFieldColumns(event)}, ${e}.owner_club_id, ${e}.created_at,
    ${e}.updated_at, ${e}.time_zone, ${e}.sequence, ${e}.deleted_at, ${e}.polling, ${club_name} as club_name`;
}

/**
 * Whether a proposed time of an event has an entry: only if that time has not passed. Until the poll ends, the event
 * starts at the earliest proposed time that has not passed. Comparing with this start, not with the clock, makes the
 * entries independent of when the feed is read.
 */
function isOpen({ event, time }: Record<'event' | 'time', string>) {
  const [e, t] = [sql.ref(event), sql.ref(time)];
  return sql`${e}.polling and ${t}.start_time >= ${e}.start_time`;
}

/** The maximum number of upcoming events in a feed, nearest first, and of ended events, latest first. */
const maxEvents = { upcoming: 1000, ended: 500 };

/** The rows of `which` that a feed can show. `start` and `end` are the columns with their times. */
const eventsForFeed = (
  which: ReturnType<typeof sql>,
  { start, end }: Record<'start' | 'end', string>,
  now: Instant,
) => sql`(
  (${which} and ${sql.ref(end)} > ${now} order by ${sql.ref(start)} limit ${maxEvents.upcoming})
  union all
  (${which} and ${sql.ref(end)} <= ${now} and ${sql.ref(end)} > ${windowOf(now).from}
    order by ${sql.ref(end)} desc limit ${maxEvents.ended}))`;

/** The entries of the events of a club, with the columns of `entryColumns`. */
export const heldBy = (club: string, now: Instant) => sql`
  with o as materialized ${eventsForFeed(sql`select * from events where owner_club_id = ${club}`, { start: 'end_time', end: 'end_time' }, now)}
  select ${entryColumns({ event: 'o', entry: 'o' }, sql`null`)} from o where not polling
  union all
  select ${entryColumns({ event: 'o', entry: 't' }, sql`null`)} from o join event_times t on t.event_id = o.id
  where ${isOpen({ event: 'o', time: 't' })}`;

/** The entries of a feed and their version, read by one statement. */
export interface FeedEvents {
  version: string;
  events: CalendarEvent[];
}

/** The entries that `which` selects, if they ended recently enough for a feed. */
async function inWindow(
  db: Db,
  viewer: string,
  { which, version }: Record<'which' | 'version', ReturnType<typeof sql>>,
  now: Instant,
): Promise<FeedEvents> {
  const { from, cancelledFrom } = windowOf(now);
  const own = ownState('e', viewer);
  const rows = await all(
    db,
    sql<{ feed_version: string } & (CalendarEvent | { id: null })>`
      select v.version as feed_version, e.* from (${version}) as v left join lateral (
        select e.id, e.slug, ${eventFieldColumns('e')}, e.start_time, e.end_time, e.created_at, e.updated_at,
          e.time_zone, e.sequence, e.deleted_at, e.polling, e.club_name, ${own.columns}
        from (${which}) as e ${own.joins}
        where e.end_time > ${from} and (e.deleted_at is null or e.end_time > ${cancelledFrom})) as e on true
      order by e.start_time, e.id`,
  );
  const events = rows.flatMap(({ feed_version: _version, ...event }) => (event.id === null ? [] : [event]));
  return { version: rows[0]?.feed_version ?? '', events };
}

/** The combined version of everything in the feed of a club. `userVersion` is the version of a personal feed. */
const clubVersion = (club: unknown) =>
  sql`select coalesce(bit_xor(version), 0)::text as version from club_versions where club_id = ${club}`;
const userVersion = (user: unknown) => sql`
  select coalesce(bit_xor(k.version), 0)::text as version
  from members s join club_versions k on k.club_id = s.club_id where s.user_id = ${user}`;

/** The owner of a feed, how the owner sees texts, and the combined version of everything in it. */
export interface OwnedFeed {
  user_id: string;
  look: StoredLook;
  version: string;
}

export interface ClubFeed extends OwnedFeed {
  club_id: string;
  slug: string;
  club_name: string;
}

/** The result of looking up a feed URL, and the time of the look-up. */
interface FeedLookup<Feed> {
  now: Instant;
  feed?: Feed;
}

/** A request for a feed. `clockOffset` is 0 outside tests. */
interface FeedRequest {
  secret: string;
  clockOffset: number;
}

/** A row without `user_id` means that there is no such feed. */
const toLookup = <Feed extends OwnedFeed>({
  now,
  ...feed
}: NoFeed | (Feed & { now: Instant })): FeedLookup<Feed> =>
  feed.user_id === null ? { now } : { now, feed: feed as unknown as Feed };

interface NoFeed {
  now: Instant;
  user_id: null;
}

/** Looks up the club feed of a secret, which is deleted with the membership. Look-ups are batched per tick. */
export const clubFeed = databaseBatchLoader(
  async (db: Db, requests: readonly (FeedRequest & { club: string })[]): Promise<FeedLookup<ClubFeed>[]> => {
    const clockOffset = requests[0]?.clockOffset ?? 0;
    const secrets = requests.map(({ secret }) => secret);
    const ids = requests.map(({ club }) => (isUuid(club) ? club : null));
    const slugs = requests.map(({ club }) => (isUuid(club) ? null : club));
    const rows = await all(
      db,
      sql<NoFeed | (ClubFeed & { now: Instant })>`
        select clock.now, case when c.id is not null then m.user_id end as user_id,
          reader.look, m.club_id, c.slug, c.club_name, versions.version
        from ${clock(clockOffset)} as clock cross join unnest(${secrets}::text[], ${ids}::uuid[], ${slugs}::text[])
          with ordinality as asked (secret, id, slug, place)
        left join lateral (
          select * from members s where s.calendar_secret = asked.secret and ${isEnabled('s.user_id')} limit 1
        ) as m on true
        left join lateral (
          select ${lookOf('u')} as look from users u where u.id = m.user_id limit 1) as reader on true
        left join lateral (
          select id, slug, club_name from clubs where id = m.club_id and (id = asked.id or slug = asked.slug) limit 1
        ) as c on true
        left join lateral (${clubVersion(sql`c.id`)}) as versions on true
        order by asked.place`,
    );
    return rows.map(toLookup);
  },
);

export const eventsOfClub = (db: Db, { club_id, user_id }: ClubFeed, now: Instant) =>
  inWindow(db, user_id, { which: heldBy(club_id, now), version: clubVersion(club_id) }, now);

/** What the email with the link of a feed needs: the personal feed, or that of a club of the user. */
export const feedToEmail = (
  db: Db,
  user: string,
  club: string | undefined,
): Promise<FeedToEmail | undefined> =>
  first(
    db,
    club === undefined
      ? sql<FeedToEmail>`
          select email, ${lookOf('u')} as look, calendar_secret as secret, null as club_name
          from users u where id = ${user}`
      : sql<FeedToEmail>`
          select u.email, ${lookOf('u')} as look, m.calendar_secret as secret, c.club_name
          from users u join members m on m.user_id = u.id join clubs c on c.id = m.club_id
          where u.id = ${user} and m.club_id = ${club}`,
  );

interface FeedToEmail {
  email: string;
  look: StoredLook;
  secret: string;
  /** Null for the personal feed. */
  club_name: string | null;
}

export const personalFeed = databaseBatchLoader(
  async (db: Db, requests: readonly FeedRequest[]): Promise<FeedLookup<OwnedFeed>[]> => {
    const clockOffset = requests[0]?.clockOffset ?? 0;
    const secrets = requests.map(({ secret }) => secret);
    const rows = await all(
      db,
      sql<NoFeed | (OwnedFeed & { now: Instant })>`
        select clock.now, u.id as user_id, u.look, versions.version
        from ${clock(clockOffset)} as clock cross join unnest(${secrets}::text[]) with ordinality as asked (secret, place)
        left join lateral (
          select id, ${lookOf('users')} as look from users
          where calendar_secret = asked.secret and disabled_at is null limit 1) as u on true
        left join lateral (${userVersion(sql`u.id`)}) as versions on true
        order by asked.place`,
    );
    return rows.map(toLookup);
  },
);

/**
 * The entries of a user's personal feed, with the columns of `entryColumns`: events of their current clubs to which
 * they have given an answer other than 'no', and proposed times for which their vote is not 'no'.
 */
export function attendedBy(user: string, now: Instant) {
  // The `limit 1` makes the planner start from the answers. Starting from the events of the clubs would be slow for a
  // large club.
  const ofClubs = sql`
    cross join lateral (select * from events where id = a.event_id limit 1) as o
    cross join lateral (select from members where club_id = o.owner_club_id and user_id = ${user} limit 1) as m
    cross join lateral (select club_name from clubs where id = o.owner_club_id limit 1) as c`;
  const answeredEvents = sql`select * from answers where user_id = ${user} and answer <> 'no'`;
  return sql`
    with a as materialized ${eventsForFeed(answeredEvents, { start: 'event_start', end: 'event_end' }, now)}
    select ${entryColumns({ event: 'o', entry: 'o' }, sql`c.club_name`)} from a ${ofClubs} where not o.polling
    union all
    select ${entryColumns({ event: 'o', entry: 't' }, sql`c.club_name`)}
    from time_votes a join event_times t on t.id = a.time_id ${ofClubs}
    where a.user_id = ${user} and a.vote <> 'no' and ${isOpen({ event: 'o', time: 't' })}`;
}

export const eventsOfUser = (db: Db, user: string, now: Instant) =>
  inWindow(db, user, { which: attendedBy(user, now), version: userVersion(user) }, now);

/** One event, however old. */
export function oneEvent(db: Db, viewer: string, ref: string) {
  const own = ownState('e', viewer);
  return first(
    db,
    sql<CalendarEvent & { owner_club_id: string; look: StoredLook }>`
      select e.*, ${own.columns}, (select ${lookOf('u')} from users u where u.id = ${viewer}) as look
      from events e ${own.joins}
      where ${byRef('e', ref)}`,
  );
}

export interface RetiredAddress {
  secret: string;
  /** Set for the feed of a club. */
  club?: string;
  now: Instant;
}

/** The content of a retired feed URL, if it is still served. */
export function retiredFeed(db: Db, { secret, club, now }: RetiredAddress) {
  const ofClub =
    club === undefined
      ? sql`club_id is null`
      : isUuid(club)
        ? sql`club_id = ${club}`
        : sql`club_id = (select id from clubs where slug = ${club})`;
  return first(
    db,
    sql<RetiredFeed & { user_id: string; look: StoredLook }>`
      select user_id, entries, retired_at, ${lookOf('u')} as look
      from retired_feeds join users u on u.id = user_id
      where secret_hash = ${digest(secret)} and retired_at > ${retiredSince(now)} and ${ofClub}
        and ${isEnabled('retired_feeds.user_id')}`,
  );
}

export const fetchesOf = (db: Db, user: string): Promise<FeedFetch[]> =>
  all(
    db,
    sql<FeedFetch>`
      select club_id, app, fetched_at from feed_fetches where user_id = ${user} order by fetched_at desc, app`,
  );

/** Whether a calendar app has recently fetched a feed of the user. */
export const usesFeed = async (db: Db, user: string, now: Instant): Promise<boolean> =>
  (await first(
    db,
    sql`select from feed_fetches where user_id = ${user} and fetched_at > ${now}::timestamptz - ${aliveFor} limit 1`,
  )) !== undefined;
