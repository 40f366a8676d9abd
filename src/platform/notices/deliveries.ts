import { all, isUuid, run, sql, type Db } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';
import type { Stated } from '#platform/notices/notice.ts';

/** How an email ended. */
export interface Outcome {
  state: 'accepted' | 'refused' | 'failed';
  /** The codes of the mail server's reply, such as '550 5.1.1'. */
  code?: string | undefined;
  /** Whether the mail server said that the address does not exist. */
  isUnknownAddress?: boolean;
}

/** An email whose outcome is to be noted, and the things that it states. */
interface RenderedEmail {
  id: string;
  user_id: string;
  kind: string;
  states?: readonly Stated[];
  now: Instant;
}

/** Notes in the transaction that renders an email that its outcome is pending. A retry states the data of its own time. */
export function addDelivery(db: Db, { id, user_id, kind, states = [], now }: RenderedEmail) {
  const stated = JSON.stringify(Object.fromEntries(states.map((thing) => [thing.id, thing.sequence])));
  return run(
    db,
    sql`insert into deliveries as d (id, channel, user_id, kind, states, stated_at, created_at)
        values (${id}, 'email', ${user_id}, ${kind}, ${stated}, ${now}, ${now})
        on conflict (id, channel) do update
          set state = 'pending', code = null, settled_at = null, stated_at = excluded.stated_at, states = excluded.states
          where d.state <> 'accepted'`,
  );
}

/**
 * Notes the outcome of an email, if it has one, and counts the rejections of its address. The lock on the user makes an
 * email change wait, which then removes the count: a rejection never counts against another address.
 */
export async function settle(
  db: Db,
  { id, to }: { id: string; to: string },
  { state, code, isUnknownAddress = false }: Outcome,
  now: Instant,
): Promise<void> {
  const noted = sql`
    update deliveries set state = ${state}, code = ${code ?? null}, settled_at = ${now}
    where id = ${isUuid(id) ? id : null} and channel = 'email' and state <> 'accepted'`;
  if (state === 'accepted')
    await run(
      db,
      sql`with noted as (${noted})
          delete from email_rejections r using users u where u.id = r.user_id and u.email = ${to}`,
    );
  else if (isUnknownAddress)
    await run(
      db,
      sql`with noted as (${noted}),
          account as (select id from users where email = ${to} for key share)
          insert into email_rejections as r (user_id, rejections, rejected_since) select id, 1, ${now} from account
          on conflict (user_id) do update set rejections = r.rejections + 1`,
    );
  else await run(db, noted);
}

/** Forgets the rejections of an account: its address works, or is a new one. */
export const clearRejections = (db: Db, user_id: string) =>
  run(db, sql`delete from email_rejections where user_id = ${user_id}`);

/**
 * The time from which the address of a user counts as refused, or null: 24 hours after the first of at least three
 * rejections in a row.
 */
export const refusedFrom = (user: string) => sql<Instant | null>`
  (select r.rejected_since + interval '24 hours' from email_rejections r
  where r.user_id = ${sql.ref(user)} and r.rejections >= 3)`;

/** Whether the address of a user counts as refused. */
export const isEmailRefused = (user: string, now: Instant) =>
  sql<boolean>`coalesce(${refusedFrom(user)} < ${now}, false)`;

/**
 * Pending outcomes of emails that nobody will send any more have failed: the process that sent the email has died, the
 * email has no attempts left, or it was dropped. A worker that lives renews the lock of its job. If it gets a reply after
 * all, that outcome replaces this one.
 */
export async function failLostEmails(db: Db, now: Instant): Promise<void> {
  await run(
    db,
    sql`
      with sending as materialized (
        select e.user_id, e.kind from jobs j join notice_emails e on e.id = (j.payload ->> 'id')::uuid
        where j.name = 'send_notice' and j.locked_until > now()),
      jobs_of_emails as materialized (
        select payload ->> 'id' as id, bool_or(attempts < max_attempts) as continues from jobs
        where name = 'send_notice' group by 1),
      weekly as materialized (
        select payload ->> 'id' as id from jobs
        where name = 'send_weekly_email' and (attempts < max_attempts or locked_until > now()))
      update deliveries d set state = 'failed', settled_at = ${now}
      where d.state = 'pending' and d.channel = 'email'
        -- Emails over the hourly limit are sent as one, by the job of any of them.
        and not exists (select from sending s where s.user_id = d.user_id and s.kind = d.kind)
        and not exists (select from weekly w where w.id = d.id::text)
        and not exists (
          select from notice_emails e left join jobs_of_emails j on j.id = e.id::text
          where e.id = d.id and e.sent_at is null and j.continues is not false)`,
  );
}

export const deletePastDeliveries = (db: Db, before: Instant) =>
  run(db, sql`delete from deliveries where created_at < ${before}`);

/** The notices of which these users got pushes since this time. */
export const pushedSince = (
  db: Db,
  users: readonly string[],
  since: Instant,
): Promise<{ id: string; user_id: string; kind: string }[]> =>
  all(
    db,
    sql<{ id: string; user_id: string; kind: string }>`
      select id, user_id, kind from deliveries
      where user_id = any(${users}::uuid[]) and channel = 'push' and created_at > ${since} and state <> 'failed'
      order by created_at, id`,
  );
