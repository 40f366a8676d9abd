import type { Viewer } from '#platform/context.ts';
import { all, sql, type Db } from '#platform/db/client.ts';

/** A user as the session look-up returns them to endpoints that only read. */
export async function viewerOf(db: Db, { id }: { id: string }): Promise<Viewer> {
  const rows = await all(
    db,
    sql<{ club_id: string; club_role: number }>`select club_id, club_role from members where user_id = ${id}`,
  );
  return { id, session_id: '', roles: new Map(rows.map(({ club_id, club_role }) => [club_id, club_role])) };
}
