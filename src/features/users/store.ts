import { all, first, isDuplicate, run, sql, type Db } from '#platform/db/client.ts';
import { lookOf, type StoredLook } from '#platform/db/look.ts';
import { byText } from '#platform/db/text.ts';
import { clearRejections, isEmailRefused } from '#platform/notices/deliveries.ts';
import type { Instant } from '#wire/instant.ts';
import { fail, ApiError } from '#wire/errors.ts';
import { reservationOf, updateUser } from '#features/auth/store.ts';
import type { EmailChange, User } from '#features/users/contract.ts';

/** The unconfirmed new address of the user with this id, if any. */
export const pendingEmail = (user: string, now: Instant) => sql<string | null>`(
  select new_email from email_changes c
  where c.user_id = ${sql.ref(user)} and c.code_hash is not null and c.code_ends_at > ${now})`;

/** The signed-in user with their clubs, ordered by name. */
export async function user(db: Db, id: string, now: Instant): Promise<User> {
  const row = await first(
    db,
    sql<User>`
      select u.id, u.email, ${pendingEmail('u.id', now)} as pending_email, ${isEmailRefused('u.id', now)} as email_refused, u.user_name, u.first_name, u.last_name, u.phone, u.profile_picture_url,
        u.calendar_secret as ical_feed_url_id, u.invites_by_mail, u.language, u.clock, u.time_zone, u.device_zone,
        coalesce((
          select json_agg(json_build_object(
            'id', c.id, 'slug', c.slug, 'club_name', c.club_name, 'profile_picture_url', c.profile_picture_url,
            'club_role', m.club_role, 'is_planner', is_planner(m.club_role, c.organisers_plan), 'users', (select count(*) from members where club_id = c.id)
          ) order by ${byText(sql`c.club_name`)}, c.id)
          from members m join clubs c on c.id = m.club_id where m.user_id = u.id
        ), '[]') as clubs
      from users u where u.id = ${id}`,
  );
  return row ?? fail('not_signed_in');
}

interface LockedUser {
  email: string;
  look: StoredLook;
}

/** Locks the user's row, so that email changes are serialised. */
export const lockUser = (db: Db, id: string): Promise<LockedUser | undefined> =>
  first(db, sql<LockedUser>`select email, ${lookOf('users')} as look from users where id = ${id} for update`);

interface RequestedChange {
  id: string;
  user_id: string;
  old_email: string;
  new_email: string;
  code_hash: Buffer;
  code_ends_at: Instant;
  requested_at: Instant;
  ends_at: Instant;
}

/** Adds a pending email change. It replaces any earlier pending change. */
export async function addEmailChange(db: Db, change: RequestedChange): Promise<void> {
  const { id, user_id, old_email, new_email, code_hash, code_ends_at, requested_at, ends_at } = change;
  await run(
    db,
    sql`update email_changes set code_hash = null where user_id = ${user_id} and code_hash is not null`,
  );
  await run(
    db,
    sql`insert into email_changes (id, user_id, old_email, new_email, code_hash, code_ends_at, requested_at, ends_at)
        values (${id}, ${user_id}, ${old_email}, ${new_email}, ${code_hash}, ${code_ends_at}, ${requested_at}, ${ends_at})`,
  );
}

/** A change that the new address has not confirmed yet. An account has at most one such change. */
type PendingChange = Pick<RequestedChange, 'id' | 'old_email' | 'new_email' | 'code_hash'>;

export const pendingChange = (db: Db, user_id: string, now: Instant): Promise<PendingChange | undefined> =>
  first(
    db,
    sql<PendingChange>`
      select id, old_email, new_email, code_hash from email_changes
      where user_id = ${user_id} and code_hash is not null and code_ends_at > ${now}`,
  );

export const finishChange = (db: Db, id: string, { now, ends_at }: { now: Instant; ends_at: Instant }) =>
  run(
    db,
    sql`update email_changes set code_hash = null, changed_at = ${now}, ends_at = ${ends_at} where id = ${id}`,
  );

/**
 * Changes the email of an account, unless it is taken. Reservations are checked after the update, as in
 * `findOrCreateAccount`.
 */
export async function setEmail(db: Db, id: string, email: string, now: Instant): Promise<void> {
  await updateUser(db, id, { email }).catch((error: unknown) => {
    throw isDuplicate(error) ? new ApiError('email_taken') : error;
  });
  await clearRejections(db, id);
  if (await reservationOf(db, email, now)) fail('email_taken');
}

/** Whether any account has this address, or an account other than `but` has reserved it. */
export const isTaken = async (db: Db, email: string, { but, now }: { but: string; now: Instant }) => {
  const reservation = await reservationOf(db, email, now);
  const owner = await first(db, sql`select 1 from users where email = ${email}`);
  return owner !== undefined || (reservation !== undefined && reservation.user_id !== but);
};

type RevertibleChange = EmailChange & { user_id: string; requested_at: Instant };

/** A change whose revert link has not expired. */
export const revertibleChange = (db: Db, id: string, now: Instant): Promise<RevertibleChange | undefined> =>
  first(
    db,
    sql<RevertibleChange>`
      select user_id, old_email, new_email, changed_at is not null as is_changed, requested_at, ends_at
      from email_changes where id = ${id} and ends_at > ${now}`,
  );

/** Deletes a change and all later changes of the account, with their links and reservations. */
export const deleteChangesSince = (db: Db, { user_id, requested_at }: RevertibleChange) =>
  run(db, sql`delete from email_changes where user_id = ${user_id} and requested_at >= ${requested_at}`);

/** Deletes all changes of an account, with their links and reservations. */
export const deleteChanges = (db: Db, user_id: string) =>
  run(db, sql`delete from email_changes where user_id = ${user_id}`);

/** Former addresses of an account that are still reserved for it. */
export const reservedEmails = async (db: Db, user_id: string, now: Instant): Promise<string[]> => {
  const reserved = sql<{ old_email: string }>`
    select distinct old_email from email_changes
    where user_id = ${user_id} and changed_at is not null and ends_at > ${now}`;
  return (await all(db, reserved)).map(({ old_email }) => old_email);
};

export const deletePastChanges = (db: Db, now: Instant) =>
  run(db, sql`delete from email_changes where ends_at <= ${now}`);
