import { all, sql, type Db } from '#platform/db/client.ts';
import type { NoticeActor } from '#platform/notices/notice.ts';

interface ChangedClaim {
  person: NoticeActor;
  claimed: boolean;
}

/** For each recipient, the people who had a seat in their lift before and have none now, or the other way round. */
export async function changedClaims(
  db: Db,
  recipients: readonly {
    user_id: string;
    facts: { event_id: string; title: string; before: Record<string, boolean> };
  }[],
): Promise<ChangedClaim[][]> {
  const wanted = recipients.map(({ user_id, facts }) => ({ ...facts, user_id }));
  const rows = await all(
    db,
    sql<{ claims: ChangedClaim[] }>`
      select coalesce((
        select json_agg(json_build_object('claimed', now.claimed, 'person',
          json_build_object('first_name', u.first_name, 'last_name', u.last_name)) order by u.id)
        from jsonb_each(wanted.before) as old (id, claimed)
        cross join lateral (select * from users where users.id = old.id::uuid limit 1) as u
        cross join lateral (
          select exists (
            select from slots s join slot_claims c on c.slot_id = s.id
            where s.event_id = wanted.event_id and s.kind = 'lift' and s.title = wanted.title and s.by_id = wanted.user_id
              and c.user_id = u.id) as claimed) as now
        where now.claimed is distinct from old.claimed::boolean), '[]') as claims
      from rows from (
        jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as (event_id uuid, title text, before jsonb, user_id uuid)
      ) with ordinality as wanted (event_id, title, before, user_id, nth)
      order by wanted.nth`,
  );
  return rows.map(({ claims }) => claims);
}
