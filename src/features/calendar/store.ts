import type { RawBuilder } from 'kysely';
import { first, isoTimestamp, perDatabase, run, sql, type Db } from '#platform/db/client.ts';
import { isAmong, type Users } from '#platform/db/users.ts';
import { raise } from '#platform/notices/raise.ts';
import { randomToken } from '#platform/token.ts';
import type { Instant } from '#wire/instant.ts';
import { replaceCalendarSecrets, updateUser } from '#features/auth/store.ts';
import type { CalendarApp } from '#features/calendar/contract.ts';
import { attendedBy, heldBy } from '#features/calendar/queries.ts';
import { leftClub, unattended } from '#features/calendar/notices.ts';
import { snapshotOf, type EventSnapshot } from '#features/events/notice-queries.ts';
import { memberRemoved } from '#features/members/notices.ts';
import { onlyUsers } from '#features/members/queries.ts';
import type { MemberOf } from '#features/members/rules.ts';
import {
  replaceClubCalendarSecrets,
  setCalendarSecret,
  type EndedMembership,
} from '#features/members/store.ts';

/** Maximum number of retired addresses per feed: replacing the address in a loop must not fill the disk. */
const maxRetired = 5;

/**
 * A change that is committed while this transaction waits for its locks may be up to this many seconds later than
 * `now`.
 */
const margin = 60;

/** A user's feed of one club, or the personal feed if `club_id` is null. */
interface FeedOf {
  user_id: string;
  club_id: string | null;
}

/**
 * Makes the feed address selected by `secret` serve bare cancellations of the events that have not ended. The
 * cancellations have higher sequences than anything the address has served, so that calendar apps apply them.
 */
async function retireFeed(
  db: Db,
  { user_id, club_id }: FeedOf,
  { secret, events }: Record<'secret' | 'events', RawBuilder<unknown>>,
  now: Instant,
): Promise<void> {
  await run(
    db,
    sql`
      insert into retired_feeds (secret_hash, user_id, club_id, entries, retired_at)
      select sha256(convert_to(feed.calendar_secret, 'UTF8')), ${user_id}, ${club_id}::uuid, (
          select coalesce(json_agg(json_build_object('id', e.id, 'start_time', ${isoTimestamp('e.start_time')}, 'sequence',
            e.sequence + ${margin}::int + greatest(0, ceil(extract(epoch from ${now}::timestamptz - e.created_at)))::int)
            order by e.start_time, e.id), '[]')
          from (${events}) as e where e.end_time > ${now}), ${now}
      from (${secret}) as feed`,
  );
  await run(
    db,
    sql`
      delete from retired_feeds where secret_hash in (
        select secret_hash from retired_feeds where user_id = ${user_id} and club_id is not distinct from ${club_id}
        order by retired_at desc, secret_hash offset ${maxRetired})`,
  );
}

/** Retires the address of a member's club feed. The club must be locked. */
const retireClubFeed = (
  db: Db,
  { club_id, user_id }: { club_id: string; user_id: string },
  secret: RawBuilder<unknown>,
  now: Instant,
) => retireFeed(db, { club_id, user_id }, { secret, events: heldBy(club_id, now) }, now);

/** Stops all retired addresses of a feed. */
const deleteRetiredFeedsOf = (db: Db, { club_id, user_id }: FeedOf) =>
  run(
    db,
    sql`delete from retired_feeds where user_id = ${user_id} and club_id is not distinct from ${club_id}`,
  );

export const deleteRetiredFeeds = (db: Db, before: Instant) =>
  run(db, sql`delete from retired_feeds where retired_at <= ${before}`);

/** Replaces the addresses of all feeds of these users. The old ones stop working at once. */
export async function replaceAllSecrets(db: Db, users: Users): Promise<void> {
  await replaceCalendarSecrets(db, users);
  await replaceClubCalendarSecrets(db, users);
  await run(db, sql`delete from retired_feeds where ${isAmong('user_id', users)}`);
  await run(db, sql`delete from feed_fetches where ${isAmong('user_id', users)}`);
}

interface Secret {
  ical_feed_url_id: string;
}

interface ReplaceOptions {
  /** If true, the old URL and all earlier ones of this feed stop working at once. */
  leaked: boolean;
  now: Instant;
}

/** Replaces the secret of the personal feed. */
export async function replaceSecret(
  db: Db,
  user: string,
  { leaked, now }: ReplaceOptions,
): Promise<Secret | undefined> {
  const feed = { user_id: user, club_id: null };
  // Locked, so that the second of two concurrent requests retires the URL that the first one created. A separate
  // statement takes the lock, because a row that refers to the user would take a weaker lock on the user first.
  const secret = sql`select calendar_secret from users where id = ${user} for no key update`;
  await run(db, secret);
  if (leaked) await deleteRetiredFeedsOf(db, feed);
  else await retireFeed(db, feed, { secret, events: attendedBy(user, now) }, now);
  const ical_feed_url_id = randomToken(128);
  const isReplaced = (await updateUser(db, user, { calendar_secret: ical_feed_url_id })) > 0;
  await deleteFetchesOf(db, feed);
  return isReplaced ? { ical_feed_url_id } : undefined;
}

/** Replaces the secret of a member's feed of one club. The caller must hold the lock of the club. */
export async function replaceClubSecret(
  db: Db,
  membership: MemberOf,
  { leaked, now }: ReplaceOptions,
): Promise<Secret | undefined> {
  const { club_id, user_id } = membership;
  const secret = sql`select calendar_secret from members where club_id = ${club_id} and user_id = ${user_id}`;
  if (leaked) await deleteRetiredFeedsOf(db, membership);
  else await retireClubFeed(db, membership, secret, now);
  const ical_feed_url_id = randomToken(128);
  const isReplaced = (await setCalendarSecret(db, membership, ical_feed_url_id)) > 0;
  await deleteFetchesOf(db, membership);
  return isReplaced ? { ical_feed_url_id } : undefined;
}

/** The last fetch of a feed by a kind of app. */
interface Fetch {
  /** The secret of the feed. */
  secret: string;
  app: CalendarApp;
  fetched_at: Instant;
}

/** The fetches that this process has not written yet. Writing each one separately would double the cost of a fetch. */
const unwritten = perDatabase(() => new Map<string, Fetch>());

/**
 * Keeps a fetch in memory until `writeFetches`. If a crash loses it, the calendar counts as out of date, never as up to
 * date.
 */
export const rememberFetch = (db: Db, fetch: Fetch): unknown =>
  unwritten(db).set(`${fetch.app} ${fetch.secret}`, fetch);

/**
 * Writes the fetches in memory for `lookups`, except those of replaced addresses and ended memberships. The row locks
 * serialise this with a replacement of the secret, which either changes the secret first or deletes these rows.
 */
export async function writeFetches(db: Db, lookups: Db): Promise<void> {
  const fetches = [...unwritten(lookups).values()];
  if (fetches.length === 0) return;
  unwritten(lookups).clear();
  try {
    await insertFetches(db, fetches);
  } catch (error) {
    const later = unwritten(lookups);
    for (const fetch of fetches)
      if (!later.has(`${fetch.app} ${fetch.secret}`)) rememberFetch(lookups, fetch);
    throw error;
  }
}

/** Locks and inserts rows in a fixed order, so that concurrent processes do not deadlock. */
const insertFetches = (db: Db, fetches: readonly Fetch[]) =>
  run(
    db,
    sql`
      with seen as materialized (
        select * from unnest(${fetches.map(({ secret }) => secret)}::text[], ${fetches.map(({ app }) => app)}::text[],
          ${fetches.map(({ fetched_at }) => fetched_at)}::timestamptz[]) as s (secret, app, fetched_at)),
      personal as materialized (
        select u.id, null::uuid, s.app, s.fetched_at from seen s join users u on u.calendar_secret = s.secret
        order by u.id for key share of u),
      of_clubs as materialized (
        select m.user_id, m.club_id, s.app, s.fetched_at from seen s join members m on m.calendar_secret = s.secret
        order by m.user_id, m.club_id for key share of m)
      insert into feed_fetches as f (user_id, club_id, app, fetched_at)
      select * from (select * from personal union all select * from of_clubs) as fetches order by 1, 2, 3
      on conflict (user_id, club_id, app) do update set fetched_at = greatest(f.fetched_at, excluded.fetched_at)`,
  );

/** Deletes the fetches of a feed, because its apps have the old address. */
const deleteFetchesOf = (db: Db, { club_id, user_id }: FeedOf) =>
  run(
    db,
    sql`delete from feed_fetches where user_id = ${user_id} and club_id is not distinct from ${club_id}`,
  );

export const deletePastFetches = (db: Db, before: Instant) =>
  run(db, sql`delete from feed_fetches where fetched_at <= ${before}`);

/** A calendar file that was emailed to a user. */
export interface SentFile {
  event: string;
  setting: string;
  invited: boolean;
}

/** Records the calendar files that were emailed to a user, so that later emails can withdraw them. */
export const recordFiles = (db: Db, user: string, files: readonly SentFile[]) =>
  run(
    db,
    sql`insert into calendar_files as f (user_id, event_id, setting, invited)
        select ${user}::uuid, * from unnest(${files.map(({ event }) => event)}::uuid[],
          ${files.map(({ setting }) => setting)}::text[], ${files.map(({ invited }) => invited)}::boolean[])
        on conflict (user_id, event_id, setting) do update set invited = true where excluded.invited and not f.invited`,
  );

/**
 * Deletes the records of the calendar files that a user was sent for a club or for one event. Returns the events that
 * an email has to withdraw. Past and cancelled events are not returned, because they may stay in a calendar; nor,
 * unless `always`, are events whose emails the user has switched off. `recordAnswers` must have run for the events.
 */
async function deleteFiles(
  db: Db,
  { user_id, club_id, event_id }: { user_id: string; club_id: string; event_id?: string },
  now: Instant,
  always = false,
): Promise<{ club_name: string; withdrawn: Record<string, EventSnapshot> }> {
  const row = await first(
    db,
    sql<{ club_name: string; withdrawn: Record<string, EventSnapshot> | null }>`
      with deleted as (
        delete from calendar_files f using events e
        where f.user_id = ${user_id} and e.id = f.event_id and e.owner_club_id = ${club_id}
          ${event_id ? sql`and e.id = ${event_id}` : sql``}
        returning f.event_id, f.setting, f.invited)
      select club_name, (
        select jsonb_object_agg(e.id, ${snapshotOf('e')} || jsonb_build_object('reader_changed_at', ${isoTimestamp('a.changed_at')},
          'invited', exists (select from deleted f where f.event_id = e.id and f.invited)))
        from events e join answer_changes a on a.event_id = e.id and a.user_id = ${user_id}
        where e.deleted_at is null and e.end_time > ${now} and exists (
          select from deleted f where f.event_id = e.id and (${always}::boolean or not exists (
            select from notification_opt_outs q where q.user_id = ${user_id} and q.key = f.setting)))) as withdrawn
      from clubs where id = ${club_id}`,
  );
  return { club_name: row?.club_name ?? '', withdrawn: row?.withdrawn ?? {} };
}

/** Delay in seconds of an email that confirms an answer by link, so that the member can undo the answer first. */
const secondsToUndo = 60;

/**
 * Withdraws the calendar file of an event that the user no longer attends, unless they have opted out of the emails
 * that sent it. With `isConfirmed`, the email also confirms an answer by link, so it is sent even without a file.
 */
export async function withdrawFile(
  db: Db,
  {
    isConfirmed = false,
    ...of
  }: { user_id: string; club_id: string; event_id: string; isConfirmed?: boolean },
  now: Instant,
): Promise<void> {
  const { withdrawn } = await deleteFiles(db, of, now);
  if (Object.keys(withdrawn).length === 0 && !isConfirmed) return;
  const facts = { event_id: of.event_id, isConfirmed, before: withdrawn };
  await raise(db, unattended, { facts, delay: isConfirmed ? secondsToUndo : 0, now }, onlyUsers(of.user_id));
}

/** The feed of a member who left serves cancellations from now on; the feed of a removed member stops working. */
export async function onMembershipEnded(
  db: Db,
  { club_id, user_id, calendar_secret, successor, removal }: EndedMembership,
  now: Instant,
): Promise<void> {
  const membership = { club_id, user_id };
  const { club_name, withdrawn: before } = await deleteFiles(db, membership, now, removal !== undefined);
  const facts = { club_id, club_name, before };
  if (removal === undefined) {
    await retireClubFeed(db, membership, sql`select ${calendar_secret}::text as calendar_secret`, now);
    if (Object.keys(before).length > 0) await raise(db, leftClub, { facts, now }, onlyUsers(user_id));
    return;
  }
  // The email about the removal, which is always sent, withdraws the files too.
  await raise(db, memberRemoved, { facts, actor: successor, dedupeKey: removal, now }, onlyUsers(user_id));
  await deleteRetiredFeedsOf(db, membership);
}
