import { all, first, run, sql, type Db } from '#platform/db/client.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { dateIn } from '#wire/wall-time.ts';
import type { AdminOf, MemberOf } from '#features/members/rules.ts';
import type { Section } from '#features/sections/contract.ts';
import { foldedName, type NamedSection } from '#features/sections/rules.ts';

const day = 24 * 60 * 60;

/** The sections of a club with their numbers of members, in order. */
export const sectionsOf = (db: Db, { club_id }: MemberOf): Promise<Section[]> =>
  all(
    db,
    sql<Section>`
      select s.id, s.name, coalesce(counts.members, 0) as members
      from sections s left join (
        select section_id, count(*)::int as members from members, unnest(section_ids) as section_id
        where club_id = ${club_id} group by section_id) as counts on counts.section_id = s.id
      where s.club_id = ${club_id} and s.removed_at is null order by s.position, s.id`,
  );

/** The ids of the sections of a club. */
export async function sectionIdsOf(db: Db, { club_id }: Pick<MemberOf, 'club_id'>): Promise<string[]> {
  const rows = await all(
    db,
    sql<{
      id: string;
    }>`select id from sections where club_id = ${club_id} and removed_at is null order by position, id`,
  );
  return rows.map(({ id }) => id);
}

/** Whether a coming event, or a series that may get more dates, is for one of these sections or needs somebody of them. */
export async function areInUse(
  db: Db,
  { club_id }: AdminOf,
  sections: readonly string[],
  now: Instant,
): Promise<boolean> {
  const inFields = sql`(s.fields -> 'section_ids' ?| ${sections}::text[] or s.fields -> 'needed' ?| ${sections}::text[])`;
  const row = await first(
    db,
    sql<{ used: boolean }>`
      select exists (
          select from events where owner_club_id = ${club_id} and end_time > ${now} and deleted_at is null
            and (section_ids && ${sections}::uuid[] or needed ?| ${sections}::text[]))
        or exists (
          select from series s where s.club_id = ${club_id} and s.ended_at is null and ${inFields}
            and (s.ends_on is null or s.ends_on >= ${dateIn('UTC', addSeconds(now, -day))}::date)
            and (s.count is null or exists (select from events where series_id = s.id and end_time > ${now}))) as used`,
  );
  return row?.used ?? false;
}

/**
 * Writes the sections of a locked club in this order and removes the others. A past event may be for a removed section,
 * which keeps its name then. Sections may swap their names, so the old names are given up first.
 */
export async function saveSections(
  db: Db,
  { club_id }: AdminOf,
  sections: readonly NamedSection[],
  now: Instant,
): Promise<void> {
  const ids = sections.map(({ id }) => id);
  const names = sections.map(({ name }) => name);
  const gone = sql`club_id = ${club_id} and removed_at is null and id <> all(${ids}::uuid[])`;
  await run(
    db,
    sql`delete from sections s where ${gone} and not exists (
          select from events e where e.owner_club_id = ${club_id} and (s.id = any(e.section_ids) or e.needed ? s.id::text))`,
  );
  await run(
    db,
    sql`update sections set folded_name = null, removed_at = case when id <> all(${ids}::uuid[]) then ${now}::timestamptz end
        where club_id = ${club_id} and removed_at is null`,
  );
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
