import { all, first, sql, type Db } from '#platform/db/client.ts';
import { lookOf, type StoredLook } from '#platform/db/look.ts';
import { keyIn, pageOf, rowsForPage } from '#platform/db/pagination.ts';
import { behindName, byName, NameKey } from '#features/members/list-queries.ts';
import type { MemberOf } from '#features/members/rules.ts';
import { fail } from '#wire/errors.ts';
import type { Instant } from '#wire/instant.ts';
import type { LinkedUpdate, ReadCounts, Update, UpdateReader } from '#features/updates/contract.ts';

/**
 * SQL: the members who are asked to read an important update, and when they did: rows of `user_id` and `read_at`. They
 * joined before it was published, and its author is not one of them.
 */
export const readersOf = (update: unknown) => sql`
  select m.user_id, r.read_at from posts p join members m on m.club_id = p.club_id
  left join update_reads r on r.update_id = p.id and r.user_id = m.user_id
  where p.id = ${update} and p.important and m.joined_at < p.created_at and m.user_id is distinct from p.creator_id`;

/** A query for the members who have not read an important update: rows of `user_id`. */
export const unreadBy = (update: string) =>
  sql`select user_id from (${readersOf(update)}) as r where read_at is null`;

/** When a member read the newest update of a club. `club` and `user` are id columns. */
export const latestReadAt = (club: string, user: string) => sql`(
  select r.read_at from update_reads r where r.user_id = ${sql.ref(user)} and r.update_id = (
    select n.id from club_updates n where n.club_id = ${sql.ref(club)} order by n.created_at desc, n.id limit 1))`;

/** How many members have read an important update of the club. `others` leaves out the viewer. */
export async function readCounts(
  db: Db,
  { club_id, user_id }: MemberOf,
  update: string,
): Promise<ReadCounts> {
  const found = await first(
    db,
    sql<ReadCounts & Pick<Update, 'important'>>`
      select shown.important, n.read_count, n.reader_count, n.others, coalesce(r.reminders, 0) as reminders, r.reminded_at
      from club_updates shown left join update_reminders r on r.update_id = shown.id
      cross join lateral (
        select count(read_at)::int as read_count, count(*)::int as reader_count,
          count(*) filter (where read_at is null and user_id <> ${user_id})::int as others
        from (${readersOf(sql`shown.id`)}) as reader) as n
      where shown.id = ${update} and shown.club_id = ${club_id}`,
  );
  if (!found) fail('not_found');
  const { important, ...counts } = found;
  return important ? counts : fail('not_important');
}

/** One page of the members who have read an important update, or of those who have not, ordered by name. */
export async function pageOfReaders(
  db: Db,
  update: string,
  { state, after }: { state: 'read' | 'unread'; after?: string | undefined },
): Promise<{ readers: UpdateReader[]; more: string | null }> {
  const behind = behindName('u', keyIn(NameKey, after));
  const found = await all(
    db,
    sql<UpdateReader>`
      select u.id, u.first_name, u.last_name, u.profile_picture_url, r.read_at
      from (${readersOf(update)}) as r join users u on u.id = r.user_id
      where (r.read_at is not null) = ${state === 'read'} ${behind}
      order by ${byName('u')} limit ${rowsForPage}`,
  );
  const { rows, more } = pageOf(found, ({ first_name, last_name, id }) => [first_name, last_name, id]);
  return { readers: rows, more };
}

/** When the oldest of the newest `count` important updates since `since` was published. Undefined if there are fewer. */
export async function importantSince(
  db: Db,
  { club_id }: MemberOf,
  { since, count }: { since: Instant; count: number },
): Promise<Instant | undefined> {
  const found = await first(
    db,
    sql<{ created_at: Instant }>`
      select created_at from club_updates where club_id = ${club_id} and important and created_at > ${since}
      order by created_at desc offset ${count - 1} limit 1`,
  );
  return found?.created_at;
}

/** The update that a read link is about, for the member whose link it is. */
export interface UpdateOfLink extends Omit<LinkedUpdate, 'first_line' | 'reader'> {
  id: string;
  user_id: string;
  content: string;
  answer_key: string;
  look: StoredLook;
}

/** The important update of a link, and the time. Without `link`, there is no such update or membership. */
export async function findReadLink(
  db: Db,
  [user, update]: readonly [string | null, string | null],
  clockOffset = 0,
): Promise<{ now: Instant; link?: UpdateOfLink }> {
  const row = await first(
    db,
    sql<{ now: Instant } & (UpdateOfLink | { id: null })>`
      select clock.now, p.id, p.content, p.created_at, c.id as club_id, c.club_name, c.slug as club_slug, m.user_id,
        m.answer_key, ${lookOf('u')} as look, r.read_at as my_read_at
      from (select now() + make_interval(secs => ${clockOffset}) as now) as clock
      left join (club_updates p join clubs c on c.id = p.club_id join members m on m.club_id = c.id
        join users u on u.id = m.user_id) on p.id = ${update} and p.important and m.user_id = ${user}
      left join update_reads r on r.update_id = p.id and r.user_id = m.user_id`,
  );
  const { now, ...link } = row as { now: Instant } & (UpdateOfLink | { id: null });
  return link.id === null ? { now } : { now, link };
}

/** What a notice about an important update shows to a reader. */
export interface ImportantUpdate {
  my_read_at: Instant | null;
  /** The secret of the reader's links. Null if they are not a member. */
  answer_key: string | null;
}

/** The important update of each recipient's notice. For `limit 1`, see `eventsForMembers`. */
export const importantUpdatesFor = (
  db: Db,
  recipients: readonly { user_id: string; facts: { update_id: string } }[],
): Promise<ImportantUpdate[]> =>
  all(
    db,
    sql<ImportantUpdate>`
      select r.read_at as my_read_at, m.answer_key
      from unnest(${recipients.map(({ user_id }) => user_id)}::uuid[], ${recipients.map(({ facts }) => facts.update_id)}::uuid[])
        with ordinality as wanted (user_id, update_id, nth)
      left join club_updates p on p.id = wanted.update_id
      left join lateral (
        select answer_key from members where club_id = p.club_id and user_id = wanted.user_id limit 1) as m on true
      left join lateral (
        select read_at from update_reads where update_id = p.id and user_id = wanted.user_id limit 1) as r on true
      order by wanted.nth`,
  );
