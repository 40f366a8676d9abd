import type { RawBuilder } from 'kysely';
import { all, first, sql, type Db } from '#platform/db/client.ts';
import { addSeconds, secondsBetween, type Instant } from '#wire/instant.ts';
import type { Kind, Notification, NudgedList } from '#features/notifications/contract.ts';
import { finalSeconds, notificationOf, type EmailKind, type Stored } from '#features/notifications/rules.ts';

/** The last change of the times of an event `e`, if any. It is here because emails show it too. */
export const lastMove = sql`(
  select * from event_changes
  where event_id = e.id and e.sequence > 0 and undone_at is null and (before ? 'start_time' or before ? 'end_time')
  order by changed_at desc limit 1)`;

const lastAskWhere = (condition: RawBuilder<unknown>) => sql`
  from event_changes where ${condition} and undone_at is null and asked_again order by changed_at desc limit 1`;

/** The last time that people were asked to confirm their answers to an event, if ever. */
export const lastAsk = (event: string) => sql`(select * ${lastAskWhere(sql`event_id = ${sql.ref(event)}`)})`;

/** The last ask about an event, as `ask`. Most events were never edited: nothing is read for them. */
export const withLastAsk = (event = 'e') => sql`
  left join lateral (
    select changed_at as asked_at, actor_id as asked_by, after as asked_about
    ${lastAskWhere(sql`event_id = ${sql.ref(`${event}.id`)} and ${sql.ref(`${event}.sequence`)} > 0`)}) as ask on true`;

/** When an answer was given, or confirmed since. */
export const confirmedAt = (answer: string) =>
  sql`greatest(${sql.ref(`${answer}.answered_at`)}, ${sql.ref(`${answer}.confirmed_at`)})`;

/** The answers of those who may come, but have not confirmed it since they were last asked. */
export const unconfirmed = sql`(
  select a.* from answers a cross join lateral ${lastAsk('a.event_id')} as h
  where a.answer in ('going', 'waiting', 'maybe') and ${confirmedAt('a')} <= h.changed_at
    and a.user_id is distinct from h.actor_id)`;

/** The start of an event `e` before the last change of its times, unless only its end changed. */
export const movedFrom = sql`(select h.before->'start_time' from ${lastMove} as h)`;

/** Changes of events that calendars show as a new time, a new place or a cancellation, by their alias. */
export const inCalendars = (change: string) => sql`(
  ${sql.ref(`${change}.kind`)} = 'cancelled' or ${sql.ref(`${change}.before`)} ?| array['start_time', 'end_time', 'location_name'])`;

/** A calendar that was not fetched for so long is not in use any more. */
export const aliveFor = sql`interval '14 days'`;

/** A fetch shows all changes that are older than this: a change is committed within that time. */
const committedWithin = sql`interval '10 seconds'`;

/** The calendars that show an event `e`: feeds of its club, and personal feeds of members who may come. */
const calendarsWithEvent = sql`(
  select fetched_at from feed_fetches where club_id = e.owner_club_id
  union all
  select f.fetched_at from answers a join members m on m.club_id = e.owner_club_id and m.user_id = a.user_id
  join feed_fetches f on f.user_id = a.user_id and f.club_id is null
  where a.event_id = e.id and a.answer <> 'no')`;

/** Whether a calendar in use shows an event to the reader of an email `n`, a member `m` with the answer `a` or none. */
export const isInFeed = sql`exists (
  select from feed_fetches f
  where f.user_id = n.user_id and m.user_id = n.user_id and f.fetched_at > n.created_at - ${aliveFor}
    and (f.club_id = n.club_id or (f.club_id is null and a.answer <> 'no')))`;

/** Whether the reader of an email `n` was invited to an event by mail. A deleted club has no records of it any more. */
export const wasInvited = (event: ReturnType<typeof sql>) => sql`(
  n.payload ? 'invited'
  or exists (select from calendar_files f where f.user_id = n.user_id and f.event_id = ${event} and f.invited))`;

/**
 * How many of the calendars in use know the last new time, new place or cancellation of an event `e` that has not ended. Null
 * without such a change or such a calendar. One that was fetched before an undo may show what was undone.
 */
export const calendarsThatKnow = (now: Instant) => sql`(
  select json_build_object('about', h.about, 'all', count(*)::int,
    'known', (count(*) filter (where f.fetched_at > h.since + ${committedWithin}))::int)
  from (
    select max(coalesce(undone_at, changed_at)) as since, (array_agg(
      case when kind = 'cancelled' then 'cancelled' when before ?| array['start_time', 'end_time'] then 'time' else 'place' end
      order by changed_at desc, sequence desc) filter (where undone_at is null))[1] as about
    from event_changes c where event_id = e.id and ${inCalendars('c')}) as h
  join ${calendarsWithEvent} as f on f.fetched_at > ${now}::timestamptz - ${aliveFor}
  where h.about is not null and e.end_time > ${now}
  group by h.about, h.since)`;

/**
 * Seconds until the pending emails of this kind and subject may be sent: the last change can't be undone by then. An undo
 * may have waited for locks.
 */
export async function secondsUntilFinal(
  db: Db,
  { kind, about, now }: { kind: EmailKind; about: string; now: Instant },
): Promise<number> {
  if (kind !== 'event_updated') return 0;
  const last = await first(
    db,
    sql<{ created_at: Instant | null }>`
      select max(created_at) as created_at from notification_emails where kind = ${kind} and about = ${about}
        and not payload ? 'late'`,
  );
  return last?.created_at ? secondsBetween(now, addSeconds(last.created_at, finalSeconds)) : 0;
}

/** Columns of a notification `n` whose actor is `u`. */
export const columns = sql`n.id, n.kind, n.created_at, n.seen_at, n.actioned_at, n.subject,
  case when u.id is not null then json_build_object('first_name', u.first_name, 'last_name', u.last_name) end as actor`;

export async function newestOf(db: Db, user: string): Promise<Notification[]> {
  const rows = await all(
    db,
    sql<Stored>`
      select ${columns} from notifications n left join users u on u.id = n.actor_id
      where n.user_id = ${user} order by n.created_at desc, n.id limit 200`,
  );
  return rows.map(notificationOf);
}

/**
 * Unseen notifications of these users that are not known yet, oldest first, from the last `seconds` by the database clock.
 * Most of them are known from the previous call, so the first query only reads ids.
 */
export async function newNotificationsFor(
  db: Db,
  users: readonly string[],
  seconds: number,
  isKnown: (id: string) => boolean,
): Promise<{ user_id: string; message: Notification }[]> {
  const recent = await all(
    db,
    sql<{ id: string }>`
      select id from notifications
      where user_id = any(${users}::uuid[]) and created_at > now() - make_interval(secs => ${seconds})
        and seen_at is null`,
  );
  const ids = recent.map(({ id }) => id).filter((id) => !isKnown(id));
  return ids.length > 0 ? notificationsWith(db, ids) : [];
}

/** These notifications as they are now, with their recipients. */
export async function notificationsWith(
  db: Db,
  ids: readonly string[],
): Promise<{ user_id: string; message: Notification }[]> {
  const rows = await all(
    db,
    sql<Stored & { user_id: string }>`
      select n.user_id, ${columns} from notifications n left join users u on u.id = n.actor_id
      where n.id = any(${ids}::uuid[]) order by n.created_at, n.id`,
  );
  return rows.map(({ user_id, ...row }) => ({ user_id, message: notificationOf(row) }));
}

export async function optedOutKeys(db: Db, user: string): Promise<string[]> {
  const rows = await all(
    db,
    sql<{ key: string }>`select key from notification_opt_outs where user_id = ${user}`,
  );
  return rows.map(({ key }) => key);
}

/** The email payload for the dates of a series. */
export const datesOf = (dates: readonly string[] | undefined) =>
  dates
    ? sql`jsonb_build_object('dates', (
        select jsonb_agg(to_jsonb(d) order by d.start_time, d.id) from events d where d.id = any(${dates}::uuid[])))`
    : sql`'{}'::jsonb`;

/**
 * Those dates of a series whose calendar files the reader `n.user_id` has got, with their answers. All of them when the
 * club is deleted, because the records of files go with the events.
 */
export const filesOfDates = sql`case when n.payload->'dates' is null then '{}' else jsonb_build_object('files', (
  select coalesce(jsonb_agg(d.event || jsonb_build_object('answer', a.answer, 'guests', coalesce(a.guests, 0),
    'has_answered', true, 'in_feed', ${isInFeed}, 'invited', ${wasInvited(sql`(d.event->>'id')::uuid`)}, 'reader_changed_at', greatest(c.changed_at, coalesce(m.joined_at, n.created_at)))
    order by d.event->'start_time', d.event->'id'), '[]')
  from jsonb_array_elements(n.payload->'dates') as d (event)
  left join answers a on a.event_id = (d.event->>'id')::uuid and a.user_id = n.user_id
  left join answer_changes c on c.event_id = (d.event->>'id')::uuid and c.user_id = n.user_id
  where exists (select from calendar_files f where f.event_id = (d.event->>'id')::uuid and f.user_id = n.user_id)
    -- As a "not exists", the planner may read all events for it.
    or (select e.id from events e where e.id = (d.event->>'id')::uuid) is null)) end`;

/** A condition that selects the members `m` of the club to notify, optionally using the event `e`. */
export type Audience = ReturnType<typeof sql<boolean>>;

export const everyMember: Audience = sql`true`;
export const admins: Audience = sql`m.club_role = 200`;
export const onlyMembers = (users: readonly string[]): Audience => sql`m.user_id = any(${users}::uuid[])`;
export const onlyMember = (user: string): Audience => onlyMembers([user]);

/** The members who are asked for their answer: those without one, or with one that leaves it open or is not confirmed. */
export const nudgedMembers: Record<NudgedList, Audience> = {
  silent: sql`not exists (select from answers a where a.event_id = e.id and a.user_id = m.user_id)`,
  maybe: sql`exists (select from answers a where a.event_id = e.id and a.user_id = m.user_id and a.answer = 'maybe')`,
  unconfirmed: sql`exists (select from ${unconfirmed} as a where a.event_id = e.id and a.user_id = m.user_id)`,
};

/** A condition on the event that an answer or a subscription is about. */
type Meant = (event: string) => Audience;

const thisEvent: Meant = (event) => sql`${sql.ref(event)} = e.id`;
const oneOf =
  (dates: readonly string[]): Meant =>
  (event) =>
    sql`${sql.ref(event)} = any(${dates}::uuid[])`;

const followersOf = (isMeant: Meant): Audience => sql`(
  exists (select 1 from answers a where ${isMeant('a.event_id')} and a.user_id = m.user_id and a.answer <> 'no')
  or exists (select 1 from event_followers s where ${isMeant('s.event_id')} and s.user_id = m.user_id)
  or exists (select 1 from time_votes v where ${isMeant('v.event_id')} and v.user_id = m.user_id and v.vote <> 'no'))`;

const withDecliners = (isMeant: Meant): Audience => sql`(${followersOf(isMeant)}
  or exists (select 1 from answers a where ${isMeant('a.event_id')} and a.user_id = m.user_id))`;

/** Those who may come to the event or voted so, and its followers. */
export const followers = followersOf(thisEvent);

/** The same, and those who can't go: the event may suit them now. */
export const followersAndDecliners = withDecliners(thisEvent);

/** Those who may come to one of the events, and their followers. */
export const followersOfDates = (dates: readonly string[]): Audience => followersOf(oneOf(dates));

export const followersAndDeclinersOfDates = (dates: readonly string[]): Audience =>
  withDecliners(oneOf(dates));

/**
 * Members without an answer to the event whose feed of its club is in use, but does not show a change: not those who were
 * told because they may come to one of the `dates` that changed with it, or follow it.
 */
export const silentAndBehind = ({
  kind,
  cause,
  since,
  dates,
  now,
}: {
  kind: Kind;
  cause: string;
  since: Instant;
  dates: readonly string[];
  now: Instant;
}): Audience => sql`(
  (select max(f.fetched_at) > ${now}::timestamptz - ${aliveFor} and max(f.fetched_at) <= ${since}::timestamptz + ${committedWithin}
    from feed_fetches f where f.club_id = m.club_id and f.user_id = m.user_id)
  and not exists (select from answers a where a.event_id = e.id and a.user_id = m.user_id)
  and not exists (select from notifications n where n.user_id = m.user_id and n.cause = ${cause} and n.kind = ${kind})
  and not ${followersOfDates(dates)})`;
