import { randomUUID } from 'node:crypto';
import { first, isoTimestamp, isUuid, run, sql, type Db } from '#platform/db/client.ts';
import { isAmong, type Users } from '#platform/db/users.ts';
import { randomToken } from '#platform/token.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import { dateIn } from '#wire/wall-time.ts';
import { updateUser } from '#features/auth/store.ts';
import type { Invite, InviteLink } from '#features/invites/contract.ts';
import { inviteLinkLifetime } from '#features/invites/rules.ts';
import type { AdminOf, MemberOf } from '#features/members/rules.ts';
import type { EndedMembership } from '#features/members/store.ts';

/**
 * Creates the only link of a club. If the club has a link, either the new one replaces it and it stops working, or the
 * result is undefined.
 */
export const createLink = (
  db: Db,
  { club_id, user_id }: AdminOf,
  { replaces, now }: { replaces: boolean; now: Instant },
): Promise<InviteLink | undefined> =>
  first(
    db,
    sql<InviteLink>`
      insert into invite_links (id, club_id, token, created_by, created_at, expires_at)
      values (${randomUUID()}, ${club_id}, ${randomToken(128)}, ${user_id}, ${now}, ${addSeconds(now, inviteLinkLifetime)})
      on conflict (club_id) do update set id = excluded.id, token = excluded.token,
        created_by = excluded.created_by, created_at = excluded.created_at, expires_at = excluded.expires_at
        where ${replaces}
      returning id, token as invite_link, expires_at`,
  );

/** The link of a club, even if expired: admins see that it has expired. */
export async function linkOf(db: Db, { club_id }: MemberOf): Promise<InviteLink> {
  const link = await first(
    db,
    sql<InviteLink>`select id, token as invite_link, expires_at from invite_links where club_id = ${club_id}`,
  );
  return link ?? fail('not_found');
}

interface ActiveLink {
  id: string;
  club_id: string;
  slug: string;
  created_at: Instant;
}

/** The active link with this token. Unknown, expired and deleted tokens are indistinguishable. */
export async function activeLink(db: Db, token: string, now: Instant): Promise<ActiveLink> {
  const link = await first(
    db,
    sql<ActiveLink>`
      select l.id, l.club_id, c.slug, l.created_at from invite_links l join clubs c on c.id = l.club_id
      where l.token = ${token} and l.expires_at > ${now}`,
  );
  return link ?? fail('not_found');
}

/** The public data of an active link, shown to anyone who opens it. */
export async function inviteOf(db: Db, token: string, now: Instant): Promise<Invite> {
  const invite = await first(
    db,
    sql<Omit<Invite, 'next_event_day'> & { next_event: Record<'start_time' | 'time_zone', string> | null }>`
      select l.id, l.club_id, c.club_name, c.profile_picture_url, c.profile_banner_url,
        nullif(u.first_name, '') as invited_by,
        (select count(*) from members m where m.club_id = l.club_id) as member_count,
        (select json_build_object('start_time', ${isoTimestamp('e.start_time')}, 'time_zone', e.time_zone) from events e
         where e.owner_club_id = l.club_id and e.start_time > ${now} and e.deleted_at is null
         order by e.start_time, e.id limit 1) as next_event
      from invite_links l join clubs c on c.id = l.club_id left join users u on u.id = l.created_by
      where l.token = ${token} and l.expires_at > ${now}`,
  );
  if (!invite) fail('not_found');
  const { next_event: next, ...shown } = invite;
  return { ...shown, next_event_day: next && dateIn(next.time_zone, next.start_time) };
}

export interface InvitePreview {
  id: string;
  club_name: string;
  slug: string;
  language: string;
}

/** The club of an active link, for the link preview. Uses the database clock. */
export const previewOfInvite = (db: Db, token: string): Promise<InvitePreview | undefined> =>
  first(
    db,
    sql<InvitePreview>`
      select c.id, c.club_name, c.slug, c.language from invite_links l join clubs c on c.id = l.club_id
      where l.token = ${token} and l.expires_at > now()`,
  );

/** The club of a link, given its id or its token. The link may have expired. */
export async function clubOf(db: Db, link: string): Promise<string> {
  const row = await first(
    db,
    sql<{ club_id: string }>`select club_id from invite_links where ${matches(link)}`,
  );
  return row?.club_id ?? fail('not_found');
}

export const deleteLink = (db: Db, { club_id }: AdminOf, link: string) =>
  run(db, sql`delete from invite_links where club_id = ${club_id} and ${matches(link)}`);

const matches = (link: string) => (isUuid(link) ? sql`id = ${link}` : sql`token = ${link}`);

export async function ejectedAt(db: Db, club: string, user: string): Promise<Instant | undefined> {
  const row = await first(
    db,
    sql<{
      ejected_at: Instant;
    }>`select ejected_at from ejections where club_id = ${club} and user_id = ${user}`,
  );
  return row?.ejected_at;
}

/** Fills the user's empty names and keeps the others. */
export async function fillNames(
  db: Db,
  user: string,
  names: { first_name?: string; last_name?: string },
): Promise<void> {
  const stored = await first(
    db,
    sql<{ first_name: string; last_name: string }>`
      select first_name, last_name from users where id = ${user} for no key update`,
  );
  await updateUser(db, user, {
    ...(!stored?.first_name && { first_name: names.first_name }),
    ...(!stored?.last_name && { last_name: names.last_name }),
  });
}

/** A link stops working when its creator is no longer a member. */
export const onMembershipEnded = (db: Db, { club_id, user_id }: EndedMembership) =>
  run(db, sql`delete from invite_links where club_id = ${club_id} and created_by = ${user_id}`);

export const deleteLinksOf = (db: Db, users: Users) =>
  run(db, sql`delete from invite_links where ${isAmong('created_by', users)}`);

export const deleteExpiredLinks = (db: Db, before: Instant) =>
  run(db, sql`delete from invite_links where expires_at < ${before}`);
