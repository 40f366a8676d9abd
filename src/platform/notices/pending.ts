import type { RawBuilder } from 'kysely';
import { all, first, run, sql, type Db } from '#platform/db/client.ts';
import { lookOf, type StoredLook } from '#platform/db/look.ts';
import type { Instant } from '#wire/instant.ts';
import { refusedFrom } from '#platform/notices/deliveries.ts';
import type { AnyNotice, NoticeActor } from '#platform/notices/notice.ts';
import { weeklyOf } from '#platform/notices/weekly.ts';
import type { Weekly } from '#platform/notices/weekly-rules.ts';

/** Seconds between two emails with the same key, unless the notice says otherwise. */
const defaultCooldown = 5 * 60;

/** The maximum number of emails of one kind to one person in an hour. Further emails are merged when the hour ends. */
const maxInHour = 6;

export interface Row {
  id: string;
  user_id: string;
  kind: string;
  key: string;
  facts: object;
  before: Record<string, unknown>;
  created_at: Instant;
  collected: boolean;
  actor: NoticeActor;
}

export interface Reader {
  id: string;
  email: string;
  /** The settings that the reader has switched off. */
  optOuts: string[];
  /** Since when the address counts as refused. May be in the future. */
  refusedFrom: Instant | null;
  /** The reader's weekly email. Null if the reader gets each news by itself. */
  weekly: Weekly | null;
  look: StoredLook;
}

/** The columns of a `Row`, from a row of `notice_emails` and its actor, if any. */
function columns({ notice, actor }: Record<'notice' | 'actor', string>) {
  const [n, u] = [sql.ref(notice), sql.ref(actor)];
  return sql`
    ${n}.id, ${n}.user_id, ${n}.kind, ${n}.key, ${n}.facts || jsonb_build_object('before', ${n}.before) as facts, ${n}.before,
    ${n}.created_at, ${n}.collected,
    case when ${u}.id is not null then json_build_object('first_name', ${u}.first_name, 'last_name', ${u}.last_name) end as actor`;
}

/** The end of the cooldown after the last email of this kind and key to this user, or null if there was no email. */
export const endOfCooldown = (
  { kind, cooldown = defaultCooldown }: AnyNotice,
  { user, key }: Record<'user' | 'key', RawBuilder<unknown>>,
) => sql`
  (select max(s.sent_at) + make_interval(secs => ${cooldown}) from notice_emails s
  where s.user_id = ${user} and s.kind = ${kind} and s.key = ${key} and s.sent_at > now() - interval '1 day')`;

/**
 * A pending email, if it is due. Otherwise updates `send_at` and returns undefined. An email is not due yet if it was
 * merged with a later notice. Nor is it due if its notice was raised while another job was taking the previous email
 * with the same key (see `take`): the end of the cooldown after that email was not known yet.
 */
export async function dueEmail(db: Db, notice: AnyNotice, id: string): Promise<Row | undefined> {
  const ends = endOfCooldown(notice, { user: sql`n.user_id`, key: sql`n.key` });
  const sendAt = sql`greatest(n.send_at, case when not n.collected then ${ends} end)`;
  const row = await first(
    db,
    sql<Row & { isEarly: boolean }>`
      select ${columns({ notice: 'n', actor: 'u' })}, ${sendAt} > now() as "isEarly"
      from notice_emails n left join users u on u.id = n.actor_id
      where n.id = ${id} and n.sent_at is null for update of n`,
  );
  if (!row?.isEarly) return row;
  await run(db, sql`update notice_emails n set send_at = ${sendAt} where n.id = ${id}`);
  return undefined;
}

export const sentRows = (db: Db, ids: readonly string[]): Promise<Row[]> =>
  all(
    db,
    sql<Row>`
      select ${columns({ notice: 'n', actor: 'u' })}
      from notice_emails n left join users u on u.id = n.actor_id
      where n.id = any(${ids}::uuid[]) order by n.created_at, n.id`,
  );

export const collectedWith = (db: Db, { user_id, kind }: Row): Promise<Row[]> =>
  all(
    db,
    sql<Row>`
      select ${columns({ notice: 'n', actor: 'u' })}
      from (
        select * from notice_emails where user_id = ${user_id} and kind = ${kind} and collected and sent_at is null
        order by created_at, id for update) as n
      left join users u on u.id = n.actor_id order by n.created_at, n.id`,
  );

function readerColumns(user: string) {
  const u = sql.ref(user);
  return sql`
    ${u}.id, ${u}.email, ${lookOf(user)} as look, ${refusedFrom(`${user}.id`)} as "refusedFrom", ${weeklyOf(`${user}.id`)} as weekly,
    array(select q.key from notification_opt_outs q where q.user_id = ${u}.id) as "optOuts"`;
}

/** An address that refuses emails gets only those that are always sent. */
export const isAddressRefused = ({ refusedFrom }: Reader, now: Instant): boolean =>
  refusedFrom !== null && refusedFrom < now;

export const readerOf = (db: Db, user: string) =>
  first(db, sql<Reader>`select ${readerColumns('u')} from users u where u.id = ${user} for key share`);

/** The kind and the reader of a pending email. */
export const pendingFor = (db: Db, id: string) =>
  first(
    db,
    sql<Reader & { kind: string }>`
      select n.kind, ${readerColumns('u')} from notice_emails n join users u on u.id = n.user_id
      where n.id = ${id} and n.sent_at is null for key share of u`,
  );

/** The keys of `before` in the other emails of this kind that the recipient got within the last day. */
export async function sentLately(db: Db, { id, user_id, kind }: Row): Promise<string[]> {
  const rows = await all(
    db,
    sql<{ key: string }>`
      select distinct jsonb_object_keys(before) as key from notice_emails
      where user_id = ${user_id} and kind = ${kind} and sent_at > now() - interval '1 day' and id <> ${id}`,
  );
  return rows.map(({ key }) => key);
}

export const drop = (db: Db, rows: readonly Row[]) =>
  run(db, sql`delete from notice_emails where id = any(${rows.map(({ id }) => id)}::uuid[])`);

/** Whether the hourly limit is reached. If so, postpones the email until an hour after the first email of the hour. */
export async function isOverBudget(db: Db, { id, user_id, kind }: Row): Promise<boolean> {
  const waiting = await run(
    db,
    sql`
      update notice_emails set collected = true, send_at = hour.since + interval '1 hour'
      from (
        -- Rows that were sent as one email have the same time.
        select count(distinct sent_at) as count, min(sent_at) as since from notice_emails
        where user_id = ${user_id} and kind = ${kind} and sent_at > now() - interval '1 hour') as hour
      where id = ${id} and hour.count >= ${maxInHour}`,
  );
  return waiting > 0;
}

/**
 * Makes emails pending again after a failed attempt. If a newer email with the same key is pending by now, the newer
 * one takes over the `before` of the failed one, which is deleted.
 */
export async function putBack(db: Db, ids: readonly string[]): Promise<void> {
  await run(
    db,
    sql`
      with failed as (select * from notice_emails where id = any(${ids}::uuid[])),
      newer as (
        update notice_emails e set before = e.before || failed.before from failed
        where e.user_id = failed.user_id and e.kind = failed.kind and e.key = failed.key and e.sent_at is null
        returning failed.id),
      merged as (delete from notice_emails where id in (select id from newer))
      update notice_emails set sent_at = null where id = any(${ids}::uuid[]) and id not in (select id from newer)`,
  );
}
