import { randomUUID } from 'node:crypto';
import { first, run, sql, type Db } from '#platform/db.ts';
import { randomToken } from '#platform/token.ts';
import type { Instant } from '#wire/instant.ts';
import { refuse } from '#wire/refusal.ts';
import type { User } from '#features/users/contract.ts';

/** The account of an address; the first time it is asked for, it is made. */
export async function accountOf(db: Db, email: string, now: Instant): Promise<string> {
  const made = await first(
    db,
    sql<{ id: string }>`
      insert into users (id, email, calendar_secret, created_at) values (${randomUUID()}, ${email}, ${randomToken(128)}, ${now})
      on conflict (email) do nothing returning id`,
  );
  const account = made ?? (await first(db, sql<{ id: string }>`select id from users where email = ${email}`));
  return (account as { id: string }).id;
}

/** A user as they see themselves, with their clubs in the order of their names. */
export async function user(db: Db, id: string): Promise<User> {
  const row = await first(
    db,
    sql<User>`
      select u.id, u.email, u.pending_email, u.user_name, u.first_name, u.last_name, u.profile_picture_url,
        u.calendar_secret as ical_feed_url_id,
        coalesce((
          select json_agg(json_build_object(
            'id', c.id, 'slug', c.slug, 'club_name', c.club_name, 'profile_picture_url', c.profile_picture_url,
            'club_role', m.club_role, 'users', (select count(*) from members where club_id = c.id)
          ) order by lower(c.club_name), c.id)
          from members m join clubs c on c.id = m.club_id where m.user_id = u.id
        ), '[]') as clubs
      from users u where u.id = ${id}`,
  );
  return row ?? refuse('not_signed_in');
}

export interface Profile {
  user_name?: string | undefined;
  first_name?: string | undefined;
  last_name?: string | undefined;
}

/** Changes the named parts of a profile and leaves the others as they are. */
export const saveProfile = (db: Db, id: string, { user_name, first_name, last_name }: Profile) =>
  run(
    db,
    sql`update users set user_name = coalesce(${user_name ?? null}, user_name),
        first_name = coalesce(${first_name ?? null}, first_name), last_name = coalesce(${last_name ?? null}, last_name)
        where id = ${id}`,
  );

/** Lets a new address wait for its code. A later one takes its place. */
export const awaitAddress = (
  db: Db,
  id: string,
  address: { email: string; hash: Buffer; ends_at: Instant },
) =>
  run(
    db,
    sql`update users set pending_email = ${address.email}, pending_email_hash = ${address.hash},
        pending_email_ends_at = ${address.ends_at} where id = ${id}`,
  );

export const forgetAddress = (db: Db, id: string) =>
  run(
    db,
    sql`update users set pending_email = null, pending_email_hash = null, pending_email_ends_at = null where id = ${id}`,
  );

/** The address that waits for this code, taken together with the user's row. */
export const addressOfCode = (
  db: Db,
  id: string,
  { hash, now }: { hash: Buffer; now: Instant },
): Promise<{ email: string; pending_email: string } | undefined> =>
  first(
    db,
    sql<{ email: string; pending_email: string }>`
      select email, pending_email from users
      where id = ${id} and pending_email_hash = ${hash} and pending_email_ends_at > ${now} for update`,
  );

export const setAddress = (db: Db, id: string, email: string) =>
  run(db, sql`update users set email = ${email} where id = ${id}`);

export const isTaken = async (db: Db, email: string): Promise<boolean> =>
  (await first(db, sql`select 1 from users where email = ${email}`)) !== undefined;
