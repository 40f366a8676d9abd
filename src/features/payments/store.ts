import { first, run, sql, type Db } from '#platform/db/client.ts';
import type { Actor } from '#platform/context.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import { role } from '#features/members/rules.ts';
import type { PaymentAccount } from '#features/payments/contract.ts';
import { authorisationTimeout, type Payee, type ProviderAccount } from '#features/payments/rules.ts';

/** Whether the user with this id is an admin of a club. */
const isAdmin = (user: string) => sql<boolean>`exists (
  select from members m where m.user_id = ${sql.ref(user)} and m.club_role = ${role.admin})`;

export async function payee(db: Db, user: string): Promise<Payee> {
  const row = await first(
    db,
    sql<Payee>`select u.email, ${isAdmin('u.id')} as is_admin from users u where u.id = ${user}`,
  );
  return row as Payee;
}

export const accountOf = (db: Db, user: string): Promise<PaymentAccount | undefined> =>
  first(
    db,
    sql<PaymentAccount>`select account, email, is_ready from payment_accounts where user_id = ${user}`,
  );

/** Saves a new account unless the user got one meanwhile. Returns the account that is saved. */
export async function saveIfFirst(db: Db, user: string, email: string, created: ProviderAccount) {
  // A double click gets the same account from the provider, so either unique column may conflict.
  await run(
    db,
    sql`insert into payment_accounts (user_id, account, email, is_ready, changed_at)
        values (${user}, ${created.account}, ${email}, ${created.is_ready}, ${created.changed_at}) on conflict do nothing`,
  );
  return (await accountOf(db, user)) ?? fail('not_found');
}

/** Saves the connected account in place of any previous one. Throws if another user has it. */
export const connect = (db: Db, user: string, email: string, found: ProviderAccount, now: Instant) =>
  run(
    db,
    sql`insert into payment_accounts (user_id, account, email, is_ready, changed_at)
        values (${user}, ${found.account}, ${email}, ${found.is_ready}, date_trunc('second', ${now}::timestamptz))
        on conflict (user_id) do update set account = excluded.account, email = excluded.email,
          is_ready = excluded.is_ready, changed_at = excluded.changed_at`,
  );

export const isConnected = async (db: Db, account: string): Promise<boolean> =>
  Boolean(await first(db, sql`select 1 from payment_accounts where account = ${account}`));

export const addState = (db: Db, user: Actor, hash: Buffer, now: Instant) =>
  run(
    db,
    sql`insert into oauth_states (state_hash, user_id, session_id, expires_at)
        values (${hash}, ${user.id}, ${user.session_id}, ${addSeconds(now, authorisationTimeout)})`,
  );

/** Single use: only the request that deletes the state succeeds. The session that created it must still be active. */
export const takeState = (
  db: Db,
  hash: Buffer,
  now: Instant,
): Promise<(Payee & { id: string }) | undefined> =>
  first(
    db,
    sql<Payee & { id: string }>`
      delete from oauth_states p using users u, sessions s
      where p.state_hash = ${hash} and p.expires_at > ${now}
        and u.id = p.user_id and s.id = p.session_id and s.ends_at > ${now}
      returning u.id, u.email, ${isAdmin('u.id')} as is_admin`,
  );

/** Records a webhook event and returns whether it is its first delivery. */
export async function isFirstDelivery(db: Db, event: string, now: Instant): Promise<boolean> {
  const added = sql`insert into webhook_events (id, received_at) values (${event}, ${now}) on conflict do nothing`;
  return (await run(db, added)) === 1;
}

/** Ignores events older than the known state: webhook events arrive in any order. */
export const setReady = (db: Db, account: string, is_ready: boolean, at: Instant) =>
  run(
    db,
    sql`update payment_accounts set is_ready = ${is_ready}, changed_at = ${at}
        where account = ${account} and changed_at <= ${at}`,
  );

export const disconnect = (db: Db, account: string, at: Instant) =>
  run(db, sql`delete from payment_accounts where account = ${account} and changed_at <= ${at}`);

export async function deletePast(db: Db, { before, now }: Record<'before' | 'now', Instant>): Promise<void> {
  await run(db, sql`delete from oauth_states where expires_at <= ${now}`);
  await run(db, sql`delete from webhook_events where received_at < ${before}`);
}
