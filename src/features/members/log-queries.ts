import { z } from 'zod';
import { all, sql, type Db } from '#platform/db/client.ts';
import { keyIn, pageOf } from '#platform/db/pagination.ts';
import { Instant } from '#wire/instant.ts';
import type { LogEntry } from '#features/members/log-contract.ts';
import type { MemberOf } from '#features/members/rules.ts';

const entriesPerPage = 50;
const Key = z.tuple([Instant, z.guid()]);

/**
 * A person as the log of a club shows them now: with their current name if they are a member of the club, null if the
 * account was deleted. Both parameters are columns.
 */
const person = (user: string, club: string) => sql`
  (select json_build_object('is_member', m.user_id is not null,
      'first_name', case when m.user_id is null then '' else u.first_name end,
      'last_name', case when m.user_id is null then '' else u.last_name end)
    from users u left join members m on m.club_id = ${sql.ref(club)} and m.user_id = u.id where u.id = ${sql.ref(user)})`;

/** A page of the log, newest first, and the cursor of the next page. */
export async function pageOfLog(db: Db, { club_id }: MemberOf, after?: string) {
  const [at, id] = keyIn(Key, after) ?? [];
  const afterCursor = at ? sql`and (l.at, l.id) < (${at}::timestamptz, ${id}::uuid)` : sql``;
  const rows = await all(
    db,
    sql<LogEntry>`
      select l.id, l.at, l.kind, ${person('l.actor_id', 'l.club_id')} as actor, ${person('l.user_id', 'l.club_id')} as person, l.details
      from club_log l where l.club_id = ${club_id} ${afterCursor}
      order by l.at desc, l.id desc limit ${entriesPerPage + 1}`,
  );
  const { rows: entries, more } = pageOf(rows, (entry) => [entry.at, entry.id], entriesPerPage);
  return { entries, more };
}
