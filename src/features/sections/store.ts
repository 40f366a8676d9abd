import { all, run, sql, type Db } from '#platform/db/client.ts';
import type { AdminOf, MemberOf } from '#features/members/rules.ts';
import type { Section } from '#features/sections/contract.ts';
import { foldedName, type NamedSection } from '#features/sections/rules.ts';

/** The sections of a club with their numbers of members, in order. */
export const sectionsOf = (db: Db, { club_id }: MemberOf): Promise<Section[]> =>
  all(
    db,
    sql<Section>`
      select s.id, s.name, coalesce(counts.members, 0) as members
      from sections s left join (
        select section_id, count(*)::int as members from members, unnest(section_ids) as section_id
        where club_id = ${club_id} group by section_id) as counts on counts.section_id = s.id
      where s.club_id = ${club_id} order by s.position, s.id`,
  );

/**
 * Writes the sections of a locked club in this order and deletes the others. Sections may swap their names, so the old
 * names are given up first.
 */
export async function saveSections(
  db: Db,
  { club_id }: AdminOf,
  sections: readonly NamedSection[],
): Promise<void> {
  const ids = sections.map(({ id }) => id);
  const names = sections.map(({ name }) => name);
  await run(db, sql`delete from sections where club_id = ${club_id} and id <> all(${ids}::uuid[])`);
  await run(db, sql`update sections set folded_name = null where club_id = ${club_id}`);
  await run(
    db,
    sql`insert into sections (id, club_id, name, folded_name, position)
        select id, ${club_id}, name, folded_name, place
        from unnest(${ids}::uuid[], ${names}::text[], ${names.map(foldedName)}::text[])
          with ordinality as saved (id, name, folded_name, place)
        on conflict (id) do update set
          name = excluded.name, folded_name = excluded.folded_name, position = excluded.position`,
  );
}
