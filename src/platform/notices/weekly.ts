import { z } from 'zod';
import { all, first, isoTimestamp, run, sql, type Db } from '#platform/db/client.ts';
import { Instant } from '#wire/instant.ts';
import { weeklyAfter, weeklyInZone, type Weekly } from '#platform/notices/weekly-rules.ts';

/** The people whose emails are enqueued in one transaction. */
const perTransaction = 200;

/**
 * The setting with which the news of the week comes in one email instead of one by one. `weekly_emails` has its value. Also
 * the kind of these emails.
 */
export const weeklyEmail = 'weekly_email';

const zoneOf = (user: string) => {
  const u = sql.ref(user);
  return sql<string>`coalesce(${u}.time_zone, ${u}.device_zone, 'UTC')`;
};

/** The `Weekly` of the user with this id as JSON; null for people who get each news by itself. */
export const weeklyOf = (user: string) => sql<Weekly | null>`(
  select json_build_object('next_at', ${isoTimestamp('w.next_at')}, 'since', ${isoTimestamp('w.since')}, 'until', ${isoTimestamp('w.until')})
  from weekly_emails w where w.user_id = ${sql.ref(user)})`;

/** Whether a user has chosen the weekly email. */
export const hasWeekly = async (db: Db, user: string): Promise<boolean> =>
  (await first(db, sql`select from weekly_emails where user_id = ${user}`)) !== undefined;

/**
 * Starts the weekly email of a user, or ends it. Keeps the time of a weekly email that is on. An email that was sent before
 * it was switched off counts for the first Monday.
 */
export async function saveWeekly(db: Db, user: string, isOn: boolean, now: Instant): Promise<void> {
  if (!isOn) {
    await run(db, sql`delete from weekly_emails where user_id = ${user}`);
    return;
  }
  const row = await first(
    db,
    sql<Pick<Weekly, 'until'> & { zone: string }>`
      select ${zoneOf('u')} as zone,
        (select max(d.created_at) from deliveries d where d.user_id = u.id and d.kind = ${weeklyEmail}) as until
      from users u where id = ${user} for key share`,
  );
  if (!row) return;
  await run(
    db,
    sql`insert into weekly_emails (user_id, next_at, since) values (${user}, ${weeklyInZone(row, row.zone, now)}, ${now})
        on conflict do nothing`,
  );
}

/** Moves the next weekly email of a user to Monday 8:00 in the zone that the user has now. */
export async function moveWeekly(db: Db, user: string, now: Instant): Promise<void> {
  const row = await first(
    db,
    sql<Pick<Weekly, 'until'> & { zone: string }>`
      select w.until, ${zoneOf('u')} as zone from weekly_emails w join users u on u.id = w.user_id
      where w.user_id = ${user} and w.next_at > ${now} for update of w`,
  );
  if (!row) return;
  const next = weeklyInZone(row, row.zone, now);
  await run(db, sql`update weekly_emails set next_at = ${next} where user_id = ${user}`);
}

/** The payload of the job that sends one weekly email, with the news from `since` to `until`. */
export const WeeklyJob = z.object({ id: z.uuid(), user_id: z.uuid(), since: Instant, until: Instant });
export type WeeklyJob = z.infer<typeof WeeklyJob>;

/**
 * Enqueues the emails of some people for whom it is time, after all other emails. Returns whether there may be more.
 * Two processes take different people.
 */
export async function enqueueWeekly(db: Db, now: Instant): Promise<boolean> {
  const due = await all(
    db,
    sql<{ user_id: string; zone: string }>`
      with due as (
        select user_id from weekly_emails where next_at <= ${now}
        order by next_at, user_id limit ${perTransaction} for update skip locked)
      select d.user_id, ${zoneOf('u')} as zone from due d join users u on u.id = d.user_id`,
  );
  const next = due.map(({ zone }) => weeklyAfter(now, zone));
  await run(
    db,
    sql`
      with moved as (
        update weekly_emails w set next_at = t.next_at, until = ${now}
        from unnest(${due.map(({ user_id }) => user_id)}::uuid[], ${next}::timestamptz[]) as t (user_id, next_at)
        where w.user_id = t.user_id returning w.user_id, w.since, w.until)
      select enqueue_job('send_weekly_email', jsonb_build_object('id', gen_random_uuid(), 'user_id', m.user_id,
        'since', ${isoTimestamp('m.since')}, 'until', ${isoTimestamp('m.until')}), priority => 2)
      from moved m`,
  );
  return due.length === perTransaction;
}

/** Whether an email is still the last one of its reader, who has not switched it off or got it already. */
export const isLastWeekly = async (db: Db, { user_id, until }: WeeklyJob): Promise<boolean> =>
  (await first(
    db,
    sql`select from weekly_emails where user_id = ${user_id} and until = ${until} and since < until`,
  )) !== undefined;

/** Notes that an email was accepted, or had nothing to say. Until then, the next one starts at the same time. */
export const finishWeekly = (db: Db, { user_id, until }: WeeklyJob) =>
  run(
    db,
    sql`update weekly_emails set since = ${until} where user_id = ${user_id} and until = ${until} and since < ${until}`,
  );

/** Unseen news of a user, the newest first. */
export interface NewsRow {
  user_id: string;
  kind: string;
  facts: object;
  created_at: Instant;
  actor_id: string | null;
  actor: { first_name: string; last_name: string } | null;
}

/**
 * The unseen notices of these kinds to a user in the period of an email, the newest first. Without those that were emailed
 * at once because the thing that they are about was to start before.
 */
export const unseenNews = (db: Db, { user_id, since, until }: WeeklyJob, kinds: readonly string[]) =>
  all(
    db,
    sql<NewsRow>`
      select n.user_id, n.kind, n.facts, n.created_at, n.actor_id,
        case when a.id is not null then json_build_object('first_name', a.first_name, 'last_name', a.last_name) end as actor
      from notices n left join users a on a.id = n.actor_id
      where n.user_id = ${user_id} and n.created_at > ${since} and n.created_at <= ${until} and n.seen_at is null
        and n.kind = any(${kinds}::text[]) and not exists (
          select from deliveries d
          where d.user_id = n.user_id and d.channel = 'email' and d.kind = n.kind and d.state in ('pending', 'accepted')
            and d.stated_at >= n.created_at and d.states ?| array(select jsonb_object_keys(subjects_of(n.facts))))
      order by n.created_at desc, n.id limit 1000`,
  );
