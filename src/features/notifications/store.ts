import { all, first, run, sql, type Db } from '#platform/db.ts';
import { addSeconds, instant, type Instant } from '#wire/instant.ts';
import type { Kind, MailKind, Notification } from '#features/notifications/contract.ts';
import {
  isAlwaysSent,
  notificationOf,
  secondsToGather,
  type MailedEvent,
  type Notice,
  type Stored,
  type Subject,
  type Wording,
} from '#features/notifications/rules.ts';

const day = 24 * 60 * 60;

/** The channel on which every process hears that somebody has a new notification. */
export const news = 'muster_news';

/** Something that happened in a club. */
export interface Happening extends Pick<Subject, 'moved_to' | 'role'> {
  kind: Kind;
  /** Who did it, and so is not told. */
  actor: string | null;
  club_id: string;
  event_id?: string;
  /** Told apart by this, what may happen again is told again. Without it, an event tells each kind once. */
  cause?: string;
  /** The event is being deleted: nothing will be left to open. */
  gone?: boolean;
  /** How an event read before it was changed. */
  before?: Wording;
  /** What an update says. */
  update?: string;
  now: Instant;
}

/** Which members `m` of the club hear of something, perhaps about the event `e`. */
type Circle = ReturnType<typeof sql<boolean>>;

export const everyMember: Circle = sql`true`;
export const admins: Circle = sql`m.club_role = 200`;
export const onlyMember = (user: string): Circle => sql`m.user_id = ${user}`;

/** Those who attend the event, or subscribed to it. */
export const followers: Circle = sql`(
  exists (select 1 from attendances a where a.event_id = e.id and a.user_id = m.user_id)
  or exists (select 1 from subscriptions s where s.event_id = e.id and s.user_id = m.user_id))`;

/**
 * Tells a circle of members, in the transaction of what happened, and everybody's screen once that commits. The order
 * of the rows keeps two of these from waiting for each other.
 */
export async function tell(db: Db, happening: Happening, circle: Circle): Promise<void> {
  const { kind, actor, club_id, event_id, cause, gone = false, now, ...rest } = happening;
  const more = JSON.stringify({ moved_to: rest.moved_to, role: rest.role });
  const told = await run(
    db,
    sql`
      insert into notifications (id, user_id, kind, cause, actor_id, subject, created_at)
      select gen_random_uuid(), m.user_id, ${kind}, coalesce(${cause ?? null}::uuid, e.id), ${actor}::uuid,
        jsonb_strip_nulls(jsonb_build_object('club_name', c.club_name, 'club_slug', c.slug,
          'event_name', e.name, 'event_slug', case when not ${gone}::boolean then e.slug end)) || ${more}::jsonb,
        ${now}::timestamptz
      from clubs c
      join members m on m.club_id = c.id
      left join events e on e.owner_club_id = c.id and e.id = ${event_id ?? null}::uuid
      where c.id = ${club_id} and m.user_id is distinct from ${actor}::uuid and ${circle}
        and (${isAlwaysSent(kind, rest)}::boolean
          or not exists (select 1 from muted_notices n where n.user_id = m.user_id and n.key = ${kind}))
      order by m.user_id
      on conflict (user_id, cause, kind) do nothing`,
  );
  if (told > 0) await run(db, sql`select pg_notify(${news}, '')`);
  await mailLater(db, happening, circle);
}

/** Who has just signed up for an event gets it by mail as well, a little later: what they asked for is no news to them. */
export const confirmLater = (
  db: Db,
  event: { id: string; owner_club_id: string },
  user: string,
  now: Instant,
): Promise<void> =>
  mailLater(
    db,
    { kind: 'attending', actor: null, club_id: event.owner_club_id, event_id: event.id, now },
    onlyMember(user),
  );

/** Notes for whom there is mail to write; whether they want it is asked when it is written. */
async function mailLater(
  db: Db,
  happening: Omit<Happening, 'kind'> & { kind: MailKind },
  circle: Circle,
): Promise<void> {
  const { kind, actor, club_id, event_id = null, cause, before, update, role, now } = happening;
  const about = (kind === 'event_updated' ? event_id : cause) ?? event_id;
  const own = kind === 'attending';
  const more = JSON.stringify({ role, update, before: before && wordingOf(before) });
  // Whoever hears that it is cancelled need not hear any more how it was changed.
  if (kind === 'event_cancelled')
    await run(db, sql`delete from notices_to_mail where kind = 'event_updated' and about = ${about}::uuid`);
  await run(
    db,
    sql`
      insert into notices_to_mail (id, user_id, kind, about, club_id, actor_id, happening, created_at, mail_at)
      select gen_random_uuid(), m.user_id, ${kind}, ${own ? attendanceOf : sql`${about}::uuid`}, c.id, ${actor}::uuid,
        ${more}::jsonb || jsonb_build_object('club_name', c.club_name, 'club_slug', c.slug) ||
          case when e.id is null then '{}' else jsonb_build_object('event', to_jsonb(e) || jsonb_build_object('attends',
            exists (select from attendances a where a.event_id = e.id and a.user_id = m.user_id))) end,
        ${now}::timestamptz, now() + make_interval(secs => ${secondsToGather(kind)})
      from clubs c
      join members m on m.club_id = c.id
      left join events e on e.owner_club_id = c.id and e.id = ${event_id}::uuid
      where c.id = ${club_id} and m.user_id is distinct from ${actor}::uuid and ${circle}
      order by m.user_id`,
  );
}

/** Each attendance has a letter of its own, which waits for nobody else's. */
const attendanceOf = sql`md5(e.id::text || m.user_id::text)::uuid`;

const wordingOf = ({ name, description, details, location_name }: Wording): Wording => ({
  name,
  description,
  details,
  location_name,
});

/**
 * What is to be mailed of one kind about one thing, oldest first. It is gone from here with the transaction. Who has
 * left the club since hears only what concerns them all the same. Who signed up gets the event as it is by now, if it
 * still takes place and they still attend.
 */
export async function takeNotices(db: Db, kind: MailKind, about: string): Promise<Notice[]> {
  const rows = await all(
    db,
    sql<Notice>`
      with taken as (delete from notices_to_mail where kind = ${kind} and about = ${about} returning *)
      select n.id, n.user_id, n.kind, n.created_at, reader.email,
        n.happening || case when a.user_id is null then '{}' else jsonb_build_object('event', to_jsonb(e) || '{"attends": true}') end as happening,
        case when u.id is not null then json_build_object('id', u.id, 'first_name', u.first_name, 'last_name', u.last_name) end as actor,
        exists (select from muted_notices q where q.user_id = n.user_id and q.key = 'email_' || n.kind) as muted
      from taken n join users reader on reader.id = n.user_id left join users u on u.id = n.actor_id
      left join events e on n.kind = 'attending' and e.id = (n.happening->'event'->>'id')::uuid and e.deleted_at is null
      left join attendances a on a.event_id = e.id and a.user_id = n.user_id
      where n.kind in ('event_cancelled', 'member_removed')
        or exists (select from members m where m.club_id = n.club_id and m.user_id = n.user_id)
          and (n.kind <> 'attending' or a.user_id is not null)
      order by n.created_at, n.happening->'event'->'sequence'`,
  );
  return rows.map(({ happening, ...row }) => ({
    ...row,
    happening: happening.event ? { ...happening, event: inUtc(happening.event) } : happening,
  }));
}

/** Inside JSON the database writes moments in its own way. */
const inUtc = (event: MailedEvent): MailedEvent => ({
  ...event,
  start_time: utc(event.start_time),
  end_time: utc(event.end_time),
  created_at: utc(event.created_at),
  updated_at: utc(event.updated_at),
  deleted_at: event.deleted_at && utc(event.deleted_at),
});
const utc = (moment: string): Instant => instant(Date.parse(moment));

/** Reminds those who attend what starts within a day, but for those who signed up since: they know. */
export async function remindAttendees(db: Db, now: Instant): Promise<void> {
  const due = await all(
    db,
    sql<{ event_id: string; club_id: string }>`
      update events set reminded_at = ${now}
      where reminded_at is null and deleted_at is null
        and start_time > ${now} and start_time <= ${addSeconds(now, day)}
      returning id as event_id, owner_club_id as club_id`,
  );
  const inTime = sql<boolean>`exists (
    select 1 from attendances a
    where a.event_id = e.id and a.user_id = m.user_id and a.attended_at < e.start_time - interval '24 hours')`;
  for (const event of due) await tell(db, { kind: 'event_reminder', actor: null, ...event, now }, inTime);
}

/** Columns of a notification `n` whose actor is `u`. */
const columns = sql`n.id, n.kind, n.created_at, n.seen_at, n.actioned_at, n.subject,
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

/** What is new for some users and unseen, oldest first, from the last `seconds` by the clock of the database. */
export async function newsFor(
  db: Db,
  users: readonly string[],
  seconds: number,
): Promise<{ user_id: string; message: Notification }[]> {
  const rows = await all(
    db,
    sql<Stored & { user_id: string }>`
      select n.user_id, ${columns} from notifications n left join users u on u.id = n.actor_id
      where n.user_id = any(${users}::uuid[]) and n.created_at > now() - make_interval(secs => ${seconds})
        and n.seen_at is null
      order by n.created_at, n.id`,
  );
  return rows.map(({ user_id, ...row }) => ({ user_id, message: notificationOf(row) }));
}

type Mark = 'seen_at' | 'actioned_at';

/** The first time counts. Of somebody else's notification there is nothing to mark. */
export async function mark(
  db: Db,
  user: string,
  { id, as, now }: { id: string; as: Mark; now: Instant },
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
  return row && notificationOf(row);
}

export const remove = (db: Db, user: string, id: string) =>
  run(db, sql`delete from notifications where id = ${id} and user_id = ${user}`);

export const clear = (db: Db, user: string) =>
  run(db, sql`delete from notifications where user_id = ${user}`);

export async function mutedKeys(db: Db, user: string): Promise<string[]> {
  const rows = await all(db, sql<{ key: string }>`select key from muted_notices where user_id = ${user}`);
  return rows.map(({ key }) => key);
}

export const mute = (db: Db, user: string, keys: readonly string[]) =>
  run(
    db,
    sql`insert into muted_notices (user_id, key)
        select id, unnest(${keys}::text[]) from users where id = ${user} on conflict do nothing`,
  );

export const unmute = (db: Db, user: string, keys: readonly string[]) =>
  run(db, sql`delete from muted_notices where user_id = ${user} and key = any(${keys}::text[])`);

export const forgetOld = (db: Db, before: Instant) =>
  run(db, sql`delete from notifications where created_at < ${before}`);
