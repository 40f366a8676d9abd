import { all, first, run, sql, type Db } from '#platform/db.ts';
import { addSeconds, instant, type Instant } from '#wire/instant.ts';
import type { Kind, Notification } from '#features/notifications/contract.ts';
import {
  addedFile,
  isAlwaysSent,
  notificationOf,
  secondsToGather,
  settingOf,
  type EmailKind,
  type MailedEvent,
  type Notice,
  type Stored,
  type Subject,
  type WithdrawalKind,
  type Wording,
} from '#features/notifications/rules.ts';
import type { ClubRole } from '#features/users/contract.ts';

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
  /** The member whose role changed, and from which one: their role changes are gathered into one email. */
  old_role?: ClubRole;
  member?: string;
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
 * So many people hear of something in the transaction of it. What a larger circle is to hear is only noted there, and told
 * to so many in one transaction. So many letters are written in one.
 */
const most = { atOnce: 200, told: 1000, written: 500 };
/** Seconds that letters to a large circle wait, so that everybody has been told before the first is written. */
const breath = 10;

/** Letters about these go to whoever has left the club, too. */
const concernAnybody = sql`('event_cancelled', 'member_removed', 'unattended', 'left')`;

/**
 * Tells a circle of members, in the transaction of what happened, and everybody's screen once that commits. Who they are
 * is decided here, also where there are so many that a job tells them.
 */
export async function tell(db: Db, happening: Happening, circle: Circle): Promise<void> {
  if (happening.kind === 'event_cancelled') await takeBack(db, happening.event_id);
  const told = await first(
    db,
    sql<{ count: number }>`
      with news as materialized (${newsOf(happening, circle)}),
      people as materialized (
        select user_id from news, unnest(people) as p (user_id) where cardinality(people) <= ${most.atOnce}),
      later as (insert into unspread_news select * from news where cardinality(people) > ${most.atOnce}),
      ${spread(happening)}
      select count(*) from told`,
  );
  if (told?.count) await announce(db);
}

const announce = (db: Db) => run(db, sql`select pg_notify(${news}, '')`);

/** Whoever hears that it is cancelled need not hear any more how it was changed, nor anybody else that it is planned. */
async function takeBack(db: Db, event: string | undefined): Promise<void> {
  // First what is just being told: its letters are there after that.
  await run(db, sql`delete from unspread_news where event_id = ${event}`);
  await run(db, sql`delete from notices_to_mail where kind = 'event_updated' and about = ${event}`);
}

/** Something that happened as a row of `unspread_news`, with everybody who is to hear of it in the order of their ids. */
function newsOf(happening: Happening, circle: Circle) {
  const { kind, actor, club_id, event_id = null, cause = event_id, gone = false, now } = happening;
  const { moved_to, role, update, before, old_role, member = null } = happening;
  const about = kind === 'event_updated' ? event_id : cause;
  const subject = JSON.stringify({ moved_to, role });
  const more = JSON.stringify({ role, old_role, update, before: before && wordingOf(before) });
  return sql`
    select gen_random_uuid() as id, ${kind}::text as kind, ${cause}::uuid as cause,
      coalesce(md5(c.id::text || ${member}::uuid::text)::uuid, ${about}::uuid) as about,
      c.id as club_id, e.id as event_id, ${actor}::uuid as actor_id,
      array(
        select m.user_id from members m
        where m.club_id = c.id and m.user_id is distinct from ${actor}::uuid and ${circle} order by m.user_id) as people,
      jsonb_strip_nulls(jsonb_build_object('club_name', c.club_name, 'club_slug', c.slug,
        'event_name', e.name, 'event_slug', case when not ${gone}::boolean then e.slug end)) || ${subject}::jsonb as subject,
      ${more}::jsonb || ${clubAndEvent} as happening, ${now}::timestamptz as created_at
    from clubs c left join events e on e.owner_club_id = c.id and e.id = ${event_id}::uuid
    where c.id = ${club_id}`;
}

const clubAndEvent = sql`jsonb_build_object('club_name', c.club_name, 'club_slug', c.slug)
  || case when e.id is null then '{}' else jsonb_build_object('event', to_jsonb(e)) end`;

/**
 * Parts of a statement that tell `people` the `news`, and note for whom there is mail to write; whether they want it is
 * asked when it is written. The order of the rows keeps two of these from waiting for each other.
 */
const spread = ({ kind, moved_to, now }: Pick<Happening, 'kind' | 'moved_to' | 'now'>, wait = 0) => sql`
  told as (
    insert into notifications (id, user_id, kind, cause, actor_id, subject, created_at)
    select gen_random_uuid(), p.user_id, n.kind, n.cause, n.actor_id, n.subject, ${now}::timestamptz
    from news n, people p
    where ${isAlwaysSent(kind, { moved_to })}::boolean
      or not exists (select 1 from muted_notices q where q.user_id = p.user_id and q.key = n.kind)
    order by p.user_id
    on conflict (user_id, cause, kind) do nothing returning 1),
  noted as (
    insert into notices_to_mail (id, user_id, kind, about, club_id, actor_id, happening, created_at, mail_at)
    select gen_random_uuid(), p.user_id, n.kind, n.about, n.club_id, n.actor_id, n.happening, n.created_at, now() + make_interval(secs => ${Math.max(wait, secondsToGather(kind))})
    from news n, people p order by p.user_id)`;

/**
 * Tells the next ones of a large circle. However often this runs at once, everybody is told once: who is still to be told
 * is read again under the lock. Users come before news in the order of locks.
 */
export async function spreadOn(db: Db, id: string, now: Instant): Promise<void> {
  const noted = await first(
    db,
    sql<{ next: (string | null)[] }>`
      select actor_id || people[1:${most.told}] as next from unspread_news where id = ${id}`,
  );
  const next = sql`${noted?.next ?? []}::uuid[]`;
  await run(db, sql`select from users where id = any(${next}) order by id for key share`);
  const still = await first(
    db,
    sql<StillToTell>`
      select kind, subject, array(select unnest(people) intersect select unnest(${next})) as people
      from unspread_news where id = ${id} for update`,
  );
  if (!still) return;
  await tellNext(db, id, { ...still, now });
  await run(
    db,
    sql`update unspread_news set people = array(select unnest(people) except select unnest(${next}) order by 1)
        where id = ${id}`,
  );
  await run(db, sql`delete from unspread_news where id = ${id} and people = '{}'`);
}

interface StillToTell {
  kind: Kind;
  subject: Subject;
  people: string[];
}

/** Whoever has left the club in the meantime hears only what concerns them all the same. */
async function tellNext(
  db: Db,
  id: string,
  { kind, subject, people, now }: StillToTell & { now: Instant },
): Promise<void> {
  const told = await first(
    db,
    sql<{ count: number }>`
      with news as materialized (select * from unspread_news where id = ${id}),
      people as materialized (
        select u.id as user_id from users u, news n where u.id = any(${people}::uuid[]) and (n.kind in ${concernAnybody}
          or exists (select from members m where m.club_id = n.club_id and m.user_id = u.id))),
      ${spread({ kind, moved_to: subject.moved_to, now }, breath)}
      select count(*) from told`,
  );
  if (told?.count) await announce(db);
}

/** What is still to be told neither names somebody any more nor waits for them. */
export const leaveNews = (db: Db, user: string) =>
  run(
    db,
    sql`update unspread_news set people = array_remove(people, ${user}), actor_id = nullif(actor_id, ${user})
        where actor_id = ${user} or ${user} = any(people)`,
  );

/**
 * Who has just signed up for an event gets it by mail as well, a little later: what they asked for is no news to them.
 * Each attendance has a letter of its own, which waits for nobody else's.
 */
export const confirmLater = (
  db: Db,
  event: { id: string; owner_club_id: string },
  user: string,
  now: Instant,
) =>
  run(
    db,
    sql`
      insert into notices_to_mail (id, user_id, kind, about, club_id, happening, created_at, mail_at)
      select gen_random_uuid(), ${user}::uuid, 'attending', md5(e.id::text || ${user}::text)::uuid, c.id, ${clubAndEvent},
        ${now}::timestamptz, now() + make_interval(secs => ${secondsToGather('attending')})
      from events e join clubs c on c.id = e.owner_club_id where e.id = ${event.id}`,
  );

/** Notes which calendar files are emailed to whom, so that they can be withdrawn. */
export function noteFiles(db: Db, mailed: readonly Notice[]) {
  const files = mailed.flatMap((notice) => {
    const event = addedFile(notice);
    return event ? [{ user: notice.user_id, event: event.id, setting: settingOf(notice) }] : [];
  });
  return run(
    db,
    sql`insert into calendar_files (user_id, event_id, setting)
        select * from unnest(${files.map(({ user }) => user)}::uuid[], ${files.map(({ event }) => event)}::uuid[],
          ${files.map(({ setting }) => setting)}::text[])
        on conflict do nothing`,
  );
}

/** Whose files of a club are withdrawn: all, or those of one event. */
interface Withdrawal {
  user_id: string;
  club_id: string;
  event_id?: string;
}

/**
 * Parts of a statement that forget calendar files of somebody, and name as `withdrawn` the events that an email has to
 * withdraw: what is over or cancelled may stay in a calendar. The answers to them have changed before.
 */
const forgetFiles = (
  { user_id, club_id, event_id }: Withdrawal,
  now: Instant,
  isWanted: ReturnType<typeof sql<boolean>>,
) => sql`
  forgotten as (
    delete from calendar_files f using events e
    where f.user_id = ${user_id} and e.id = f.event_id and e.owner_club_id = ${club_id}
      ${event_id ? sql`and e.id = ${event_id}` : sql``}
    returning f.event_id, f.setting),
  files as (
    select jsonb_agg(to_jsonb(e) || jsonb_build_object('reader_changed_at', a.changed_at) order by e.start_time, e.id)
      as withdrawn
    from events e join answer_changes a on a.event_id = e.id and a.user_id = ${user_id}
    where e.deleted_at is null and e.end_time > ${now}
      and exists (select from forgotten f where f.event_id = e.id and ${isWanted}))`;

/**
 * Withdraws the calendar files of the event that somebody unattended, or of the club that they left, unless they have
 * switched off the emails that brought them.
 */
export function emailWithdrawal(db: Db, kind: WithdrawalKind, withdrawal: Withdrawal, now: Instant) {
  const { user_id, club_id, event_id = club_id } = withdrawal;
  const isWanted = sql<boolean>`
    not exists (select from muted_notices q where q.user_id = ${user_id} and q.key = f.setting)`;
  return run(
    db,
    sql`
      with ${forgetFiles(withdrawal, now, isWanted)}
      insert into notices_to_mail (id, user_id, kind, about, club_id, happening, created_at, mail_at)
      select gen_random_uuid(), ${user_id}::uuid, ${kind}::text, md5(${event_id}::text || ${user_id}::text)::uuid, c.id,
        jsonb_build_object('club_name', c.club_name, 'club_slug', c.slug, 'withdrawn', files.withdrawn),
        ${now}::timestamptz, now()
      from files join clubs c on c.id = ${club_id} where files.withdrawn is not null`,
  );
}

/** The email about a removal, which is always sent, withdraws all calendar files of the club. */
export const withdrawWithRemoval = (
  db: Db,
  { cause, ...withdrawal }: Withdrawal & { cause: string },
  now: Instant,
) =>
  run(
    db,
    sql`
      with ${forgetFiles(withdrawal, now, sql`true`)}
      update notices_to_mail n set happening = n.happening || jsonb_build_object('withdrawn', files.withdrawn)
      from files
      where files.withdrawn is not null
        and n.kind = 'member_removed' and n.about = ${cause} and n.user_id = ${withdrawal.user_id}`,
  );

const wordingOf = ({ name, description, details, location_name }: Wording): Wording => ({
  name,
  description,
  details,
  location_name,
});

/** A role email says the role that its reader `n.user_id` has when it is written. */
const currentRole = sql`case when n.kind <> 'role_changed' then '{}' else coalesce((
  select jsonb_build_object('role', m.club_role) from members m where m.club_id = n.club_id and m.user_id = n.user_id), '{}') end`;

/**
 * What is to be mailed of one kind about one thing, oldest first: to the next readers, who may not be the last ones. It is
 * gone from here with the transaction. Who has left the club since hears only what concerns them all the same. Who signed
 * up gets the event as it is by now, if it still takes place and they still attend. Whether they attend is read under a
 * lock, so whoever unattends or leaves comes before or knows that a file was sent.
 */
export async function takeNotices(
  db: Db,
  kind: EmailKind,
  about: string,
): Promise<{ notices: Notice[]; isLast: boolean }> {
  const readers = await all(
    db,
    sql<{ id: string }>`
      select distinct user_id as id from notices_to_mail where kind = ${kind} and about = ${about}
      order by id limit ${most.written}`,
  );
  const next = sql`kind = ${kind} and about = ${about} and user_id = any(${readers.map(({ id }) => id)}::uuid[])`;
  await lockReaders(db, next);
  const rows = await all(
    db,
    sql<Notice>`
      with taken as (delete from notices_to_mail where ${next} returning *)
      select n.id, n.user_id, n.kind, n.created_at, reader.email,
        case when n.happening->'event' is null then n.happening else n.happening || jsonb_build_object('event',
          case when n.kind = 'attending' then to_jsonb(e) else n.happening->'event' end || jsonb_build_object(
            'attends', a.user_id is not null, 'has_answered', c.user_id is not null,
            'reader_changed_at', greatest(c.changed_at, coalesce(m.joined_at, n.created_at)))) end || ${currentRole} as happening,
        case when u.id is not null then json_build_object('id', u.id, 'first_name', u.first_name, 'last_name', u.last_name) end as actor,
        exists (select from muted_notices q where q.user_id = n.user_id and q.key = 'email_' || n.kind) as muted
      from taken n join users reader on reader.id = n.user_id left join users u on u.id = n.actor_id
      left join members m on m.club_id = n.club_id and m.user_id = n.user_id
      left join events e on n.kind = 'attending' and e.id = (n.happening->'event'->>'id')::uuid and e.deleted_at is null
      left join attendances a on a.event_id = (n.happening->'event'->>'id')::uuid and a.user_id = n.user_id
      left join answer_changes c on c.event_id = (n.happening->'event'->>'id')::uuid and c.user_id = n.user_id
      where n.kind in ${concernAnybody}
        or m.user_id is not null and (n.kind <> 'attending' or e.id is not null and a.user_id is not null)
      order by n.created_at, n.happening->'event'->'sequence'`,
  );
  const notices = rows.map(({ happening: { event, withdrawn, ...happening }, ...row }) => ({
    ...row,
    happening: {
      ...happening,
      ...(event && { event: inUtc(event) }),
      ...(withdrawn && { withdrawn: withdrawn.map(inUtc) }),
    },
  }));
  return { notices, isLast: readers.length < most.written };
}

/** Users come first, as everywhere; then their memberships and attendances, in the order of their ids. */
async function lockReaders(db: Db, which: ReturnType<typeof sql>): Promise<void> {
  await run(
    db,
    sql`select from users where id in (select user_id from notices_to_mail where ${which}) order by id for key share`,
  );
  await run(
    db,
    sql`select from members where (club_id, user_id) in (select club_id, user_id from notices_to_mail where ${which})
        order by user_id for key share`,
  );
  await run(
    db,
    sql`select from attendances where (event_id, user_id) in (
          select (happening->'event'->>'id')::uuid, user_id from notices_to_mail where ${which})
        order by user_id for key share`,
  );
}

/** Inside JSON the database writes moments in its own way. */
const inUtc = (event: MailedEvent): MailedEvent => ({
  ...event,
  start_time: utc(event.start_time),
  end_time: utc(event.end_time),
  created_at: utc(event.created_at),
  updated_at: utc(event.updated_at),
  deleted_at: event.deleted_at && utc(event.deleted_at),
  reader_changed_at: event.reader_changed_at && utc(event.reader_changed_at),
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

/**
 * What is new for some users, unseen and not known, oldest first, from the last `seconds` by the clock of the database.
 * Most of it is known from the look before, so what it says is read only of the others.
 */
export async function newsFor(
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
  if (ids.length === 0) return [];
  const rows = await all(
    db,
    sql<Stored & { user_id: string }>`
      select n.user_id, ${columns} from notifications n left join users u on u.id = n.actor_id
      where n.id = any(${ids}::uuid[]) order by n.created_at, n.id`,
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

/** News that are so old have lost the job that was to tell them. */
export async function forgetOld(db: Db, before: Instant): Promise<void> {
  for (const table of ['notifications', 'unspread_news'])
    await run(db, sql`delete from ${sql.table(table)} where created_at < ${before}`);
}
