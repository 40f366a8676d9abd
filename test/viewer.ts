import type { Viewer } from '#platform/context.ts';
import { all, sql, type Db } from '#platform/db/client.ts';

/** A user as the session look-up returns them to endpoints that only read. */
export async function viewerOf(db: Db, { id }: { id: string }): Promise<Viewer> {
  const rows = await all(
    db,
    sql<{ club_id: string; club_role: number; is_planner: boolean }>`
      select club_id, club_role, is_planner(club_role, organisers_plan)
      from members join clubs on clubs.id = club_id where user_id = ${id}`,
  );
  const memberships = new Map(rows.map(({ club_id, ...membership }) => [club_id, membership]));
  return { id, session_id: '', memberships };
}
