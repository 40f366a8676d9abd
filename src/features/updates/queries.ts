import { all, sql, type Db } from '#platform/db/client.ts';

/** The texts of these updates, in the given order; null for a deleted update. */
export async function contentsOf(db: Db, updates: readonly string[]): Promise<(string | null)[]> {
  const rows = await all(
    db,
    sql<{ content: string | null }>`
      select content from unnest(${updates}::uuid[]) with ordinality as wanted (id, nth)
      left join club_updates u on u.id = wanted.id order by wanted.nth`,
  );
  return rows.map(({ content }) => content);
}
