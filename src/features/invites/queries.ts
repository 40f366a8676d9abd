import { all, sql, type Db } from '#platform/db/client.ts';
import type { Recipient } from '#platform/notices/notice.ts';

interface Joiner {
  first_name: string;
  last_name: string;
}

/** For each recipient, the new members about whom they have got no email in the last day, in the order of joining. */
export async function joinersOf(
  db: Db,
  recipients: readonly Recipient<{ club_id: string; before: Record<string, true> }>[],
): Promise<Joiner[][]> {
  const wanted = recipients.map(({ facts, sentLately }) => ({
    club: facts.club_id,
    users: Object.keys(facts.before).filter((id) => !sentLately.includes(id)),
  }));
  const rows = await all(
    db,
    sql<{ joiners: Joiner[] }>`
      select coalesce((
        select json_agg(json_build_object('first_name', u.first_name, 'last_name', u.last_name) order by m.joined_at, u.id)
        from members m join users u on u.id = m.user_id
        where m.club_id = wanted.club and wanted.users @> to_jsonb(u.id::text)), '[]') as joiners
      from rows from (jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as (club uuid, users jsonb))
        with ordinality as wanted (club, users, nth)
      order by wanted.nth`,
  );
  return rows.map(({ joiners }) => joiners);
}
