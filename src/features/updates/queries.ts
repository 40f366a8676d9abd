import { all, asJson, sql, type Db } from '#platform/db/client.ts';
import { isFor } from '#features/sections/queries.ts';
import type { MessageList, Update, UpdatePicture } from '#features/updates/contract.ts';

/** The texts and pictures of these posts, in the given order; the text of a deleted post is null. */
export const contentsOf = (
  db: Db,
  posts: readonly string[],
): Promise<{ content: Update['content'] | null; pictures: UpdatePicture[] }[]> =>
  all(
    db,
    sql<{ content: string | null; pictures: UpdatePicture[] }>`
      select p.content, ${asJson(sql`
        select f.name, f.width, f.height from pictures f where f.update_id = wanted.id order by f.position`)} as pictures
      from unnest(${posts}::uuid[]) with ordinality as wanted (id, nth)
      left join posts p on p.id = wanted.id order by wanted.nth`,
  );

/** A query for the members on lists of an event: rows of `user_id`. Members whom it is not for are not 'silent'. */
export const membersOn = (event: string, lists: readonly MessageList[]) => sql`
  select m.user_id from events e join members m on m.club_id = e.owner_club_id
  left join answers a on a.event_id = e.id and a.user_id = m.user_id
  where e.id = ${event} and coalesce(a.answer, case when ${isFor('e', 'm')} then 'silent' end) = any(${lists}::text[])`;
