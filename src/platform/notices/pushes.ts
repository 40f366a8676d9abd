import { all, run, sql, type Db } from '#platform/db/client.ts';
import { lookOf, type StoredLook } from '#platform/db/look.ts';
import type { Instant } from '#wire/instant.ts';
import { isAlways, type AnyNotice, type NoticeActor, type NoticeFacts } from '#platform/notices/notice.ts';
import { isPushedAtFirst, pushKeyOf } from '#platform/notices/settings.ts';

/** Seconds for which a push is taken. After that, its process has died, and the push is sent again. */
const takenFor = 60;

interface Shown {
  notice: AnyNotice;
  facts: NoticeFacts;
  before: object;
  settle: number;
  now: Instant;
}

/**
 * A statement that inserts a push for each device of those to whom the statement `shown` shows a notice, if they want
 * this kind on their devices. Without devices it inserts nothing.
 */
export const pushesOf = ({ notice, facts, before, settle, now }: Shown) => sql`
  insert into pushes (notification_id, session_id, send_at)
  select s.id, d.session_id, ${now}::timestamptz + make_interval(secs => ${settle})
  from shown s join push_devices d on d.user_id = s.user_id
  where d.endpoint is not null and (${isAlways(notice, { ...facts, before })}::boolean or ${isPushedAtFirst(notice)}::boolean <>
    exists (select from notification_opt_outs q where q.user_id = s.user_id and q.key = ${pushKeyOf(notice)}))
  returning 1`;

/**
 * Adds a job that sends pushes, if the statement `pushed` inserted some. It has no key, so that transactions do not wait
 * for each other.
 */
export const wakeSender = (settle: number) => sql`
  select enqueue_job('send_pushes', '{}', run_at => now() + make_interval(secs => ${settle}))
  from (select 1 from pushed limit 1) as something`;

/** A push that is about to be sent, with its notice and its reader. */
export interface TakenPush {
  notification_id: string;
  session_id: string;
  /** The number of attempts, including this one. */
  attempts: number;
  user_id: string;
  kind: string;
  facts: object;
  created_at: Instant;
  isSeen: boolean;
  actor: NoticeActor;
  /** The settings that differ from their default. */
  changedSettings: string[];
  look: StoredLook;
}

/** Takes all due pushes of these devices. No other process gets them meanwhile. */
export const takePushes = (db: Db, sessions: readonly string[], now: Instant): Promise<TakenPush[]> =>
  all(
    db,
    sql<TakenPush>`
      with due as materialized (
        select notification_id, session_id from pushes
        where session_id = any(${sessions}::uuid[]) and send_at <= ${now} for update skip locked),
      taken as (
        update pushes p set attempts = p.attempts + 1, send_at = ${now}::timestamptz + make_interval(secs => ${takenFor})
        from due where p.notification_id = due.notification_id and p.session_id = due.session_id
        returning p.notification_id, p.session_id, p.attempts)
      select t.*, n.user_id, n.kind, n.facts, n.created_at, n.seen_at is not null as "isSeen", ${lookOf('r')} as look,
        array(select q.key from notification_opt_outs q where q.user_id = n.user_id) as "changedSettings",
        case when u.id is not null then json_build_object('first_name', u.first_name, 'last_name', u.last_name) end as actor
      from taken t join notices n on n.id = t.notification_id join users r on r.id = n.user_id
      left join users u on u.id = n.actor_id
      order by n.created_at, n.id`,
  );

/** What becomes of a taken push. `again`: when it is sent again. */
export interface SettledPush extends Pick<TakenPush, 'notification_id' | 'session_id' | 'user_id' | 'kind'> {
  state: 'accepted' | 'failed' | 'dropped' | 'pending';
  again?: Instant | undefined;
}

const worth = { accepted: 3, pending: 2, failed: 1, dropped: 0 };

/**
 * Notes the outcomes of pushes, one for each notice, and deletes those that are not sent again. A notice that any of the
 * reader's devices has accepted stays accepted. Lock order: users before pushes.
 */
export async function settlePushes(db: Db, pushes: readonly SettledPush[], now: Instant): Promise<void> {
  const best = new Map<string, SettledPush>();
  for (const push of pushes) {
    const other = best.get(push.notification_id);
    if (!other || worth[push.state] > worth[other.state]) best.set(push.notification_id, push);
  }
  const outcomes = [...best.values()];
  const noted = outcomes.filter(({ state }) => state !== 'dropped');
  await run(
    db,
    sql`
      with readers as materialized (
        select id from users where id = any(${noted.map(({ user_id }) => user_id)}::uuid[]) order by id for key share)
      insert into deliveries as d (id, channel, user_id, kind, state, stated_at, created_at, settled_at)
      select o.notification_id, 'push', o.user_id, o.kind, o.state, ${now}, ${now}, case when o.state <> 'pending' then ${now}::timestamptz end
      from jsonb_to_recordset(${JSON.stringify(noted)}::jsonb) as o (notification_id uuid, user_id uuid, kind text, state text)
      join readers r on r.id = o.user_id
      order by o.notification_id
      on conflict (id, channel) do update set state = excluded.state, kind = excluded.kind,
        stated_at = excluded.stated_at, settled_at = excluded.settled_at where d.state <> 'accepted'`,
  );
  const dropped = outcomes.filter(({ state }) => state === 'dropped');
  if (dropped.length > 0)
    await run(
      db,
      sql`update deliveries set state = 'failed', settled_at = ${now}
          where id = any(${dropped.map((each) => each.notification_id)}::uuid[]) and channel = 'push' and state = 'pending'`,
    );
  const done = pushes.filter(({ state }) => state !== 'pending');
  await run(
    db,
    sql`delete from pushes p using ${rowsOf(done)} where p.notification_id = o.notification_id and p.session_id = o.session_id`,
  );
  const waiting = pushes.filter(({ state }) => state === 'pending');
  if (waiting.length > 0)
    await run(
      db,
      sql`update pushes p set send_at = o.again from ${rowsOf(waiting)} where p.notification_id = o.notification_id and p.session_id = o.session_id`,
    );
}

/** Rows of arrays, of which a plan expects few, so that it looks up each push by its key. */
const rowsOf = (pushes: readonly SettledPush[]) => sql`
  unnest(${pushes.map((each) => each.notification_id)}::uuid[], ${pushes.map((each) => each.session_id)}::uuid[],
    ${pushes.map((each) => each.again ?? null)}::timestamptz[]) as o (notification_id, session_id, again)`;

/** Deletes pushes that nobody has taken for a day, because their device is gone. */
export const deleteLostPushes = (db: Db, before: Instant) =>
  run(db, sql`delete from pushes where send_at < ${before}`);
