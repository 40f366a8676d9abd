import { randomUUID } from 'node:crypto';
import { all, first, run, sql, type Db } from '#platform/db/client.ts';
import type { Identity } from '#platform/http/endpoint.ts';
import { randomToken } from '#platform/token.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import { throttleLimits, lifetimes, type LoginThrottle, type SentCode } from '#features/auth/rules.ts';

/** The clock of the database, `ahead` seconds later. */
export const clock = (clockOffset: number) =>
  sql`(select now() + make_interval(secs => ${clockOffset}) as now)`;

/** The session in force, by `clock.now`, of the access token in `asked`. The limit keeps it a look-up by the index for each. */
export const session = sql`(
  select s.user_id, s.id from sessions s
  where s.access_hash = asked.access_hash and s.access_ends_at > clock.now and s.ends_at > clock.now limit 1)`;

/** What a statement that joins these two tells of who asks. */
export interface IdentityRow {
  now: Instant;
  id: string | null;
  session_id: string | null;
}

export const identityOf = ({ now, id, session_id }: IdentityRow): Identity =>
  id && session_id ? { now, user: { id, session_id } } : { now };

/** Reads the clock and the sessions of these access tokens, in their order. */
export async function findSessions(
  db: Db,
  accesses: readonly (Buffer | null)[],
  clockOffset: number,
): Promise<Identity[]> {
  const rows = await all(
    db,
    sql<IdentityRow>`
      select clock.now, session.user_id as id, session.id as session_id
      from ${clock(clockOffset)} as clock
      cross join unnest(${accesses}::bytea[]) with ordinality as asked (access_hash, place)
      left join lateral ${session} as session on true
      order by asked.place`,
  );
  return rows.map(identityOf);
}

/** Which of these sessions have no access token in force any more, by the same clock. */
export async function endedSessions(db: Db, ids: readonly string[], clockOffset: number): Promise<string[]> {
  const rows = await all(
    db,
    sql<{ id: string }>`
      select id from unnest(${ids}::uuid[]) as asked (id)
      where not exists (
        select 1 from sessions s, ${clock(clockOffset)} as clock
        where s.id = asked.id and s.access_ends_at > clock.now and s.ends_at > clock.now)`,
  );
  return rows.map(({ id }) => id);
}

/**
 * The account of an address; the first login creates it, unless the address is reserved. That is checked after the insert,
 * which waits for a transaction that is just giving the address up.
 */
export async function accountOf(db: Db, email: string, now: Instant): Promise<string> {
  const made = await first(
    db,
    sql<{ id: string }>`
      insert into users (id, email, calendar_secret, created_at) values (${randomUUID()}, ${email}, ${randomToken(128)}, ${now})
      on conflict (email) do nothing returning id`,
  );
  if (made && (await reservationOf(db, email, now))) fail('email_taken');
  // Locked, so that no session starts for an account whose email changes at this moment: such a change ends sessions.
  const account =
    made ?? (await first(db, sql<{ id: string }>`select id from users where email = ${email} for key share`));
  return account?.id ?? accountOf(db, email, now);
}

export async function emailOf(db: Db, user_id: string): Promise<string> {
  const row = await first(db, sql<{ email: string }>`select email from users where id = ${user_id}`);
  return (row ?? fail('not_signed_in')).email;
}

/** The change by which an account gave an address up that is still reserved for it. */
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

/** Takes the guard of an address, so that requests and guesses at it happen one after the other. */
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

export const saveThrottle = (db: Db, email: string, guard: LoginThrottle) =>
  run(
    db,
    sql`update login_throttles set hour_started_at = ${guard.hour_started_at}, wrong_this_hour = ${guard.wrong_this_hour},
        wrong_in_a_row = ${guard.wrong_in_a_row}, short_codes_refused_until = ${guard.short_codes_refused_until}
        where email = ${email}`,
  );

export const deleteThrottle = (db: Db, email: string) =>
  run(db, sql`delete from login_throttles where email = ${email}`);

/** The codes that were mailed to an address during the last day, and which of them `network` asked for. */
export const sentCodes = (
  db: Db,
  email: string,
  { network, now }: { network: Buffer | null; now: Instant },
): Promise<SentCode[]> =>
  all(
    db,
    sql<SentCode>`
      select created_at, used_at, coalesce(network = ${network}, false) as same_network from login_codes
      where email = ${email} and created_at > ${addSeconds(now, -24 * 60 * 60)}`,
  );

export interface Code {
  id: string;
  short_hash: Buffer;
  long_hash: Buffer;
  /** It can still be used. */
  live: boolean;
}

/** Adds a code; of an address only the newest few stay alive. */
export async function addCode(
  db: Db,
  code: { email: string; network: Buffer | null; short_hash: Buffer; long_hash: Buffer; now: Instant },
): Promise<void> {
  const { email, network, short_hash, long_hash, now } = code;
  await run(
    db,
    sql`insert into login_codes (id, email, network, short_hash, long_hash, created_at, expires_at)
        values (${randomUUID()}, ${email}, ${network}, ${short_hash}, ${long_hash}, ${now},
          ${addSeconds(now, lifetimes.code)})`,
  );
  await run(
    db,
    sql`update login_codes set expires_at = ${now} where id in (
          select id from login_codes
          where email = ${email} and expires_at > ${now}
          order by created_at desc offset ${throttleLimits.codesAtOnce})`,
  );
}

/** The codes of an address from the last day, the dead ones too: typing one of those again is no guess. */
export const recentCodes = (db: Db, email: string, now: Instant): Promise<Code[]> =>
  all(
    db,
    sql<Code>`
      select id, short_hash, long_hash,
        used_at is null and expires_at > ${now} and wrong_tries < ${throttleLimits.triesPerCode} as live
      from login_codes where email = ${email} and created_at > ${addSeconds(now, -24 * 60 * 60)}`,
  );

/** A wrong guess is a wrong guess at every code that is alive. */
export const countWrongTry = (db: Db, email: string, now: Instant) =>
  run(
    db,
    sql`update login_codes set wrong_tries = wrong_tries + 1
        where email = ${email} and used_at is null and expires_at > ${now}`,
  );

/** One use: whoever sets `used_at` has it. */
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

/** Starts a session; of one user only the twenty used last go on. */
export async function addSession(
  db: Db,
  session: { id: string; user_id: string; device: string; now: Instant } & SessionTokens,
): Promise<void> {
  const { id, user_id, device, access_hash, refresh_hash, now } = session;
  await run(
    db,
    sql`insert into sessions (id, user_id, access_hash, access_ends_at, refresh_hash, device, created_at, used_at, ends_at)
        values (${id}, ${user_id}, ${access_hash}, ${addSeconds(now, lifetimes.access)}, ${refresh_hash}, ${device},
          ${now}, ${now}, ${addSeconds(now, lifetimes.session)})`,
  );
  await run(
    db,
    sql`delete from sessions where id in (
          select id from sessions where user_id = ${user_id} order by used_at desc, id offset ${maxSessions})`,
  );
}

/** The session of a refresh token, taken so that two renewals happen one after the other. */
export const lockSession = (db: Db, id: string, now: Instant): Promise<Session | undefined> =>
  first(
    db,
    sql<Session>`
      select id, user_id, refresh_hash, parent_hash from sessions
      where id = ${id} and ends_at > ${now} and used_at > ${addSeconds(now, -lifetimes.idle)} for update`,
  );

/** Puts new tokens into force. `parent_hash` is the refresh token they were made from. */
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

export const endAllSessions = (db: Db, user_id: string) =>
  run(db, sql`delete from sessions where user_id = ${user_id}`);

export const endOtherSessions = (db: Db, { id, session_id }: { id: string; session_id: string }) =>
  run(db, sql`delete from sessions where user_id = ${id} and id <> ${session_id}`);

/** The sessions of a user that go on, the one used last first. */
export const sessionsOf = (db: Db, user_id: string, now: Instant) =>
  all(
    db,
    sql<{ id: string; device: string; created_at: Instant; used_at: Instant }>`
      select id, device, created_at, used_at from sessions
      where user_id = ${user_id} and ends_at > ${now} and used_at > ${addSeconds(now, -lifetimes.idle)}
      order by used_at desc, id`,
  );

export const endSessionOf = (db: Db, user_id: string, id: string) =>
  run(db, sql`delete from sessions where id = ${id} and user_id = ${user_id}`);

/** Nothing remains of an address: neither codes nor what was guessed at it. */
export async function forgetAddress(db: Db, email: string): Promise<void> {
  await run(db, sql`delete from login_codes where email = ${email}`);
  await deleteThrottle(db, email);
}

/** What no login needs any more: codes that expired before `before`, guards at rest since then, sessions that are over. */
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
