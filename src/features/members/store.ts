import type { RawBuilder } from 'kysely';
import { z } from 'zod';
import { all, byRef, first, isoTimestamp, run, sql, type Db } from '#platform/db/client.ts';
import type { Actor } from '#platform/context.ts';
import { keyIn, pageOf, rowsForPage } from '#platform/db/pagination.ts';
import { randomToken } from '#platform/token.ts';
import type { Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import { text } from '#wire/text.ts';
import type { Member, MemberForAdmin } from '#features/members/contract.ts';
import { isAdmin, type AdminOf, type MemberOf, type Membership } from '#features/members/rules.ts';
import type { WithdrawalKind } from '#features/notifications/rules.ts';
import { ClubRole } from '#features/users/contract.ts';

/** Locks the club's row, so that changes to its memberships are serialised. First in the lock order. */
export async function lockClub(db: Db, club: string): Promise<string> {
  const row = await first(
    db,
    sql<{ id: string }>`select id from clubs where ${byRef('clubs', club)} for no key update`,
  );
  return row?.id ?? fail('not_found');
}

/** Checks that the user is a member. For non-members the club does not exist. */
export async function asMember(db: Db, user: Actor, club: string): Promise<MemberOf> {
  const membership = await first(
    db,
    sql<MemberOf>`
      select m.club_id, m.user_id, m.club_role from clubs join members m on m.club_id = clubs.id
      where ${byRef('clubs', club)} and m.user_id = ${user.id}`,
  );
  return membership ?? fail('not_found');
}

/** Checks that the user is an admin. The role is read after locking the club, so a concurrent change counts. */
export async function asAdmin(db: Db, user: Actor, club: string): Promise<AdminOf> {
  const membership = await asMember(db, user, await lockClub(db, club));
  return isAdmin(membership) ? membership : fail('not_admin');
}

/** An admin who only reads: takes no lock, and therefore returns no `AdminOf` that a write would accept. */
export async function asReadingAdmin(db: Db, user: Actor, club: string): Promise<MemberOf> {
  const membership = await asMember(db, user, club);
  return isAdmin(membership) ? membership : fail('not_admin');
}

/** Two club ids in one request must refer to the same club, otherwise access to one would grant access to the other. */
export async function requireSameClub(db: Db, { club_id }: MemberOf, other?: string): Promise<void> {
  if (other === undefined || other === club_id) return;
  const same = sql`select 1 from clubs where clubs.id = ${club_id} and ${byRef('clubs', other)}`;
  if (!(await first(db, same))) fail('ids_disagree');
}

export const memberships = (db: Db, { club_id }: { club_id: string }): Promise<Membership[]> =>
  all(
    db,
    sql<Membership>`select user_id, club_role from members where club_id = ${club_id} order by joined_at, user_id`,
  );

/** Members without a name come last. */
const byName = sql`u.first_name = '', lower(u.first_name), lower(u.last_name), u.id`;

const Name = text(200);
const Key = z.tuple([ClubRole, Name, Name, z.guid()]);
type Key = z.infer<typeof Key>;

const keyOf = ({ club_role, first_name, last_name, id }: Member): Key => [
  club_role,
  first_name,
  last_name,
  id,
];
const nameIn = ([, first_name, last_name, id]: Key) =>
  sql`${first_name}::text = '', lower(${first_name}::text), lower(${last_name}::text), ${id}::uuid`;

/** Admins first. Reads one row more than a page holds, to tell whether there is a next page. */
export function membersOf(club_id: string, after?: string) {
  const key = keyIn(Key, after);
  const afterCursor = key ? sql`and (-m.club_role, ${byName}) > (${-key[0]}::int, ${nameIn(key)})` : sql``;
  return sql<Member>`
    select u.id, u.first_name, u.last_name, u.profile_picture_url, m.club_role
    from members m join users u on u.id = m.user_id where m.club_id = ${club_id} ${afterCursor}
    order by -m.club_role, ${byName} limit ${rowsForPage}`;
}

/** One page of members and the cursor of the next page. */
export function firstPage<Row extends Member>(read: readonly Row[]): { members: Row[]; more: string | null } {
  const { rows, more } = pageOf(read, keyOf);
  return { members: rows, more };
}

export const pageOfMembers = async (db: Db, { club_id }: MemberOf, after?: string) =>
  firstPage(await all(db, membersOf(club_id, after)));

/** Ordered by name, so a row keeps its position when the role changes. Search words match literally, without wildcards. */
export function membersForAdmin(
  club_id: string,
  { q = '', after }: { q?: string; after?: string | undefined },
) {
  const key = keyIn(Key, after);
  const afterCursor = key ? sql`and (${byName}) > (${nameIn(key)})` : sql``;
  return sql<MemberForAdmin>`
    select u.id, u.first_name, u.last_name, u.profile_picture_url, m.club_role, u.user_name, u.email, c.club_name
    from members m join users u on u.id = m.user_id join clubs c on c.id = m.club_id
    where m.club_id = ${club_id} ${afterCursor} and not exists (
      select from unnest(${q.split(/\s+/).filter(Boolean)}::text[]) as word
      where strpos(lower(concat_ws(' ', u.first_name, u.last_name, u.user_name, u.email)), lower(word)) = 0)
    order by ${byName} limit ${rowsForPage}`;
}

export const pageForAdmin = async (
  db: Db,
  { club_id }: MemberOf,
  filter: { q?: string; after?: string | undefined },
) => firstPage(await all(db, membersForAdmin(club_id, filter)));

export const addMember = (
  db: Db,
  { club_id, user_id, club_role }: Membership & { club_id: string },
  now: Instant,
) =>
  run(
    db,
    sql`insert into members (club_id, user_id, club_role, calendar_secret, joined_at)
        values (${club_id}, ${user_id}, ${club_role}, ${randomToken(128)}, ${now})`,
  );

/** Returns whether the role changed. */
export const changeRole = async (
  db: Db,
  { club_id }: AdminOf,
  member: string,
  role: ClubRole,
): Promise<boolean> =>
  (await run(
    db,
    sql`update members set club_role = ${role}
        where club_id = ${club_id} and user_id = ${member} and club_role <> ${role}`,
  )) > 0;

/**
 * Locks all events of a club that have not ended, cancelled ones included. This waits for concurrent requests to attend
 * or cancel, and later ones see the changes of this transaction. The club must be locked.
 */
export const lockUpcomingEvents = (db: Db, club_id: string, now: Instant) =>
  all(
    db,
    sql<{ id: string; deleted_at: Instant | null }>`
      select id, deleted_at from events where owner_club_id = ${club_id} and end_time > ${now}
      order by id for no key update`,
  );

/**
 * Removes a member from a club: the membership, the invite link they created, their favourites and followed events, and
 * their attendance at events that have not ended. `successor` takes over hosting. The club must be locked.
 */
export async function removeMember(
  db: Db,
  { club_id, user_id, successor }: { club_id: string; user_id: string; successor: string },
  now: Instant,
): Promise<void> {
  await run(db, sql`delete from members where club_id = ${club_id} and user_id = ${user_id}`);
  await run(db, sql`delete from invite_links where club_id = ${club_id} and created_by = ${user_id}`);
  const inThisClub = sql`user_id = ${user_id} and event_id in (select id from events where owner_club_id = ${club_id})`;
  await run(db, sql`delete from favourites where ${inThisClub}`);
  await run(db, sql`delete from event_followers where ${inThisClub}`);
  await lockUpcomingEvents(db, club_id, now);
  const attended = await all(
    db,
    sql<{ event_id: string; needs_host: boolean }>`
      delete from attendances a using events e
      where e.id = a.event_id and e.owner_club_id = ${club_id} and e.end_time > ${now} and a.user_id = ${user_id}
      returning a.event_id, a.attendee_role = 'organiser' and e.deleted_at is null as needs_host`,
  );
  const emailed = await all(
    db,
    sql<{ event_id: string }>`select distinct event_id from calendar_files where ${inThisClub}`,
  );
  await recordAnswers(
    db,
    user_id,
    [...new Set([...attended, ...emailed].map(({ event_id }) => event_id))],
    now,
  );
  await run(db, sql`update answer_changes set left_at = ${now} where ${inThisClub}`);
  const hosted = attended.filter((attendance) => attendance.needs_host).map(({ event_id }) => event_id);
  if (hosted.length > 0) await host(db, hosted, successor, now);
}

async function host(db: Db, eventIds: string[], user: string, now: Instant): Promise<void> {
  await run(
    db,
    sql`insert into attendances (event_id, user_id, attendee_role, attended_at)
        select id, ${user}, 'organiser', ${now} from unnest(${eventIds}::uuid[]) as id
        on conflict (event_id, user_id) do update set attendee_role = 'organiser'`,
  );
  await recordAnswers(db, user, eventIds, now);
}

/**
 * Records that a user's answers to these events change now. SEQUENCE counts seconds, so each change is at least one
 * second later than anything this user's calendar has already. The events must be locked.
 */
export const recordAnswers = (db: Db, user: string, events: readonly string[], now: Instant) =>
  run(
    db,
    sql`insert into answer_changes (user_id, event_id, changed_at)
        select ${user}, e.id, greatest(${now}, e.updated_at + interval '1 second', m.joined_at + interval '1 second')
        from events e left join members m on m.club_id = e.owner_club_id and m.user_id = ${user}
        where e.id = any(${events}::uuid[])
        on conflict (user_id, event_id) do update
          set changed_at = greatest(excluded.changed_at, answer_changes.changed_at + interval '1 second')`,
  );

/** Keeps the rows of users who have joined again: their calendar entries must not fall afterCursor earlier sequences. */
export const deleteAnswersOfFormerMembers = (db: Db, before: Instant) =>
  run(
    db,
    sql`delete from answer_changes a using events e
        where a.left_at < ${before} and e.id = a.event_id
          and not exists (select from members m where m.club_id = e.owner_club_id and m.user_id = a.user_id)`,
  );

/** Withdraws a user's calendar files of a club: all of them, or those of one event. */
interface Withdrawal {
  user_id: string;
  club_id: string;
  event_id?: string;
}

/**
 * Common table expressions that delete a user's calendar files and collect in `withdrawn` the events that an email has
 * to withdraw. Past and cancelled events may stay in a calendar. `recordAnswers` must have run for these events.
 */
const deleteFiles = (
  { user_id, club_id, event_id }: Withdrawal,
  now: Instant,
  isWanted: ReturnType<typeof sql<boolean>>,
) => sql`
  forgotten as (
    delete from calendar_files f using events e
    where f.user_id = ${user_id} and e.id = f.event_id and e.owner_club_id = ${club_id}
      ${event_id ? sql`and e.id = ${event_id}` : sql``}
    returning f.event_id, f.setting),
  files as (
    select jsonb_agg(to_jsonb(e) || jsonb_build_object('reader_changed_at', a.changed_at) order by e.start_time, e.id)
      as withdrawn
    from events e join answer_changes a on a.event_id = e.id and a.user_id = ${user_id}
    where e.deleted_at is null and e.end_time > ${now}
      and exists (select from forgotten f where f.event_id = e.id and ${isWanted}))`;

/**
 * Withdraws the calendar files of an event that the user no longer attends, or of a club that they left, unless they
 * have opted out of the emails that sent those files.
 */
export function emailWithdrawal(db: Db, kind: WithdrawalKind, withdrawal: Withdrawal, now: Instant) {
  const { user_id, club_id, event_id = club_id } = withdrawal;
  const isWanted = sql<boolean>`
    not exists (select from notification_opt_outs q where q.user_id = ${user_id} and q.key = f.setting)`;
  return run(
    db,
    sql`
      with ${deleteFiles(withdrawal, now, isWanted)}
      insert into notification_emails (id, user_id, kind, about, club_id, payload, created_at, send_at)
      select gen_random_uuid(), ${user_id}::uuid, ${kind}::text, md5(${event_id}::text || ${user_id}::text)::uuid, c.id,
        jsonb_build_object('club_name', c.club_name, 'club_slug', c.slug, 'withdrawn', files.withdrawn),
        ${now}::timestamptz, now()
      from files join clubs c on c.id = ${club_id} where files.withdrawn is not null`,
  );
}

/** Withdraws all calendar files of the club with the email about the removal, which is always sent. */
export const withdrawWithRemoval = (
  db: Db,
  { cause, ...withdrawal }: Withdrawal & { cause: string },
  now: Instant,
) =>
  run(
    db,
    sql`
      with ${deleteFiles(withdrawal, now, sql`true`)}
      update notification_emails n set payload = n.payload || jsonb_build_object('withdrawn', files.withdrawn)
      from files
      where files.withdrawn is not null
        and n.kind = 'member_removed' and n.about = ${cause} and n.user_id = ${withdrawal.user_id}`,
  );

/** A link created while the ejection waited for the lock counts as older than the ejection, whatever the clock says. */
export const recordEjection = (db: Db, { club_id }: AdminOf, member: string, now: Instant) =>
  run(
    db,
    sql`insert into ejections (club_id, user_id, ejected_at)
        select ${club_id}, ${member}, greatest(${now}, max(created_at)) from invite_links where club_id = ${club_id}
        on conflict (club_id, user_id) do update set ejected_at = excluded.ejected_at`,
  );

export const deletePastEjections = (db: Db, before: Instant) =>
  run(db, sql`delete from ejections where ejected_at < ${before}`);

/** Retired addresses kept per feed: replacing the address in a loop must not fill the disk. */
const maxRetired = 5;

/** Maximum seconds by which a change committed while this waited for its locks may be later than `now`. */
const margin = 60;

/** A user's feed of one club, or the personal feed if `club_id` is null. */
interface FeedOf {
  user_id: string;
  club_id: string | null;
}

/**
 * Makes the feed address selected by `secret` serve bare cancellations of the events that have not ended. Their
 * sequences are higher than any that the address has served, so that calendar apps apply them.
 */
export async function retireFeed(
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
export const retireClubFeed = (db: Db, { club_id, user_id }: MemberOf, now: Instant) =>
  retireFeed(
    db,
    { club_id, user_id },
    {
      secret: sql`select calendar_secret from members where club_id = ${club_id} and user_id = ${user_id}`,
      events: sql`select * from events where owner_club_id = ${club_id}`,
    },
    now,
  );

/** Stops all retired addresses of a feed. */
export const deleteRetiredFeedsOf = (db: Db, { club_id, user_id }: FeedOf) =>
  run(
    db,
    sql`delete from retired_feeds where user_id = ${user_id} and club_id is not distinct from ${club_id}`,
  );

export const deleteRetiredFeeds = (db: Db, before: Instant) =>
  run(db, sql`delete from retired_feeds where retired_at <= ${before}`);
