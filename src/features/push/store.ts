import { all, first, run, sql, type Db } from '#platform/db/client.ts';
import { lookOf, type StoredLook } from '#platform/db/look.ts';
import type { SettledPush } from '#platform/notices/pushes.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { lifetimes } from '#features/auth/rules.ts';
import { warningTime, type Subscription } from '#features/push/rules.ts';

/** A device that gets pushes. */
export interface ActiveDevice extends Subscription {
  session_id: string;
}

/** The device of a session. `endpoint` is null if the push service has ended it. */
export interface Device extends Omit<ActiveDevice, 'endpoint'> {
  endpoint: string | null;
}

export const deviceOf = (db: Db, session_id: string): Promise<Device | undefined> =>
  first(
    db,
    sql<Device>`select session_id, endpoint, p256dh, auth from push_devices where session_id = ${session_id}`,
  );

/** The device with this endpoint. Until the transaction ends, no other one gives the endpoint to another session. */
export async function lockEndpoint(db: Db, endpoint: string): Promise<ActiveDevice | undefined> {
  await run(db, sql`select pg_advisory_xact_lock(hashtextextended(${endpoint}, 76))`);
  return first(
    db,
    sql<ActiveDevice>`
      select session_id, endpoint, p256dh, auth from push_devices where endpoint = ${endpoint}`,
  );
}

/**
 * Makes this the device of the session. The endpoint must be locked; another session that has it loses its device.
 * Returns false if the session has ended.
 */
export async function saveDevice(
  db: Db,
  session_id: string,
  { endpoint, p256dh, auth }: Subscription,
  now: Instant,
): Promise<boolean> {
  await run(db, sql`delete from push_devices where endpoint = ${endpoint} and session_id <> ${session_id}`);
  const saved = await run(
    db,
    sql`insert into push_devices (session_id, user_id, endpoint, p256dh, auth, created_at)
        select id, user_id, ${endpoint}, ${p256dh}, ${auth}, ${now} from sessions where id = ${session_id} for key share
        on conflict (session_id) do update set endpoint = excluded.endpoint, p256dh = excluded.p256dh,
          auth = excluded.auth, created_at = excluded.created_at`,
  );
  return saved > 0;
}

export const removeDevice = (db: Db, session_id: string) =>
  run(db, sql`delete from push_devices where session_id = ${session_id}`);

/** Removes an endpoint that its push service does not know. The session may have subscribed again meanwhile. */
export const loseDevice = (db: Db, { session_id, endpoint }: Pick<ActiveDevice, 'session_id' | 'endpoint'>) =>
  run(
    db,
    sql`update push_devices set endpoint = null where session_id = ${session_id} and endpoint = ${endpoint}`,
  );

export interface EndingDevice extends ActiveDevice {
  /** Whether only another login continues the session: using it does not. */
  ends_for_good: boolean;
  look: StoredLook;
}

/**
 * Takes up to `max` devices whose session ends within two days, and notes that they are warned. A session that is used
 * afterwards ends later, and is warned again before that.
 */
export const takeEndingDevices = (db: Db, now: Instant, max: number): Promise<EndingDevice[]> =>
  all(
    db,
    sql<EndingDevice>`
      with due as (
        select d.session_id, s.ends_at <= s.idle_at as ends_for_good
        from push_devices d
        join lateral (
          select ends_at, used_at + make_interval(secs => ${lifetimes.idle}) as idle_at
          from sessions where id = d.session_id) as s on true
        where d.endpoint is not null and least(s.ends_at, s.idle_at) > ${now}
          and least(s.ends_at, s.idle_at) <= ${addSeconds(now, warningTime)}
          and (d.warned_at is null
            or d.warned_at < least(s.ends_at, s.idle_at) - make_interval(secs => ${warningTime}))
        limit ${max} for update of d skip locked)
      update push_devices d set warned_at = ${now}
      from due join users u on true
      where d.session_id = due.session_id and u.id = d.user_id
      returning d.session_id, d.endpoint, d.p256dh, d.auth, due.ends_for_good, ${lookOf('u')} as look`,
  );

/** Notes that devices were not warned, so that the next hour tries again. */
export const unwarnDevices = (db: Db, sessions: readonly string[]) =>
  run(db, sql`update push_devices set warned_at = null where session_id = any(${sessions}::uuid[])`);

/** The host of an endpoint. */
const hostOf = (device: string) => sql`split_part(${sql.ref(device)}.endpoint, '/', 3)`;

/** Whether the session of a device still lives. */
const isAlive = (session: string, now: Instant) => sql`
  ${sql.ref(session)}.ends_at > ${now}
  and ${sql.ref(session)}.used_at + make_interval(secs => ${lifetimes.idle}) > ${now}`;

/** Whether a push is due. */
const isDue = (now: Instant) => sql`send_at > '-infinity' and send_at <= ${now}`;

/**
 * The sessions for which pushes are due. Few pushes wait, whatever the number of devices and sessions: statements start
 * here and look up each of those by its key. `limit 1` and `any(array(…))` fix this order, since a generic plan does not
 * know how few are due. For the same reason `send_at` has a lower bound: a range is expected to have few rows, so that
 * its index is read.
 */
const dueSessions = (now: Instant) => sql<{ session_id: string }>`
  select distinct session_id from pushes where ${isDue(now)}`;

/** Due pushes that cannot be sent: their device is lost or switched off, or its session has ended. */
export const unsendablePushes = (db: Db, now: Instant): Promise<UnsendablePush[]> =>
  all(
    db,
    sql<UnsendablePush>`
      select p.notification_id, p.session_id, n.user_id, n.kind
      from pushes p
      join notices n on n.id = p.notification_id
      left join lateral (
        select true as is_there from push_devices d join sessions s on s.id = d.session_id
        where d.session_id = p.session_id and d.endpoint is not null and ${isAlive('s', now)} limit 1) as device on true
      where ${isDue(now)} and device.is_there is null
      limit 1000`,
  );

type UnsendablePush = Omit<SettledPush, 'state' | 'again'>;

/** The hosts of the push services for which pushes are due. */
export async function dueHosts(db: Db, now: Instant): Promise<string[]> {
  const rows = await all(
    db,
    sql<{ host: string }>`
      select distinct device.host
      from (${dueSessions(now)}) as due
      cross join lateral (
        select ${hostOf('d')} as host from push_devices d
        where d.session_id = due.session_id and d.endpoint is not null limit 1) as device`,
  );
  return rows.map(({ host }) => host);
}

/**
 * Locks up to `max` devices of a push service for which pushes are due, and whose sessions live. Until the transaction
 * ends, no other process gets the pushes of these devices, so that all pushes of a device are taken together.
 */
export const lockDueDevices = (
  db: Db,
  { host, now, max }: { host: string; now: Instant; max: number },
): Promise<ActiveDevice[]> =>
  all(
    db,
    sql<ActiveDevice>`
      select d.session_id, d.endpoint, d.p256dh, d.auth
      from push_devices d
      cross join lateral (
        select from sessions s
        where s.id = d.session_id and ${isAlive('s', now)} limit 1) as alive
      where d.session_id = any(array(${dueSessions(now)})) and ${hostOf('d')} = ${host}
      limit ${max} for no key update of d skip locked`,
  );
