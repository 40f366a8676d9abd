import { randomUUID } from 'node:crypto';
import { all, first, run, sql, type Db } from '#platform/db/client.ts';
import type { Actor } from '#platform/context.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { fail, failIf } from '#wire/errors.ts';
import { eventInClub, type RunnerOf, type ViewerContext } from '#features/events/access.ts';
import { secondsToWrite } from '#features/events/form-rules.ts';
import { postColumns } from '#features/events/post-queries.ts';
import { isPlanner, isRunner, type MemberOf, type PlannerOf } from '#features/members/rules.ts';
import { asMember, lockClub } from '#features/members/store.ts';
import type { ListedUpdate, Message, MessageList, Update } from '#features/updates/contract.ts';
import { readersOf } from '#features/updates/read-queries.ts';
import { whyCannotChange, type EditorOf, type WriterOf } from '#features/updates/rules.ts';

/**
 * Checks that the user may change the update, or the message about an event. Locks the club and the post, to serialise
 * concurrent changes.
 */
export async function asEditor(
  db: Db,
  viewer: ViewerContext,
  club: string,
  update: string,
): Promise<EditorOf> {
  const member = await asMember(db, viewer.user, await lockClub(db, club));
  const found = await first(
    db,
    sql<Omit<EditorOf, symbol> & Pick<Update, 'creator_id'> & { event_id: string | null }>`
      select club_id, id as update_id, version, creator_id, event_id from posts
      where id = ${update} and club_id = ${member.club_id} for update`,
  );
  if (!found) fail('not_found');
  const { creator_id, event_id, ...editor } = found;
  const event = event_id === null ? undefined : await eventInClub(db, viewer, event_id);
  const changesAll = event ? isRunner(event, event) : isPlanner(member);
  failIf(whyCannotChange({ user_id: member.user_id, changesAll }, { creator_id }));
  return editor as EditorOf;
}

/**
 * Checks that the user is a planner of the club, the author of one of its posts, or the host of one of its events about
 * which messages can be written.
 */
export async function asWriter(db: Db, user: Actor, club: string, now: Instant): Promise<WriterOf> {
  const member = await asMember(db, user, club);
  const { club_id } = member;
  const isAuthor = sql`exists (select from posts where club_id = ${club_id} and creator_id = ${user.id})`;
  const isHost = sql`exists (
    select from answers a join events e on e.id = a.event_id
    where a.user_id = ${user.id} and a.host_no is not null and e.owner_club_id = ${club_id}
      and e.end_time > ${addSeconds(now, -secondsToWrite)})`;
  if (!isPlanner(member) && !(await first(db, sql`select 1 where ${isAuthor} or ${isHost}`)))
    fail('not_author');
  return { club_id } as WriterOf;
}

/** The content of an update. */
type Content = Pick<Update, 'content'> & { pictures: readonly string[] };

/**
 * Called with the pictures chosen for an update. `app/features.ts` registers listeners of features that this one cannot
 * import.
 */
export const onPicturesChosen: ((
  db: Db,
  chosen: { club_id: string; update_id: string; pictures: readonly string[] },
) => Promise<unknown>)[] = [];

async function choosePictures(db: Db, chosen: Parameters<(typeof onPicturesChosen)[number]>[1]) {
  if (onPicturesChosen.length === 0) throw new Error('app/features.ts is not loaded');
  for (const listener of onPicturesChosen) await listener(db, chosen);
}

export const addUpdate = (
  db: Db,
  { club_id, user_id }: PlannerOf,
  { important = false, ...content }: Content & { important?: boolean | undefined },
  now: Instant,
): Promise<string> => addPost(db, { club_id, user_id, event_id: null, to: null, important }, content, now);

/** Adds a message about an event, by one of its runners, to the members on these lists. */
export const addMessage = (
  db: Db,
  { id: event_id, owner_club_id: club_id }: RunnerOf,
  user_id: string,
  { to, ...content }: Content & { to: readonly MessageList[] },
  now: Instant,
): Promise<string> => addPost(db, { club_id, user_id, event_id, to, important: false }, content, now);

interface Origin {
  club_id: string;
  user_id: string;
  event_id: string | null;
  to: readonly MessageList[] | null;
  important: boolean;
}

async function addPost(
  db: Db,
  { club_id, user_id, event_id, to, important }: Origin,
  { content, pictures }: Content,
  now: Instant,
): Promise<string> {
  const update_id = randomUUID();
  await run(
    db,
    sql`insert into posts (id, club_id, creator_id, content, created_at, event_id, audience, important)
        values (${update_id}, ${club_id}, ${user_id}, ${content}, ${now}, ${event_id}, ${to}, ${important})`,
  );
  if (pictures.length > 0) await choosePictures(db, { club_id, update_id, pictures });
  return update_id;
}

/** Changes the given fields. Returns whether anything changed; if nothing did, the update is not marked as edited. */
export async function changeUpdate(
  db: Db,
  { club_id, update_id }: EditorOf,
  { content = null, pictures = null }: { [Key in keyof Content]?: Content[Key] | undefined | null },
  now: Instant,
): Promise<boolean> {
  const shown = sql`array(select name from pictures p where p.update_id = new.id order by p.position)`;
  const changed = await run(
    db,
    sql`update posts new
        set content = coalesce(${content}, content), version = version + 1, edited_at = ${now}
        where id = ${update_id} and (content <> ${content}::text or ${shown} <> ${pictures}::text[])`,
  );
  if (changed > 0 && pictures) await choosePictures(db, { club_id, update_id, pictures });
  return changed > 0;
}

/** Deletes an update or a message; a foreign key cascades to its pictures. */
export const deleteUpdate = (db: Db, { update_id }: EditorOf) =>
  run(db, sql`delete from posts where id = ${update_id}`);

/** An update of a club, whose `to` is null, or a message about an event. */
export async function postById(db: Db, id: string): Promise<Message> {
  const post = await first(
    db,
    sql<Message>`
      select ${postColumns({ post: 'p', creator: 'u' })}, p.audience as "to"
      from posts p left join users u on u.id = p.creator_id where p.id = ${id}`,
  );
  return post ?? fail('not_found');
}

/** The newest updates of a club as a member sees them, newest first. Planners see how many have read important ones. */
export async function newest(db: Db, member: MemberOf, limit: number): Promise<ListedUpdate[]> {
  const found = await all(
    db,
    sql<ListedUpdate>`
      select ${postColumns({ post: 'new', creator: 'u' })}, r.read_at as my_read_at, n.read_count, n.reader_count
      from club_updates new left join users u on u.id = new.creator_id
      left join update_reads r on r.update_id = new.id and r.user_id = ${member.user_id}
      left join lateral (
        select count(read_at)::int as read_count, count(*)::int as reader_count
        from (${readersOf(sql`new.id`)}) as reader where ${isPlanner(member)}::boolean) as n on true
      where new.club_id = ${member.club_id} order by new.created_at desc, new.id limit ${limit}`,
  );
  return found.map(({ read_count, reader_count, ...update }) =>
    update.important && isPlanner(member) ? { ...update, read_count, reader_count } : update,
  );
}

export const newestOf = (club_id: unknown, limit: number) =>
  sql<Update>`
    select ${postColumns({ post: 'new', creator: 'u' })}
    from club_updates new left join users u on u.id = new.creator_id
    where new.club_id = ${club_id} order by new.created_at desc, new.id limit ${limit}`;

/**
 * Records that a member has read an important update. Returns the first time, which a repetition keeps. The update and
 * the membership are locked against deletion.
 */
export async function markRead(
  db: Db,
  { club_id, user_id }: Pick<MemberOf, 'club_id' | 'user_id'>,
  update: string,
  via: 'app' | 'link',
  now: Instant,
): Promise<Instant> {
  const found = await first(
    db,
    sql<Pick<Update, 'important'>>`
      select important from posts where id = ${update} and club_id = ${club_id} and event_id is null for key share`,
  );
  if (!found) fail('not_found');
  if (!found.important) fail('not_important');
  await run(
    db,
    sql`insert into update_reads (update_id, user_id, read_at, via)
        select ${update}::uuid, user_id, ${now}::timestamptz, ${via}::text
        from members where club_id = ${club_id} and user_id = ${user_id} for key share
        on conflict do nothing`,
  );
  const read = await first(
    db,
    sql<{ read_at: Instant }>`
      select read_at from update_reads where update_id = ${update} and user_id = ${user_id}`,
  );
  return read?.read_at ?? fail('not_found');
}

/** Records a reminder of an important update. Returns how many there have been. The club must be locked. */
export async function addReminder(db: Db, update: string, now: Instant): Promise<number> {
  const added = await first(
    db,
    sql<{ reminders: number }>`
      insert into update_reminders as r (update_id, reminded_at, reminders)
      select id, ${now}::timestamptz, 1 from posts where id = ${update} for key share
      on conflict (update_id) do update set reminded_at = excluded.reminded_at, reminders = r.reminders + 1
      returning reminders`,
  );
  return added?.reminders ?? fail('not_found');
}
