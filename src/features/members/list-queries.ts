import { z } from 'zod';
import { all, sql, type Db } from '#platform/db/client.ts';
import { keyIn, pageOf, pageSize, rowsForPage } from '#platform/db/pagination.ts';
import { firstLine, storedSearchText } from '#platform/db/search-text.ts';
import { isEmailRefused } from '#platform/notices/deliveries.ts';
import { byText, containsAll, foldCase } from '#platform/db/text.ts';
import { searchedUsers } from '#platform/db/users.ts';
import type { Instant } from '#wire/instant.ts';
import { searchWords } from '#wire/search-text.ts';
import { storableText } from '#wire/text.ts';
import { phonesSeenBy } from '#features/members/contact-queries.ts';
import type { Member, MemberForAdmin } from '#features/members/contract.ts';
import type { AdminOf, MemberOf } from '#features/members/rules.ts';
import { ClubRole } from '#features/users/contract.ts';

/** The order of users by name; users without a first name come last. */
export function byName(user: string) {
  const u = sql.ref(user);
  return sql`${u}.first_name = '', ${byText(sql`${u}.first_name`)}, ${byText(sql`${u}.last_name`)}, ${u}.id`;
}

const Name = storableText(200);
export const NameKey = z.tuple([Name, Name, z.guid()]);
const Key = z.tuple([ClubRole, Name, Name, z.guid()]);
type Key = z.infer<typeof Key>;

const keyOf = ({ club_role, first_name, last_name, id }: Member): Key => [
  club_role,
  first_name,
  last_name,
  id,
];
const nameIn = ([first_name, last_name, id]: z.infer<typeof NameKey>) =>
  sql`${first_name}::text = '', ${byText(sql`${first_name}::text`)}, ${byText(sql`${last_name}::text`)}, ${id}::uuid`;

const withoutRole = ([, ...name]: Key) => name;

/** The SQL condition that selects the users after the cursor in a list ordered by name. */
export const behindName = (user: string, key: z.infer<typeof NameKey> | undefined) =>
  key ? sql`and (${byName(user)}) > (${nameIn(key)})` : sql``;

interface MemberFilter {
  /** Words that match literally, without wildcards. */
  q?: string;
  section?: string | undefined;
  after?: string | undefined;
}

const inSection = (member: string, section: string | undefined) =>
  section ? sql`and ${section}::uuid = any(${sql.ref(member)}.section_ids)` : sql``;

/**
 * The members of a club whose names contain the words, admins first. Reads one row more than a page holds, to tell
 * whether there is a next page.
 */
export function membersOf(club_id: unknown, { q = '', section, after }: MemberFilter = {}) {
  const key = keyIn(Key, after);
  const words = searchWords(q);
  const named =
    words.length > 0
      ? sql`and ${containsAll(firstLine(storedSearchText(searchedUsers, 'u')), words)}`
      : sql``;
  const afterCursor = key
    ? sql`and (-m.club_role, ${byName('u')}) > (${-key[0]}::int, ${nameIn(withoutRole(key))})`
    : sql``;
  return sql<Member>`
    select u.id, u.first_name, u.last_name, u.profile_picture_url, m.club_role, m.section_ids
    from members m join users u on u.id = m.user_id
    where m.club_id = ${club_id} ${inSection('m', section)} ${afterCursor} ${named}
    order by -m.club_role, ${byName('u')} limit ${rowsForPage}`;
}

/** One page of members and the cursor of the next page. */
export function firstPage<Row extends Member>(
  read: readonly Row[],
  size?: number,
): { members: Row[]; more: string | null } {
  const { rows, more } = pageOf(read, keyOf, size);
  return { members: rows, more };
}

export const pageOfMembers = async (db: Db, { club_id }: MemberOf, filter?: MemberFilter) =>
  firstPage(await all(db, membersOf(club_id, filter)));

/** The members of a club, ordered by name, so that a row keeps its position when the role changes. */
export function membersForAdmin(
  club_id: string,
  { q = '', section, after, size = pageSize, now }: MemberFilter & { size?: number; now: Instant },
) {
  const key = keyIn(Key, after);
  const words = searchWords(q);
  const afterCursor = behindName('u', key && withoutRole(key));
  return sql<MemberForAdmin>`
    select u.id, u.first_name, u.last_name, u.profile_picture_url, m.club_role, m.section_ids, u.user_name, u.email,
      ${isEmailRefused('u.id', now)} as email_refused, c.club_name
    from members m join users u on u.id = m.user_id join clubs c on c.id = m.club_id
    where m.club_id = ${club_id} ${inSection('m', section)} ${afterCursor}
      and ${containsAll(sql`concat_ws(' ', ${storedSearchText(searchedUsers, 'u')}, ${foldCase(sql`u.email`)})`, words)}
    order by ${byName('u')} limit ${size + 1}`;
}

/** A member in the file that admins download. */
export interface ListedMember extends Pick<
  MemberForAdmin,
  'first_name' | 'last_name' | 'email' | 'club_role'
> {
  sections: string[];
  joined_at: Instant;
  /** Empty if the member shows it to nobody. */
  phone: string;
}

/** The names of these sections in their order, as an array of text. */
export const sectionNames = (ids: string) =>
  sql`array(select s.name from sections s where s.id = any(${sql.ref(ids)}) order by s.position)`;

/** All members of a club, ordered by name. */
export const allMembers = (db: Db, admin: AdminOf, now: Instant): Promise<ListedMember[]> =>
  all(
    db,
    sql<ListedMember>`
      select u.first_name, u.last_name, u.email, m.club_role, ${sectionNames('m.section_ids')} as sections, m.joined_at,
        coalesce(p.phone, '') as phone
      from members m join users u on u.id = m.user_id
      left join ${phonesSeenBy(admin, now)} as p on p.user_id = m.user_id
      where m.club_id = ${admin.club_id} order by ${byName('u')}`,
  );

export const pageForAdmin = async (
  db: Db,
  { club_id }: MemberOf,
  filter: MemberFilter & { size?: number; now: Instant },
) => firstPage(await all(db, membersForAdmin(club_id, filter)), filter.size);
