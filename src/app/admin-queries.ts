import { all, first, sql, type Db } from '#platform/db/client.ts';
import { storedSearchText } from '#platform/db/search-text.ts';
import { containsAll, foldCase } from '#platform/db/text.ts';
import { searchedUsers } from '#platform/db/users.ts';
import { searchWords } from '#wire/search-text.ts';
import { searchedClubs } from '#features/members/queries.ts';
import { role } from '#features/members/rules.ts';

/** Without `isAll`, a list ends after this many rows. */
const maxRows = 200;
const limit = (isAll: boolean) => sql`limit ${isAll ? null : maxRows}::int`;

const named = (user: string) =>
  sql`trim(concat_ws(' ', ${sql.ref(`${user}.first_name`)}, ${sql.ref(`${user}.last_name`)}))`;

/** When the user last used a session that has not ended. */
const lastSeen = (user: string) => sql`(select max(used_at) from sessions where user_id = ${sql.ref(user)})`;

/** The newest accounts that match the search. */
export const users = (db: Db, search: string, isAll: boolean) =>
  all(
    db,
    sql<object>`
      select u.email, ${named('u')} as name, u.created_at, ${lastSeen('u.id')} as last_seen, u.disabled_at,
        (select count(*)::int from members where user_id = u.id) as clubs
      from users u
      where ${containsAll(sql`concat_ws(' ', ${foldCase(sql`u.email`)}, ${storedSearchText(searchedUsers, 'u')})`, searchWords(search))}
      order by u.created_at desc, u.id ${limit(isAll)}`,
  );

/** What the operator needs to help a user. Of their emails, the database knows those that wait or were given up. */
export async function user(db: Db, id: string) {
  const account = await first(
    db,
    sql<{ email: string }>`
      select u.id, u.email, ${named('u')} as name, u.created_at, ${lastSeen('u.id')} as last_seen, u.disabled_at
      from users u where u.id = ${id}`,
  );
  const clubs = await all(
    db,
    sql<object>`
      select c.slug, c.club_name as name, ${roleName('m.club_role')} as role, m.joined_at
      from members m join clubs c on c.id = m.club_id where m.user_id = ${id} order by m.joined_at, c.id`,
  );
  const sessions = await all(
    db,
    sql<object>`select device, created_at, used_at from sessions where user_id = ${id} order by used_at desc, id`,
  );
  return { ...account, emails: await emailsTo(db, id, account?.email), clubs, sessions };
}

const emailsTo = (db: Db, id: string, email: string | undefined) =>
  first(
    db,
    sql<object>`
      with notices as (select id::text, sent_at from notice_emails where user_id = ${id}),
      waiting as (
        select j.* from jobs j where (j.name = 'send_email' and j.payload ->> 'to' = ${email})
          or (j.name = 'send_notice' and j.payload ->> 'id' in (select id from notices)))
      select (select count(*)::int from notices where sent_at is not null) as notices_sent_within_a_day,
        (select count(*)::int from waiting where attempts < max_attempts) as waiting,
        (select count(*)::int from waiting where attempts >= max_attempts) as given_up,
        coalesce((select rejections from email_rejections where user_id = ${id}), 0) as rejections_in_a_row,
        (select last_error from waiting where last_error is not null order by failed_at desc limit 1) as last_error`,
  );

const roleName = (club_role: string) =>
  sql`case ${sql.ref(club_role)} when ${role.admin} then 'admin' when ${role.organiser} then 'organiser' else 'member' end`;

/** The newest clubs that match the search. */
export const clubs = (db: Db, search: string, isAll: boolean) =>
  all(
    db,
    sql<object>`
      select c.slug, c.club_name as name, c.created_at,
        (select count(*)::int from members where club_id = c.id) as members,
        (select count(*)::int from members where club_id = c.id and club_role = ${role.admin}) as admins,
        (select max(start_time) from events where owner_club_id = c.id) as last_event
      from clubs c where ${containsAll(sql`concat_ws(' ', ${foldCase(sql`c.slug`)}, ${storedSearchText(searchedClubs, 'c')})`, searchWords(search))}
      order by c.created_at desc, c.id ${limit(isAll)}`,
  );

export async function club(db: Db, id: string) {
  const found = await first(
    db,
    sql<object>`
      select c.id, c.slug, c.club_name as name, c.created_at,
        (select count(*)::int from members where club_id = c.id) as members,
        (select count(*)::int from events where owner_club_id = c.id) as events,
        (select expires_at from invite_links where club_id = c.id) as invite_link_expires_at
      from clubs c where c.id = ${id}`,
  );
  const team = await all(
    db,
    sql<object>`
      select u.email, ${named('u')} as name, ${roleName('m.club_role')} as role, ${lastSeen('u.id')} as last_seen
      from members m join users u on u.id = m.user_id where m.club_id = ${id} and m.club_role > 0
      order by m.club_role desc, m.joined_at, u.id`,
  );
  return { ...found, team };
}

export const userByEmail = (db: Db, email: string) =>
  first(db, sql<{ id: string }>`select id from users where email = ${email}`);

export const clubBySlug = (db: Db, slug: string) =>
  first(db, sql<{ id: string; club_name: string }>`select id, club_name from clubs where slug = ${slug}`);
