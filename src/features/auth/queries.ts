import { first, sql, type Db } from '#platform/db/client.ts';
import { lookOf, type StoredLook } from '#platform/db/look.ts';
import type { Instant } from '#wire/instant.ts';

/** The account of an address, or the account for which the address is reserved: its look, and whether it may log in. */
export const accountFor = (
  db: Db,
  { email, reservedFor = null }: { email: string; reservedFor?: string | null | undefined },
): Promise<{ is_enabled: boolean; look: StoredLook } | undefined> =>
  first(
    db,
    sql<{ is_enabled: boolean; look: StoredLook }>`
      select disabled_at is null as is_enabled, ${lookOf('users')} as look
      from users where email = ${email} or id = ${reservedFor}::uuid`,
  );

/** Whether this is the address of a disabled account. */
export const isDisabled = async (db: Db, email: string): Promise<boolean> =>
  (await first(db, sql`select from users where email = ${email} and disabled_at is not null`)) !== undefined;

/** The SQL condition that the account in this column is not disabled. */
export const isEnabled = (user: string) =>
  sql`exists (select from users where id = ${sql.ref(user)} and disabled_at is null)`;

/** Whether anybody may join a club with this link. */
export const isLiveInvite = async (db: Db, token: string, now: Instant): Promise<boolean> =>
  (await first(db, sql`select from invite_links where token = ${token} and expires_at > ${now}`)) !==
  undefined;
