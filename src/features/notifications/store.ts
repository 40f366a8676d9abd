import { all, first, run, sql, type Db } from '#platform/db/client.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import type { Kind, Notification } from '#features/notifications/contract.ts';
import { inUtc, type PendingEmail } from '#features/notifications/mail-rules.ts';
import {
  isAlwaysSent,
  notificationOf,
  debounceSeconds,
  withoutOtherFields,
  type EmailKind,
  type DomainEvent,
  type Stored,
  type Subject,
} from '#features/notifications/rules.ts';
import {
  columns,
  datesOf,
  filesOfDates,
  isInFeed,
  movedFrom,
  unconfirmed,
  wasInvited,
  type Audience,
} from '#features/notifications/queries.ts';

/** The LISTEN channel that tells every process that there are new notifications, or that one of a user has changed. */
export const notificationsChannel = 'muster_notifications';

/**
 * The answers of the people who are going. Every read of who attends starts from it. It is here because no feature
 * before this one reads answers.
 */
export const going = sql`(select * from answers where answer = 'going')`;

/**
 * `inline`: an audience up to this size is notified in the transaction of the domain event; a larger one by a job.
 * `perJob`: users notified per run of that job. `emails`: readers whose emails are sent per run of the email job.
 */
const limits = { inline: 200, perJob: 1000, emails: 500 };
/** Delay in seconds of emails to a large audience, so that the fan-out is complete before the first email is rendered. */
const fanOutEmailDelay = 10;

/** Emails of these kinds are also sent to users who have left the club. */
const sentToFormerMembers = sql`('event_cancelled', 'member_removed', 'unattended', 'left')`;

/**
 * Notifies an audience in the current transaction, and open browsers after the commit. The recipients are fixed here, even
 * if a job notifies them later. Returns how many they are.
 */
export async function notify(db: Db, domainEvent: DomainEvent, audience: Audience): Promise<number> {
  const { kind, event_id, late, dates = event_id ? [event_id] : [] } = domainEvent;
  if (kind === 'event_cancelled' && !late) await removePending(db, dates);
  const news = await first(
    db,
    sql<{ people: number }>`
      with news as materialized (${fanOutRow(domainEvent, audience)}),
      people as materialized (
        select user_id from news, unnest(people) as p (user_id) where cardinality(people) <= ${limits.inline}),
      later as (insert into notification_fanouts select * from news where cardinality(people) > ${limits.inline}),
      ${fanOut(domainEvent)}
      select (select cardinality(people) from news) as people, (${announcement}) as announced`,
  );
  return news?.people ?? 0;
}

/** Tells every process if somebody was `told`. */
const announcement = sql`
  select pg_notify(${notificationsChannel}, '') from (select 1 from told limit 1) as somebody`;

/** A cancellation replaces pending notifications and change emails about the events. */
async function removePending(db: Db, events: readonly string[]): Promise<void> {
  // The fan-outs first: this waits for a running one, whose emails the next statement then sees.
  await run(db, sql`delete from notification_fanouts where event_id = any(${events}::uuid[])`);
  await run(
    db,
    sql`delete from notification_emails where kind = 'event_updated' and about = any(${events}::uuid[])`,
  );
}

/** Pending emails about an update quote its new text. The fan-outs come first, as in `removePending`. */
export async function quoteUpdate(db: Db, id: string, text: string): Promise<void> {
  const quoted = sql`set payload = payload || ${JSON.stringify({ update: text })}::jsonb where kind = 'club_update'`;
  await run(db, sql`update notification_fanouts ${quoted} and cause = ${id}`);
  await run(db, sql`update notification_emails ${quoted} and about = ${id}`);
}

/** Removes what was told about a change of an event. The fan-outs come first, as in `removePending`. */
export async function withdrawChange(
  db: Db,
  change: { id: string; event_id: string; sequence: number; changed_at: Instant },
): Promise<void> {
  await run(db, sql`delete from notification_fanouts where kind = 'event_updated' and cause = ${change.id}`);
  await run(
    db,
    sql`
      with unsent as (
        delete from notification_emails where kind = 'event_updated' and about = ${change.event_id}
          and (payload->'event'->'sequence')::int = ${change.sequence})
      delete from notifications
      -- An index has their times.
      where kind = 'event_updated' and cause = ${change.id} and created_at >= ${addSeconds(change.changed_at, -60)}`,
  );
}

/** Removes what is pending about a deleted update. */
export async function withdrawUpdate(db: Db, id: string): Promise<void> {
  await run(db, sql`delete from notification_fanouts where kind = 'club_update' and cause = ${id}`);
  await run(db, sql`delete from notification_emails where kind = 'club_update' and about = ${id}`);
}

/** The domain event as a row of `notification_fanouts`; recipients are ordered by id. */
function fanOutRow(domainEvent: DomainEvent, audience: Audience) {
  const { kind, actor, club_id, event_id = null, cause = event_id, gone = false, dates, now } = domainEvent;
  const { new_location, new_time, role, answer, host, reason, words, asked, urgent, repeats, lift } =
    domainEvent;
  const { update, before, old_role, member = null, nudged, previous, late, fixed, times } = domainEvent;
  const about = kind === 'event_updated' && !dates ? event_id : cause;
  const shared = { role, answer, host, reason, words, repeats, lift, fixed };
  const subject = JSON.stringify({ new_location, new_time, ...(times && { polling: true }), ...shared });
  const old = { old_role, previous, before: before && withoutOtherFields(before) };
  const payload = JSON.stringify({ ...shared, ...old, asked, urgent, update, nudged, late, times });
  // The records of files go with the events.
  const invitedPeople = gone
    ? sql`jsonb_build_object('invited', (
        select coalesce(jsonb_agg(distinct user_id), '[]') from calendar_files where event_id = any(${dates ?? [event_id]}::uuid[]) and invited))`
    : sql`'{}'::jsonb`;
  return sql`
    select gen_random_uuid() as id, ${kind}::text as kind, ${cause}::uuid as cause,
      coalesce(md5(coalesce(e.id, c.id)::text || ${member}::uuid::text)::uuid, ${about}::uuid) as about,
      c.id as club_id, e.id as event_id, ${actor}::uuid as actor_id,
      array(
        select m.user_id from members m
        where m.club_id = c.id and m.user_id is distinct from ${actor}::uuid and ${audience} order by m.user_id) as people,
      jsonb_strip_nulls(jsonb_build_object('club_name', c.club_name, 'club_slug', c.slug,
        'event_name', e.name, 'event_slug', case when not ${gone}::boolean then e.slug end)) || ${subject}::jsonb as subject,
      ${payload}::jsonb || ${clubAndEvent} || ${datesOf(dates)} || ${invitedPeople} as payload, ${now}::timestamptz as created_at
    from clubs c left join events e on e.owner_club_id = c.id and e.id = ${event_id}::uuid
    where c.id = ${club_id}`;
}

const snapshot = sql`to_jsonb(e) || jsonb_build_object('moved_from', ${movedFrom})`;

/** The email payload for the club `c` and its event `e`, if any. */
export const clubAndEvent = sql`jsonb_build_object('club_name', c.club_name, 'club_slug', c.slug)
  || case when e.id is null then '{}' else jsonb_build_object('event', ${snapshot}) end`;

/**
 * CTEs that insert notifications for `people` and queue their emails; email settings are read when the email is rendered.
 * Rows are inserted in a fixed order so that concurrent fan-outs cannot deadlock.
 */
const fanOut = (
  {
    kind,
    now,
    urgent,
    late,
    ...subject
  }: Pick<DomainEvent, 'kind' | 'new_location' | 'new_time' | 'fixed' | 'urgent' | 'late' | 'now'>,
  delay = 0,
) => sql`
  told as (
    insert into notifications (id, user_id, kind, cause, actor_id, subject, created_at)
    select gen_random_uuid(), p.user_id, n.kind, n.cause, n.actor_id, n.subject, ${now}::timestamptz
    from news n, people p
    where ${isAlwaysSent(kind, subject)}::boolean
      or not exists (select 1 from notification_opt_outs q where q.user_id = p.user_id and q.key = n.kind)
    order by p.user_id
    on conflict (user_id, cause, kind) do nothing returning 1),
  noted as (${queueEmails(sql`
    select gen_random_uuid(), p.user_id, n.kind, n.about, n.club_id, n.actor_id,
      (n.payload - 'invited') || case when n.payload->'invited' ? p.user_id::text then '{"invited": true}' else '{}' end::jsonb, n.created_at, now() + make_interval(secs => ${Math.max(delay, late ? 0 : debounceSeconds(kind, urgent))})
    from news n, people p order by p.user_id`)})`;

/** Queues one email per row of `emails`. */
export const queueEmails = (emails: ReturnType<typeof sql>) => sql`
  insert into notification_emails (id, user_id, kind, about, club_id, actor_id, payload, created_at, send_at) ${emails}`;

/** Adds `files.withdrawn` to the email about a removal. */
export const addToRemovalEmail = (user: string, cause: string) => sql`
  update notification_emails n set payload = n.payload || jsonb_build_object('withdrawn', files.withdrawn) from files
  where files.withdrawn is not null
    and n.kind = 'member_removed' and n.about = ${cause} and n.user_id = ${user}`;

/**
 * Notifies the next users of a large audience. Concurrent runs notify each user once, because the remaining users are read
 * again under the lock. Lock order: users before fan-outs.
 */
export async function continueFanOut(db: Db, id: string, now: Instant): Promise<void> {
  const batch = await first(
    db,
    sql<{ next: (string | null)[] }>`
      select actor_id || people[1:${limits.perJob}] as next from notification_fanouts where id = ${id}`,
  );
  const next = sql`${batch?.next ?? []}::uuid[]`;
  await run(db, sql`select from users where id = any(${next}) order by id for key share`);
  const remaining = await first(
    db,
    sql<RemainingAudience>`
      select kind, subject, coalesce((payload->>'urgent')::boolean, false) as urgent, array(select unnest(people) intersect select unnest(${next})) as people
      from notification_fanouts where id = ${id} for update`,
  );
  if (!remaining) return;
  await notifyNext(db, id, { ...remaining, now });
  await run(
    db,
    sql`update notification_fanouts set people = array(select unnest(people) except select unnest(${next}) order by 1)
        where id = ${id}`,
  );
  await run(db, sql`delete from notification_fanouts where id = ${id} and people = '{}'`);
}

interface RemainingAudience {
  kind: Kind;
  subject: Subject;
  urgent: boolean;
  people: string[];
}

/** Users who have left the club in the meantime only get the kinds in `sentToFormerMembers`. */
async function notifyNext(
  db: Db,
  id: string,
  { kind, subject, urgent, people, now }: RemainingAudience & { now: Instant },
): Promise<void> {
  await run(
    db,
    sql`
      with news as materialized (select * from notification_fanouts where id = ${id}),
      people as materialized (
        select u.id as user_id from users u, news n where u.id = any(${people}::uuid[]) and (n.kind in ${sentToFormerMembers}
          or exists (select from members m where m.club_id = n.club_id and m.user_id = u.id))),
      ${fanOut({ ...subject, kind, urgent, now }, fanOutEmailDelay)}
      ${announcement}`,
  );
}

/**
 * Removes a deleted user from pending fan-outs, as recipient and as actor, and what they said about changes from the
 * notifications of others. The words of `lift_changed` are the title of a lift.
 */
export const removeFromNotifications = (db: Db, user: string) =>
  run(
    db,
    sql`with told as (
          update notifications set subject = subject - 'words' where actor_id = ${user} and kind <> 'lift_changed')
        update notification_fanouts set people = array_remove(people, ${user}), actor_id = nullif(actor_id, ${user}),
          subject = case when actor_id = ${user} and kind <> 'lift_changed' then subject - 'words' else subject end,
          payload = case when payload ? 'invited' then jsonb_set(payload, '{invited}', (payload->'invited') - ${user}::text) else payload end
        where actor_id = ${user} or ${user} = any(people)`,
  );

/** A role email states the role that its reader `n.user_id` has when it is rendered. */
const currentRole = sql`case when n.kind <> 'role_changed' then '{}' else coalesce((
  select jsonb_build_object('role', m.club_role) from members m where m.club_id = n.club_id and m.user_id = n.user_id), '{}') end`;

/** Emails of these kinds contain the current event and the current answer of their reader. */
const aboutAnswers = sql`('attending', 'answered_for_you', 'answer_wanted', 'seat_given')`;

/** Whether the answer `a` of the reader is still the one that an email is about. Nobody is told 'no' who goes again. */
const isStillSo = sql`
  case n.kind
    when 'attending' then a.answer = 'going'
    when 'seat_given' then a.answer = 'going'
    when 'answered_for_you' then a.via = 'runner'
    when 'answer_wanted' then case n.payload->>'nudged'
      when 'unconfirmed' then exists (select from ${unconfirmed} as u where u.event_id = a.event_id and u.user_id = a.user_id)
      else coalesce(a.answer, 'silent') = n.payload->>'nudged' end
    when 'unattended' then a.answer is distinct from 'going'
    else true end`;

/**
 * Takes the pending emails of one kind and subject for the next batch of readers, oldest first, and deletes them. Former
 * members only get the kinds in `sentToFormerMembers`. Emails about answers are dropped if the event was cancelled, or
 * the reader no longer attends or has answered themselves since. Answers are locked, so a concurrent answer or leave either commits
 * first or sees that a calendar file was sent.
 */
export async function takePendingEmails(
  db: Db,
  kind: EmailKind,
  about: string,
): Promise<{ pendingEmails: PendingEmail[]; isLast: boolean }> {
  const readers = await all(
    db,
    sql<{ id: string }>`
      select distinct user_id as id from notification_emails where kind = ${kind} and about = ${about}
      order by id limit ${limits.emails}`,
  );
  const next = sql`kind = ${kind} and about = ${about} and user_id = any(${readers.map(({ id }) => id)}::uuid[])`;
  await lockReaders(db, next);
  const rows = await all(
    db,
    sql<PendingEmail>`
      with taken as (delete from notification_emails where ${next} returning *)
      select n.id, n.user_id, n.kind, n.created_at, reader.email, reader.invites_by_mail,
        case when n.payload->'event' is null then n.payload else n.payload || jsonb_build_object('event',
          case when n.kind in ${aboutAnswers} then ${snapshot} else n.payload->'event' end || jsonb_build_object(
            'answer', a.answer, 'via', a.via, 'guests', coalesce(a.guests, 0), 'has_answered', c.user_id is not null, 'in_feed', ${isInFeed},
            'invited', ${wasInvited(sql`(n.payload->'event'->>'id')::uuid`)},
            'reader_changed_at', greatest(c.changed_at, coalesce(m.joined_at, n.created_at)))) end || ${currentRole} || ${filesOfDates} as payload,
        case when u.id is not null then json_build_object('id', u.id, 'first_name', u.first_name, 'last_name', u.last_name) end as actor,
        case when a.attendee_role is distinct from 'organiser' then m.answer_key end as answer_key,
        case when n.kind = 'answer_wanted' then least(e.entry_until_time, e.end_time) end as until,
        exists (select from notification_opt_outs q where q.user_id = n.user_id and q.key = 'email_' || n.kind) as opted_out
      from taken n join users reader on reader.id = n.user_id left join users u on u.id = n.actor_id
      left join members m on m.club_id = n.club_id and m.user_id = n.user_id
      left join events e on n.kind in ${aboutAnswers} and e.id = (n.payload->'event'->>'id')::uuid and e.deleted_at is null
      left join answers a on a.event_id = (n.payload->'event'->>'id')::uuid and a.user_id = n.user_id
      left join answer_changes c on c.event_id = (n.payload->'event'->>'id')::uuid and c.user_id = n.user_id
      where (n.kind in ${sentToFormerMembers} or m.user_id is not null)
        and (n.kind not in ${aboutAnswers} or e.id is not null) and ${isStillSo}
      order by n.created_at, n.payload->'event'->'sequence'`,
  );
  const pendingEmails = rows.map(({ payload: { event, withdrawn, dates, files, ...payload }, ...row }) => ({
    ...row,
    payload: {
      ...payload,
      ...(event && { event: inUtc(event) }),
      ...(withdrawn && { withdrawn: withdrawn.map(inUtc) }),
      ...(dates && { dates: dates.map(inUtc) }),
      ...(files && { files: files.map(inUtc) }),
    },
  }));
  return { pendingEmails, isLast: readers.length < limits.emails };
}

/** Lock order: users, then their memberships, then their answers. */
async function lockReaders(db: Db, which: ReturnType<typeof sql>): Promise<void> {
  const next = sql`(
    select user_id, club_id, (payload->'event'->>'id')::uuid as event_id from notification_emails where ${which}) as n`;
  const [keyShare, share] = [sql`for key share of t`, sql`for share of t`];
  for (const [rows, lock] of [
    [sql`users t join ${next} on t.id = n.user_id`, keyShare],
    [sql`members t join ${next} on t.club_id = n.club_id and t.user_id = n.user_id`, keyShare],
    // A changed answer is an update, which a key share would not hold up.
    [sql`answers t join ${next} on t.event_id = n.event_id and t.user_id = n.user_id`, share],
  ])
    await run(db, sql`select from ${rows} order by n.user_id ${lock}`);
}

type TimestampColumn = 'seen_at' | 'actioned_at';

/**
 * Sets the timestamp once, and sends the notification again to the other windows of its user. Later calls keep it.
 * Undefined for a notification of another user.
 */
export async function setTimestamp(
  db: Db,
  user: string,
  { id, as, now }: { id: string; as: TimestampColumn; now: Instant },
): Promise<Notification | undefined> {
  const column = sql.ref(as);
  const row = await first(
    db,
    sql<Stored>`
      with n as (
        update notifications set ${column} = coalesce(${column}, ${now})
        where id = ${id} and user_id = ${user} returning *)
      select ${columns} from n left join users u on u.id = n.actor_id`,
  );
  if (row?.[as] === now) await run(db, sql`select pg_notify(${notificationsChannel}, ${`${user} ${id}`})`);
  return row && notificationOf(row);
}

export const remove = (db: Db, user: string, id: string) =>
  run(db, sql`delete from notifications where id = ${id} and user_id = ${user}`);

export const clear = (db: Db, user: string) =>
  run(db, sql`delete from notifications where user_id = ${user}`);

export const optOut = (db: Db, user: string, keys: readonly string[]) =>
  run(
    db,
    sql`insert into notification_opt_outs (user_id, key)
        select id, unnest(${keys}::text[]) from users where id = ${user} on conflict do nothing`,
  );

export const optIn = (db: Db, user: string, keys: readonly string[]) =>
  run(db, sql`delete from notification_opt_outs where user_id = ${user} and key = any(${keys}::text[])`);

/** What was announced in the app stays. */
export const discardEmails = (db: Db) => run(db, sql`delete from notification_emails`);

/** Fan-outs this old are left over from jobs that were lost. */
export async function deleteOld(db: Db, before: Instant): Promise<void> {
  await run(db, sql`delete from notifications where created_at < ${before}`);
  await run(db, sql`delete from notification_fanouts where created_at < ${before}`);
}
