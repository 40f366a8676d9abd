import { all, asJson, sql, type Db } from '#platform/db/client.ts';
import type { Update, UpdatePicture } from '#features/updates/contract.ts';

/** The texts and pictures of these updates, in the given order; the text of a deleted update is null. */
export const contentsOf = (
  db: Db,
  updates: readonly string[],
): Promise<{ content: Update['content'] | null; pictures: UpdatePicture[] }[]> =>
  all(
    db,
    sql<{ content: string | null; pictures: UpdatePicture[] }>`
      select u.content, ${asJson(sql`
        select p.name, p.width, p.height from pictures p where p.update_id = wanted.id order by p.position`)} as pictures
      from unnest(${updates}::uuid[]) with ordinality as wanted (id, nth)
      left join club_updates u on u.id = wanted.id order by wanted.nth`,
  );
