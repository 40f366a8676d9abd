import { randomUUID } from 'node:crypto';
import { first, isUuid, run, sql, type Db } from '#platform/db/client.ts';
import { randomToken } from '#platform/token.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import type { InviteLink } from '#features/invites/contract.ts';
import { inviteLinkDays } from '#features/invites/rules.ts';
import type { AdminOf, MemberOf } from '#features/members/rules.ts';

/** The one link of a club: a new one takes the place of the old, which is nothing from then on. */
export const createLink = async (
  db: Db,
  { club_id, user_id }: AdminOf,
  now: Instant,
): Promise<InviteLink> => {
  const link = await first(
    db,
    sql<InviteLink>`
      insert into invite_links (id, club_id, token, created_by, created_at, expires_at)
      values (${randomUUID()}, ${club_id}, ${randomToken(128)}, ${user_id}, ${now}, ${addSeconds(now, inviteLinkDays)})
      on conflict (club_id) do update set id = excluded.id, token = excluded.token,
        created_by = excluded.created_by, created_at = excluded.created_at, expires_at = excluded.expires_at
      returning id, token as invite_link, expires_at`,
  );
  return link as InviteLink;
};

/** The link of a club, also when it has expired: its admins are told so. */
export async function linkOf(db: Db, { club_id }: MemberOf): Promise<InviteLink> {
  const link = await first(
    db,
    sql<InviteLink>`select id, token as invite_link, expires_at from invite_links where club_id = ${club_id}`,
  );
  return link ?? fail('not_found');
}

interface LiveLink {
  id: string;
  club_id: string;
  club_name: string;
  slug: string;
  created_at: Instant;
}

/** What a token leads to. Unknown, expired and deleted ones look the same. */
export async function activeLink(db: Db, token: string, now: Instant): Promise<LiveLink> {
  const link = await first(
    db,
    sql<LiveLink>`
      select l.id, l.club_id, c.club_name, c.slug, l.created_at from invite_links l join clubs c on c.id = l.club_id
      where l.token = ${token} and l.expires_at > ${now}`,
  );
  return link ?? fail('not_found');
}

export interface InvitePreview {
  club_name: string;
  slug: string;
}

/** The club that a live link leads to, for whoever is sent it; by the clock of the database. */
export const previewOfInvite = (db: Db, token: string): Promise<InvitePreview | undefined> =>
  first(
    db,
    sql<InvitePreview>`
      select c.club_name, c.slug from invite_links l join clubs c on c.id = l.club_id
      where l.token = ${token} and l.expires_at > now()`,
  );

/** The club of a link, which may be named by its id or its token and may have expired. */
export async function clubOf(db: Db, link: string): Promise<string> {
  const row = await first(
    db,
    sql<{ club_id: string }>`select club_id from invite_links where ${named(link)}`,
  );
  return row?.club_id ?? fail('not_found');
}

export const deleteLink = (db: Db, { club_id }: AdminOf, link: string) =>
  run(db, sql`delete from invite_links where club_id = ${club_id} and ${named(link)}`);

const named = (link: string) => (isUuid(link) ? sql`id = ${link}` : sql`token = ${link}`);

export async function ejectedAt(db: Db, club: string, user: string): Promise<Instant | undefined> {
  const row = await first(
    db,
    sql<{
      ejected_at: Instant;
    }>`select ejected_at from ejections where club_id = ${club} and user_id = ${user}`,
  );
  return row?.ejected_at;
}

/** Gives a user the names they have not got yet; a name of their own stays. */
export const fillNames = (db: Db, user: string, names: { first_name?: string; last_name?: string }) =>
  run(
    db,
    sql`update users set
          first_name = case when first_name = '' then ${names.first_name ?? ''} else first_name end,
          last_name = case when last_name = '' then ${names.last_name ?? ''} else last_name end
        where id = ${user}`,
  );

export const deleteExpiredLinks = (db: Db, before: Instant) =>
  run(db, sql`delete from invite_links where expires_at < ${before}`);
