import { randomUUID } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import { first, run, sql, type Db } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';
import {
  isAlways,
  loadNotices,
  noticeOf,
  type AnyNotice,
  type Notice,
  type NoticeFacts,
} from '#platform/notices/notice.ts';
import { endOfCooldown } from '#platform/notices/pending.ts';
import { pushesOf, wakeSender } from '#platform/notices/pushes.ts';

/** The LISTEN channel that notifies every process of new notices and of changed ones. */
export const noticesChannel = 'muster_notifications';

/**
 * Up to `inline` recipients get their notices in the caller's transaction. For a larger audience, jobs add the notices
 * of `perJob` recipients at a time, or of fewer if their facts have more than `bytes`: the facts of a notice about many
 * things are long, and all these things are read for each recipient.
 */
const limits = { inline: 200, perJob: 1000, bytes: 500_000 };

/** Delay in seconds of emails to a large audience, so that the fan-out is complete before the first email is sent. */
const fanOutDelay = 10;

/** A query for the ids of users, as `user_id`. */
export type Audience = RawBuilder<unknown>;

interface Raised<Facts> {
  facts: Facts;
  /** The user who caused the notice. They do not get it themselves. */
  actor?: string | null;
  /** Each user gets one notice per kind and `dedupeKey`. */
  dedupeKey?: string;
  /** Overrides the delay of the notice. */
  delay?: number;
  settle?: number;
  /** Additional facts for single recipients, keyed by user id. */
  own?: Record<string, object>;
  now: Instant;
}

/** The values that all rows of a notice share. */
interface Batch {
  notice: AnyNotice;
  dedupeKey: string;
  key: string;
  facts: NoticeFacts;
  before: object;
  actor: string | null;
  own: object;
  delay: number;
  settle: number;
  now: Instant;
}

/**
 * Adds a notice for each user of an audience in the current transaction, and notifies open browsers after the commit.
 * The recipients are fixed now, even if a job adds their notices later. Returns the number of recipients.
 */
export async function raise<Facts extends NoticeFacts, Data>(
  db: Db,
  notice: Notice<Facts, Data>,
  {
    facts,
    actor = null,
    dedupeKey = randomUUID(),
    delay = notice.delay,
    settle = notice.settle ?? 0,
    own = {},
    now,
  }: Raised<Facts>,
  audience: Audience,
): Promise<number> {
  const { before = {}, ...others } = facts as { before?: object };
  const kind = notice as unknown as AnyNotice;
  const batch: Batch = {
    notice: kind,
    dedupeKey,
    key: notice.merge(facts),
    facts: others,
    before,
    actor,
    own,
    delay,
    settle,
    now,
  };
  const result = await first(
    db,
    sql<{ count: number }>`
      with people as materialized (
        select distinct p.user_id from (${audience}) as p where p.user_id is distinct from ${actor}::uuid),
      few as (select * from people where (select count(*) from people) <= ${limits.inline}),
      later as (
        insert into notice_fanouts (id, kind, dedupe_key, key, facts, before, actor_id, people, own, seconds, created_at)
        select gen_random_uuid(), ${notice.kind}, ${dedupeKey}, ${batch.key}, ${JSON.stringify(others)}, ${JSON.stringify(before)},
          ${actor}::uuid, array_agg(user_id order by user_id), ${JSON.stringify(own)}, ${delay}, ${now}::timestamptz
        from people having count(*) > ${limits.inline}),
      ${rowsFor(batch)}
      select (select count(*)::int from people) as count, (${announcement}) as announced, (${wakeSender(settle)}) as woken`,
  );
  return result?.count ?? 0;
}

/**
 * CTEs that insert the notices, pushes and emails of the users in `few`. Email settings are read when an email is sent.
 * Rows are inserted in a fixed order so that concurrent fan-outs cannot deadlock.
 */
const rowsFor = (batch: Batch) =>
  sql`shown as (${shownTo(batch)}), pushed as (${pushesOf(batch)}), mailed as (${mailedTo(batch)})`;

/** The app shows only the new state, so `before` is not stored. */
function shownTo({ notice, dedupeKey, facts, before, actor, own, now }: Batch) {
  if (!notice.message) return sql`select null::uuid as id, null::uuid as user_id where false`;
  return sql`
    insert into notices (id, user_id, kind, dedupe_key, facts, actor_id, created_at)
    select gen_random_uuid(), p.user_id, ${notice.kind}, ${dedupeKey}::uuid,
      ${JSON.stringify(facts)}::jsonb || coalesce(${JSON.stringify(own)}::jsonb -> p.user_id::text, '{}'), ${actor}::uuid, ${now}::timestamptz
    from few p
    where ${isAlways(notice, { ...facts, before })}::boolean
      or not exists (select from notification_opt_outs q where q.user_id = p.user_id and q.key = ${notice.setting})
    order by p.user_id
    on conflict (user_id, dedupe_key, kind) do nothing returning id, user_id`;
}

/** A pending email with the same key takes the new facts, and keeps the `before` of the first notice. */
function mailedTo({ notice, key, facts, before, actor, own, delay, settle, now }: Batch) {
  if (!notice.email) return sql`select 1 where false`;
  return sql`
    insert into notice_emails as e (id, user_id, kind, key, facts, before, actor_id, created_at, send_at)
    select gen_random_uuid(), p.user_id, ${notice.kind}, ${key},
      ${JSON.stringify(facts)}::jsonb || coalesce(${JSON.stringify(own)}::jsonb -> p.user_id::text, '{}'),
      ${JSON.stringify(before)}::jsonb, ${actor}::uuid, ${now}::timestamptz,
      greatest(now() + make_interval(secs => ${Math.max(delay, settle)}), ${endOfCooldown(notice, { user: sql`p.user_id`, key: sql`${key}` })})
    from few p order by p.user_id
    on conflict (user_id, kind, key) where sent_at is null do update set
      facts = excluded.facts, before = excluded.before || e.before, actor_id = excluded.actor_id,
      created_at = excluded.created_at,
      send_at = case when e.collected then e.send_at
        else greatest(least(e.send_at, excluded.send_at), now() + make_interval(secs => ${settle})) end`;
}

/** Notifies every process if a notice was added for a user. */
const announcement = sql`
  select pg_notify(${noticesChannel}, '') from (select 1 from shown limit 1) as somebody`;

interface FanOut extends Pick<Batch, 'key' | 'facts' | 'before' | 'own'> {
  kind: string;
  dedupe_key: string;
  actor_id: string | null;
  seconds: number;
  created_at: Instant;
  next: string[];
}

/**
 * Adds the notices of the next users of a large audience. Even concurrent runs add only one notice for each user,
 * because they read the remaining users again under the lock. Users who may no longer see the notice do not get it.
 * Lock order: users before fan-outs.
 */
export async function continueNotices(db: Db, id: string, now: Instant): Promise<void> {
  const size = sql`octet_length(facts::text) + octet_length(before::text)`;
  const batch = await first(
    db,
    sql<{ next: (string | null)[] }>`
      select actor_id || people[1:greatest(1, least(${limits.perJob}, ${limits.bytes} / (${size})))] as next
      from notice_fanouts where id = ${id}`,
  );
  const next = sql`${batch?.next ?? []}::uuid[]`;
  await run(db, sql`select from users where id = any(${next}) order by id for key share`);
  const fanOut = await first(
    db,
    sql<FanOut>`
      select *, array(select unnest(people) intersect select unnest(${next})) as next
      from notice_fanouts where id = ${id} for update`,
  );
  if (!fanOut) return;
  const notice = noticeOf(fanOut.kind);
  if (notice) await addNotices(db, notice, fanOut, now);
  await run(
    db,
    sql`update notice_fanouts set people = array(select unnest(people) except select unnest(${next}) order by 1) where id = ${id}`,
  );
  await run(db, sql`delete from notice_fanouts where id = ${id} and people = '{}'`);
}

async function addNotices(db: Db, notice: AnyNotice, fanOut: FanOut, now: Instant): Promise<void> {
  const {
    dedupe_key: dedupeKey,
    key,
    facts,
    before,
    own,
    actor_id: actor,
    seconds,
    created_at,
    next,
  } = fanOut;
  const ofReader = (user: string) => (own as Record<string, object>)[user] ?? {};
  const recipients = next.map((user_id) => ({
    user_id,
    facts: { ...facts, ...ofReader(user_id), before },
    created_at,
    sentLately: [],
  }));
  const data = await loadNotices(db, notice, recipients);
  const readers = next.filter((_, n) => data[n] !== null && (notice.applies?.(data[n], now) ?? true));
  const [delay, settle] = [Math.max(seconds, fanOutDelay), notice.settle ?? 0];
  await run(
    db,
    sql`
      with few as materialized (select id as user_id from users where id = any(${readers}::uuid[])),
      ${rowsFor({ notice, dedupeKey, key, facts, before, actor, own, delay, settle, now })}
      select (${announcement}) as announced, (${wakeSender(settle)}) as woken`,
  );
}

/** Removes a user from the pending notices to other users. */
export async function forgetInNotices(db: Db, user: string): Promise<void> {
  await run(
    db,
    sql`update notice_fanouts set people = array_remove(people, ${user}), actor_id = nullif(actor_id, ${user}),
          own = own - ${user}::text, before = before - ${user}::text
        where actor_id = ${user} or ${user} = any(people) or before ? ${user}::text`,
  );
  // Locks all rows that deleting the user would change, in the order in which emails are merged. Also removes the
  // actor. If the foreign key did that, it would update some rows a second time and lock their readers, who may be
  // waiting for another deletion.
  const concerned = sql`actor_id = ${user} or before ? ${user}::text`;
  await run(
    db,
    sql`select from notice_emails where user_id = ${user} or ${concerned} order by user_id for update`,
  );
  await run(
    db,
    sql`update notice_emails set before = before - ${user}::text, actor_id = nullif(actor_id, ${user}) where ${concerned}`,
  );
}

/**
 * Deletes notices from before this time, and emails that were sent more than a day ago. Fan-outs and pending emails
 * from before this time have lost their jobs, so they are deleted too.
 */
export async function deleteOldNotices(db: Db, before: Instant): Promise<void> {
  await run(db, sql`delete from notices where created_at < ${before}`);
  await run(db, sql`delete from notice_fanouts where created_at < ${before}`);
  await run(
    db,
    sql`delete from notice_emails where created_at < ${before} or sent_at < now() - interval '1 day'`,
  );
}

/**
 * Adds jobs for emails that have lost their job, for example because an attempt timed out and failed only later.
 */
export const requeueNotices = (db: Db) =>
  run(
    db,
    sql`
      update notice_emails e set send_at = send_at
      where sent_at is null and send_at < now() - interval '1 hour' and not exists (
        select from jobs where name = 'send_notice' and payload ->> 'id' = e.id::text)`,
  );

/** Deletes all emails of notices. The notices in the app stay. */
export const discardEmails = (db: Db) => run(db, sql`delete from notice_emails`);
