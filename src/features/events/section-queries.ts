import { all, sql, type Db } from '#platform/db/client.ts';
import type { Event } from '#features/events/contract.ts';
import { goingCounts } from '#features/events/queries.ts';
import { shortageOf, type Shortage } from '#features/events/rules.ts';

/** The `section_counts` of an event. Most clubs have no sections, and read no members for them. */
export function sectionCounts(event: string) {
  const e = sql.ref(event);
  const counts = sql`
    select section_id, (count(*) filter (where a.answer = 'going'))::int as going,
      (count(*) filter (where a.answer = 'maybe'))::int as maybe, (count(*) filter (where a.answer is null))::int as silent
    from members m cross join unnest(m.section_ids) as section_id
    left join answers a on a.event_id = ${e}.id and a.user_id = m.user_id
    where m.club_id = ${e}.owner_club_id group by section_id`;
  return sql`
    case when not exists (select from sections where club_id = ${e}.owner_club_id) then '[]' else (
      select coalesce(json_agg(json_build_object('id', s.id, 'name', s.name, 'going', coalesce(c.going, 0),
        'maybe', coalesce(c.maybe, 0), 'silent', coalesce(c.silent, 0)) order by s.position, s.id), '[]')
      from sections s left join (${counts}) as c on c.section_id = s.id
      where s.club_id = ${e}.owner_club_id
        and case when ${e}.section_ids = '{}' then s.removed_at is null else s.id = any(${e}.section_ids) end) end`;
}

/** Who is missing at these events, by id. Events that need no number of people are left out. */
export async function shortagesOf(db: Db, ids: readonly string[]): Promise<Map<string, Shortage>> {
  const rows = await all(
    db,
    sql<Pick<Event, 'id' | 'needed' | 'user_count' | 'guest_count' | 'section_counts'>>`
      select e.id, e.needed, g.user_count, g.guest_count, ${sectionCounts('e')} as section_counts
      from events e cross join lateral ${goingCounts('e.id')} as g where e.id = any(${ids}::uuid[])`,
  );
  return new Map(
    rows.flatMap((row): [string, Shortage][] => {
      const shortage = shortageOf(row);
      return shortage ? [[row.id, shortage]] : [];
    }),
  );
}
