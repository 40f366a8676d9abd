import { all, sql, type Db } from '#platform/db/client.ts';
import type { SearchedTable } from '#platform/db/search-text.ts';
import type { ClubRole } from '#features/users/contract.ts';

/** Queries for the audiences of notices (rows of `user_id`): all members of a club, its admins, or some members. */
export const everyMember = (club: string) => sql`select user_id from members where club_id = ${club}`;
export const adminsOf = (club: string) =>
  sql`select user_id from members where club_id = ${club} and club_role = 200`;
export const membersAmong = (club: string, users: readonly string[]) =>
  sql`select user_id from members where club_id = ${club} and user_id = any(${users}::uuid[])`;
/** Users, whether they are members or not. */
export const onlyUsers = (...users: string[]) =>
  sql`select id as user_id from users where id = any(${users}::uuid[])`;

/** A club as a notice shows it to a reader. */
export interface ClubForReader {
  club_id: string;
  club_name: string;
  club_slug: string;
  club_picture: string | null;
  /** The reader's role. Null if the reader is not a member. */
  club_role: ClubRole | null;
}

/** The club of each recipient's notice. Null if the recipient is not a member, or the club has been deleted. */
export async function clubsForMembers(
  db: Db,
  recipients: readonly { user_id: string; facts: { club_id: string } }[],
): Promise<((ClubForReader & { club_role: ClubRole }) | null)[]> {
  const rows = await all(
    db,
    sql<ClubForReader>`
      select c.id as club_id, c.club_name, c.slug as club_slug, c.profile_picture_url as club_picture, m.club_role
      from unnest(${recipients.map(({ user_id }) => user_id)}::uuid[], ${recipients.map(({ facts }) => facts.club_id)}::uuid[])
        with ordinality as wanted (user_id, club_id, nth)
      left join clubs c on c.id = wanted.club_id
      left join members m on m.club_id = c.id and m.user_id = wanted.user_id
      order by wanted.nth`,
  );
  return rows.map(({ club_role, ...club }) => (club_role === null ? null : { ...club, club_role }));
}

/** The ids of the clubs that a user has muted. */
export async function mutedClubs(db: Db, user: string): Promise<string[]> {
  const rows = await all(
    db,
    sql<{ club_id: string }>`select club_id from club_mutes where user_id = ${user}`,
  );
  return rows.map(({ club_id }) => club_id);
}

/** Members find clubs by name only. */
export const searchedClubs: SearchedTable<'club_name' | 'location_name'> = {
  name: 'clubs',
  lines: [['club_name'], ['location_name']],
};
