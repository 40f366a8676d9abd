import { randomUUID } from 'node:crypto';
import { all, first, isoTimestamp, sql, type Db } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';
import type { AdminOf, MemberOf } from '#features/members/rules.ts';
import type { Update } from '#features/updates/contract.ts';

export async function addUpdate(db: Db, admin: AdminOf, content: string, now: Instant): Promise<Update> {
  const update = await first(
    db,
    sql<Update>`
      with new as (
        insert into club_updates (id, club_id, creator_id, content, created_at)
        values (${randomUUID()}, ${admin.club_id}, ${admin.user_id}, ${content}, ${now})
        returning id, creator_id, content, created_at
      )
      select ${columns} from new left join users u on u.id = new.creator_id`,
  );
  return update as Update;
}

/** Columns of an update `new` with its creator `u`. */
const columns = sql`new.id, new.content, ${isoTimestamp('new.created_at')} as created_at,
  u.first_name as creator_first_name, u.last_name as creator_last_name`;

/** The newest updates of a club, newest first. */
export const newest = (db: Db, { club_id }: MemberOf, limit: number): Promise<Update[]> =>
  all(db, newestOf(club_id, limit));

export const newestOf = (club_id: string, limit: number) =>
  sql<Update>`
    select ${columns} from club_updates new left join users u on u.id = new.creator_id
    where new.club_id = ${club_id} order by new.created_at desc, new.id limit ${limit}`;
