import { all, run, sql, type Db } from '#platform/db/client.ts';
import { keyIn, pageOf, rowsForPage } from '#platform/db/pagination.ts';
import { firstLine, storedSearchText } from '#platform/db/search-text.ts';
import { containsAll } from '#platform/db/text.ts';
import { searchedUsers } from '#platform/db/users.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { searchWords } from '#wire/search-text.ts';
import type { Attendance, CheckIn, Expected } from '#features/events/checkins/contract.ts';
import type { ReadingRunnerOf, RunnerOf } from '#features/events/access.ts';
import { isAdmin, type MemberOf } from '#features/members/rules.ts';
import { canCall } from '#features/members/contact-queries.ts';
import { behindName, byName, NameKey } from '#features/members/list-queries.ts';

interface Filter {
  q: string;
  after?: string | undefined;
}

/** A page of the people who are going or checked in, or of the members whose names contain all words of `q`. */
export async function pageOfExpected(
  db: Db,
  { id, owner_club_id }: ReadingRunnerOf,
  { q, after }: Filter,
  { user, now }: { user: { id: string }; now: Instant },
): Promise<{ people: Expected[]; more: string | null }> {
  const words = searchWords(q);
  const people =
    words.length > 0
      ? sql`select user_id from members where club_id = ${owner_club_id}`
      : sql`select user_id from answers where event_id = ${id} and answer = 'going'
          union select user_id from check_ins where event_id = ${id}`;
  const read = await all(
    db,
    sql<Expected>`
      select u.id, u.first_name, u.last_name, u.profile_picture_url, a.answer, coalesce(a.guests, 0) as guests, c.came,
        ${canCall('u.id', { club_id: owner_club_id, user_id: user.id }, now)} as can_call
      from (${people}) as p join users u on u.id = p.user_id
      left join answers a on a.event_id = ${id} and a.user_id = u.id
      left join check_ins c on c.event_id = ${id} and c.user_id = u.id
      where ${containsAll(firstLine(storedSearchText(searchedUsers, 'u')), words)}
      ${behindName('u', keyIn(NameKey, after))}
      order by ${byName('u')} limit ${rowsForPage}`,
  );
  const { rows, more } = pageOf(read, nameKey);
  return { people: rows, more };
}

const nameKey = ({ first_name, last_name, id }: Expected | Attendance) => [first_name, last_name, id];

/** Of these users, the ones who may be checked in: members, and former members with an answer or a check-in. */
const knownPeople = ({ id, owner_club_id }: ReadingRunnerOf, users: readonly string[]) => sql`
  select user_id from (
    select user_id from members where club_id = ${owner_club_id}
    union select user_id from answers where event_id = ${id}
    union select user_id from check_ins where event_id = ${id}) as known
  where user_id = any (${users}::uuid[])`;

/** Records who came and who did not. The event is locked, so that concurrent check-ins run one after the other. */
export async function saveCheckIns(
  db: Db,
  event: RunnerOf,
  users: readonly CheckIn[],
  now: Instant,
): Promise<void> {
  const noted = users.filter((each) => each.came !== null);
  const ids = users.map(({ user_id }) => user_id);
  const knownPeopleQuery = knownPeople(event, ids);
  await run(
    db,
    sql`insert into check_ins (event_id, user_id, came, came_at)
        select ${event.id}, user_id, came, ${now}
        from unnest(${noted.map(({ user_id }) => user_id)}::uuid[], ${noted.map(({ came }) => came)}::boolean[])
          as noted (user_id, came)
        join (${knownPeopleQuery}) as known using (user_id)
        on conflict (event_id, user_id) do update set came = excluded.came, came_at = excluded.came_at
          where check_ins.came <> excluded.came`,
  );
  const cleared = users.filter((each) => each.came === null).map(({ user_id }) => user_id);
  if (cleared.length > 0)
    await run(
      db,
      sql`delete from check_ins where event_id = ${event.id} and user_id = any (${cleared}::uuid[])`,
    );
}

/** The check-ins of these people. */
export const checkInsOf = (db: Db, event: ReadingRunnerOf, users: readonly string[]): Promise<CheckIn[]> =>
  all(
    db,
    sql<CheckIn>`
      select k.user_id, c.came
      from (${knownPeople(event, users)}) as k
      left join check_ins c on c.event_id = ${event.id} and c.user_id = k.user_id
      order by k.user_id`,
  );

/**
 * A page of all members if the reader is an admin, otherwise only the reader. Counts the events of the twelve months
 * before `now`.
 */
export async function pageOfAttendance(
  db: Db,
  reader: MemberOf,
  { after, now }: { after?: string | undefined; now: Instant },
): Promise<{ members: Attendance[]; more: string | null }> {
  const yearAgo = addSeconds(now, -365 * 24 * 60 * 60);
  const own = isAdmin(reader) ? sql`` : sql`and m.user_id = ${reader.user_id}`;
  const read = await all(
    db,
    sql<Attendance>`
      with page as materialized (
        select u.id, u.first_name, u.last_name, u.profile_picture_url
        from members m join users u on u.id = m.user_id
        where m.club_id = ${reader.club_id} ${own} ${behindName('u', keyIn(NameKey, after))}
        order by ${byName('u')} limit ${rowsForPage}),
      ended as materialized (
        select id, entry_until_time from events
        where owner_club_id = ${reader.club_id} and deleted_at is null and end_time <= ${now}
          and end_time > ${yearAgo}),
      -- Answers and check-ins are read by person, so that events that a person never answered cost nothing.
      given as materialized (
        select a.user_id, a.event_id, a.answer, a.answered_at from page join answers a on a.user_id = page.id
        where a.event_start <= ${now} and a.event_end > ${yearAgo}),
      answered as (
        select a.user_id, count(*) filter (where a.answer = 'going')::int as going,
          count(*) filter (where a.answer = 'no' and a.answered_at > e.entry_until_time)::int as late_no
        from given a join ended e on e.id = a.event_id group by a.user_id),
      noted as materialized (select c.* from page join check_ins c on c.user_id = page.id),
      counted as (
        select c.user_id, count(*) filter (where c.came)::int as came, count(*) filter (where not c.came)::int as not_come
        from noted c join ended e on e.id = c.event_id group by c.user_id)
      select u.*, coalesce(going, 0) as going, coalesce(came, 0) as came, coalesce(late_no, 0) as late_no,
        coalesce(not_come, 0) as not_come
      from page u left join answered a on a.user_id = u.id left join counted n on n.user_id = u.id
      order by ${byName('u')}`,
  );
  const { rows, more } = pageOf(read, nameKey);
  return { members: rows, more };
}

/** Deletes the check-ins of events that ended before `before`. */
export const deletePastCheckIns = (db: Db, before: Instant) =>
  run(
    db,
    sql`delete from check_ins using events where events.id = check_ins.event_id and end_time < ${before}`,
  );
