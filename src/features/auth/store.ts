import { randomUUID } from 'node:crypto';
import type { Language } from '#languages/languages.ts';
import { all, first, run, sql, type Db } from '#platform/db/client.ts';
import { changedSearchText } from '#platform/db/search-text.ts';
import { everybody, isAmong, searchedUsers, type Users, type UserTextColumn } from '#platform/db/users.ts';
import type { Identity } from '#platform/context.ts';
import { randomToken } from '#platform/token.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import type { Purpose } from '#features/auth/contract.ts';
import {
  throttleLimits,
  triesPerCode,
  lifetimes,
  type LoginThrottle,
  type SentCode,
} from '#features/auth/rules.ts';

/** A subquery with one row: `now` is the time of the database plus `clockOffset` seconds (0 outside of tests). */
export const clock = (clockOffset: number) =>
  sql`(select now() + make_interval(secs => ${clockOffset}) as now)`;

interface IdentityRow {
  now: Instant;
  id: string | null;
  session_id: string | null;
  memberships: Record<string, { club_role: number; is_planner: boolean }> | null;
}

/**
 * Reads the time and, for each access token in the given order, its valid session and the user's memberships by club.
 * The `limit 1` makes PostgreSQL do one index look-up per token. Only the rights of organisers depend on the club, so
 * the others read no club.
 */
export async function findSessions(
  db: Db,
  accessHashes: readonly (Buffer | null)[],
  clockOffset: number,
): Promise<Identity[]> {
  const rows = await all(
    db,
    sql<IdentityRow>`
      select clock.now, session.user_id as id, session.id as session_id,
        (select json_object_agg(m.club_id, json_build_object(
            'club_role', m.club_role, 'is_planner', is_planner(m.club_role, case when m.club_role = 100 then (
              select organisers_plan from clubs c where c.id = m.club_id) end)))
          from members m where m.user_id = session.user_id) as memberships
      from ${clock(clockOffset)} as clock
      cross join unnest(${accessHashes}::bytea[]) with ordinality as wanted (access_hash, place)
      left join lateral (
        select s.user_id, s.id from sessions s
        where s.access_hash = wanted.access_hash and s.access_ends_at > clock.now and s.ends_at > clock.now limit 1
      ) as session on true
      order by wanted.place`,
  );
  return rows.map(({ now, id, session_id, memberships }) => ({
    now,
    ...(id &&
      session_id && { user: { id, session_id, memberships: new Map(Object.entries(memberships ?? {})) } }),
  }));
}

/** Returns the given sessions that have ended or whose access token has expired. Uses the clock of `findSessions`. */
export async function endedSessions(db: Db, ids: readonly string[], clockOffset: number): Promise<string[]> {
  const rows = await all(
    db,
    sql<{ id: string }>`
      select id from unnest(${ids}::uuid[]) as wanted (id)
      where not exists (
        select 1 from sessions s, ${clock(clockOffset)} as clock
        where s.id = wanted.id and s.access_ends_at > clock.now and s.ends_at > clock.now)`,
  );
  return rows.map(({ id }) => id);
}

/**
 * The account of an address. The first login creates it with the language of the client, unless the address is
 * reserved. The reservation is checked after the insert, because the insert waits for a concurrent transaction that gives the address up.
 */
export async function findOrCreateAccount(
  db: Db,
  email: string,
  { language, now }: { language: Language; now: Instant },
): Promise<string> {
  const created = await first(
    db,
    sql<{ id: string }>`
      insert into users (id, email, search_text, language, calendar_secret, created_at)
      values (${randomUUID()}, ${email}, '', ${language}, ${randomToken(128)}, ${now})
      on conflict (email) do nothing returning id`,
  );
  if (created && (await reservationOf(db, email, now))) fail('email_taken');
  // The lock prevents a new session while an email change, which ends all sessions, is in progress.
  return created?.id ?? (await findAccount(db, email)) ?? findOrCreateAccount(db, email, { language, now });
}

/** The account of an address, locked in the same way. */
export const findAccount = async (db: Db, email: string): Promise<string | undefined> =>
  (await first(db, sql<{ id: string }>`select id from users where email = ${email} for key share`))?.id;

/** Updates the given fields of a user and keeps the others. Returns 0 if there is no such user. */
export async function updateUser(
  db: Db,
  id: string,
  patch: Partial<Record<UserTextColumn, string | null | undefined>> & { invites_by_mail?: boolean },
): Promise<number> {
  const search_text = await changedSearchText(db, searchedUsers, id, patch);
  const assignments = Object.entries({ ...patch, search_text })
    .filter(([, value]) => value !== undefined)
    .map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  return assignments.length === 0
    ? 0
    : run(db, sql`update users set ${sql.join(assignments)} where id = ${id}`);
}

/** Deletes a user; foreign keys cascade to the rows that refer to the user. */
export const deleteUser = (db: Db, id: string) => run(db, sql`delete from users where id = ${id}`);

export async function emailOf(db: Db, user_id: string): Promise<string> {
  const row = await first(db, sql<{ email: string }>`select email from users where id = ${user_id}`);
  return (row ?? fail('not_signed_in')).email;
}

/** The email change that still reserves this former address for its account. */
export const reservationOf = (
  db: Db,
  email: string,
  now: Instant,
): Promise<{ id: string; user_id: string } | undefined> =>
  first(
    db,
    sql<{ id: string; user_id: string }>`
      select c.id, c.user_id from email_changes c join users u on u.id = c.user_id
      where c.old_email = ${email} and c.changed_at is not null and c.ends_at > ${now} and u.email <> ${email}
      order by c.requested_at desc limit 1`,
  );

/** Locks the throttle of an address, so that requests and guesses for it are serialised. */
export async function lockThrottle(db: Db, email: string, now: Instant): Promise<LoginThrottle> {
  const row = await first(
    db,
    sql<LoginThrottle>`
      insert into login_throttles as g (email, hour_started_at) values (${email}, ${now})
      on conflict (email) do update set email = excluded.email
      returning hour_started_at, wrong_this_hour, wrong_in_a_row, short_codes_refused_until`,
  );
  return row as LoginThrottle;
}

export const saveThrottle = (db: Db, email: string, throttle: LoginThrottle) =>
  run(
    db,
    sql`update login_throttles set hour_started_at = ${throttle.hour_started_at}, wrong_this_hour = ${throttle.wrong_this_hour},
        wrong_in_a_row = ${throttle.wrong_in_a_row}, short_codes_refused_until = ${throttle.short_codes_refused_until}
        where email = ${email}`,
  );

export const deleteThrottle = (db: Db, email: string) =>
  run(db, sql`delete from login_throttles where email = ${email}`);

/** The codes sent to an address during the last day, and whether they were requested by `network` and for `purpose`. */
export const sentCodes = (
  db: Db,
  email: string,
  { network, purpose, now }: { network: Buffer | null; purpose: Purpose; now: Instant },
): Promise<SentCode[]> =>
  all(
    db,
    sql<SentCode>`
      select created_at, used_at, coalesce(network = ${network}, false) as same_network,
        purpose = ${purpose} as same_purpose,
        case when used_at is null and wrong_tries < ${triesPerCode} then expires_at end as good_until
      from login_codes
      where email = ${email} and created_at > ${addSeconds(now, -24 * 60 * 60)}`,
  );

type CodeHashes = Record<'short_hash' | 'long_hash', Buffer>;

export interface Code extends CodeHashes {
  id: string;
  purpose: Purpose;
  /** Whether the code can still be redeemed. */
  live: boolean;
}

/** Adds a code and expires all but the newest few codes that were sent to the address for the same purpose. */
export async function addCode(
  db: Db,
  code: CodeHashes & { email: string; purpose: Purpose; network: Buffer | null; now: Instant },
): Promise<void> {
  const { email, purpose, network, short_hash, long_hash, now } = code;
  await run(
    db,
    sql`insert into login_codes (id, email, purpose, network, short_hash, long_hash, created_at, expires_at)
        values (${randomUUID()}, ${email}, ${purpose}, ${network}, ${short_hash}, ${long_hash}, ${now},
          ${addSeconds(now, lifetimes.code)})`,
  );
  await run(
    db,
    sql`update login_codes set expires_at = ${now} where id in (
          select id from login_codes
          where email = ${email} and purpose = ${purpose} and expires_at > ${now}
          order by created_at desc offset ${throttleLimits.codesAtOnce})`,
  );
}

/** All codes of the last day, including expired and used ones: entering such a code is not a wrong guess. */
export const recentCodes = (db: Db, email: string, now: Instant): Promise<Code[]> =>
  all(
    db,
    sql<Code>`
      select id, short_hash, long_hash, purpose,
        used_at is null and expires_at > ${now} and wrong_tries < ${triesPerCode} as live
      from login_codes where email = ${email} and created_at > ${addSeconds(now, -24 * 60 * 60)}`,
  );

/** Counts a wrong guess against every live code of the address. */
export const countWrongTry = (db: Db, email: string, now: Instant) =>
  run(
    db,
    sql`update login_codes set wrong_tries = wrong_tries + 1
        where email = ${email} and used_at is null and expires_at > ${now}`,
  );

/** Single use: only the request that sets `used_at` succeeds. */
export const useCode = async (db: Db, id: string, now: Instant): Promise<boolean> =>
  (await run(db, sql`update login_codes set used_at = ${now} where id = ${id} and used_at is null`)) === 1;

export interface Session {
  id: string;
  user_id: string;
  refresh_hash: Buffer;
  parent_hash: Buffer | null;
}

export interface SessionTokens {
  access_hash: Buffer;
  refresh_hash: Buffer;
}

const maxSessions = 20;

/**
 * Starts a session and ends all but the user's 20 most recently used sessions. Returns false if the account is
 * disabled: the lock waits for a transaction that is disabling it.
 */
export async function addSession(
  db: Db,
  session: { id: string; user_id: string; device: string; now: Instant } & SessionTokens,
): Promise<boolean> {
  const { id, user_id, device, access_hash, refresh_hash, now } = session;
  const added = await run(
    db,
    sql`insert into sessions (id, user_id, access_hash, access_ends_at, refresh_hash, device, created_at, used_at, ends_at)
        select ${id}, id, ${access_hash}, ${addSeconds(now, lifetimes.access)}, ${refresh_hash}, ${device},
          ${now}, ${now}, ${addSeconds(now, lifetimes.session)}
        from users where id = ${user_id} and disabled_at is null for key share`,
  );
  await run(
    db,
    sql`delete from sessions where id in (
          select id from sessions where user_id = ${user_id} order by used_at desc, id offset ${maxSessions})`,
  );
  return added > 0;
}

/** Locks the session of a refresh token, so that concurrent renewals are serialised. */
export const lockSession = (db: Db, id: string, now: Instant): Promise<Session | undefined> =>
  first(
    db,
    sql<Session>`
      select id, user_id, refresh_hash, parent_hash from sessions
      where id = ${id} and ends_at > ${now} and used_at > ${addSeconds(now, -lifetimes.idle)} for update`,
  );

/** Replaces the tokens of a session. `parent_hash` is the refresh token that the new ones were derived from. */
export const renewSession = (
  db: Db,
  session: { id: string; parent_hash: Buffer; now: Instant } & SessionTokens,
): Promise<number> =>
  run(
    db,
    sql`update sessions set access_hash = ${session.access_hash}, refresh_hash = ${session.refresh_hash},
        parent_hash = ${session.parent_hash}, used_at = ${session.now},
        access_ends_at = ${addSeconds(session.now, lifetimes.access)} where id = ${session.id}`,
  );

export const endSession = (db: Db, id: string) => run(db, sql`delete from sessions where id = ${id}`);

/**
 * Called when a user ends all other access to their account. `app/features.ts` registers listeners of features that
 * this one cannot import.
 */
export const onAccessEnded: ((db: Db, users: Users) => Promise<unknown>)[] = [];

async function endAccess(db: Db, user: Users): Promise<void> {
  if (onAccessEnded.length === 0) throw new Error('app/features.ts is not loaded');
  for (const listener of onAccessEnded) await listener(db, user);
}

export async function endAllSessions(db: Db, user_id: string): Promise<void> {
  await endAccess(db, user_id);
  await run(db, sql`delete from sessions where user_id = ${user_id}`);
}

/** Ends the sessions of all users, and their other access. */
export async function endEverySession(db: Db): Promise<void> {
  await endAccess(db, everybody);
  await run(db, sql`delete from sessions`);
}

/** Disables an account and ends its access. `addSession` waits for the lock. */
export async function disableAccount(db: Db, user_id: string, now: Instant): Promise<void> {
  await run(db, sql`select from users where id = ${user_id} for update`);
  await updateUser(db, user_id, { disabled_at: now });
  await endAllSessions(db, user_id);
}

export const enableAccount = (db: Db, user_id: string) => updateUser(db, user_id, { disabled_at: null });

/** Replaces the secrets of personal calendar feeds. */
export const replaceCalendarSecrets = (db: Db, users: Users) =>
  run(db, sql`update users set calendar_secret = gen_random_uuid() where ${isAmong('id', users)}`);

export async function endOtherSessions(
  db: Db,
  { id, session_id }: { id: string; session_id: string },
): Promise<void> {
  await endAccess(db, id);
  await run(db, sql`delete from sessions where user_id = ${id} and id <> ${session_id}`);
}

/** The active sessions of a user, most recently used first. */
export const sessionsOf = (db: Db, user_id: string, now: Instant) =>
  all(
    db,
    sql<{ id: string; device: string; created_at: Instant; used_at: Instant; has_push: boolean }>`
      select id, device, created_at, used_at,
        exists (select from push_devices where session_id = sessions.id and endpoint is not null) as has_push
      from sessions
      where user_id = ${user_id} and ends_at > ${now} and used_at > ${addSeconds(now, -lifetimes.idle)}
      order by used_at desc, id`,
  );

export const endSessionOf = (db: Db, user_id: string, id: string) =>
  run(db, sql`delete from sessions where id = ${id} and user_id = ${user_id}`);

/** Deletes the login codes and the throttle of an address. */
export async function forgetAddress(db: Db, email: string): Promise<void> {
  await run(db, sql`delete from login_codes where email = ${email}`);
  await deleteThrottle(db, email);
}

/** Deletes codes that expired before `before`, throttles without a wrong guess since then, and expired sessions. */
export async function deletePastLogins(
  db: Db,
  { before, now }: { before: Instant; now: Instant },
): Promise<void> {
  await run(db, sql`delete from login_codes where expires_at < ${before}`);
  await run(
    db,
    sql`delete from login_throttles
        where hour_started_at < ${before} and coalesce(short_codes_refused_until, ${before}) <= ${now}`,
  );
  await run(
    db,
    sql`delete from sessions where ends_at <= ${now} or used_at <= ${addSeconds(now, -lifetimes.idle)}`,
  );
}
