import { randomUUID } from 'node:crypto';
import { first, run, sql, type Db } from '#platform/db.ts';
import { slugsFor } from '#platform/slug.ts';
import type { Instant } from '#wire/instant.ts';
import { refuse } from '#wire/refusal.ts';
import type { Club } from '#features/clubs/contract.ts';
import { role, type AdminOf, type MemberOf } from '#features/members/rules.ts';

export type ClubRef = Pick<Club, 'id' | 'slug' | 'club_name'>;

/** A club without any seat yet. The slug is the first one for its name that nobody has or is just taking. */
export async function addClub(db: Db, club_name: string, now: Instant): Promise<ClubRef> {
  for (const slug of slugsFor(club_name)) {
    const club = await first(
      db,
      sql<ClubRef>`
        insert into clubs (id, slug, club_name, created_at) values (${randomUUID()}, ${slug}, ${club_name}, ${now})
        on conflict (slug) do nothing returning id, slug, club_name`,
    );
    if (club) return club;
  }
  throw new Error('there is always one more slug');
}

export type Profile = Omit<Club, 'members' | 'events' | 'latest_update'>;

/** What stands in the club's own row, with the viewer's secret of its calendar. */
export async function profileOf(db: Db, { club_id, user_id }: MemberOf): Promise<Profile> {
  const profile = await first(
    db,
    sql<Profile>`
      select c.id, c.slug, c.club_name, c.club_description, c.location_name,
        json_build_object('website', c.website) as meta, c.profile_picture_url, c.profile_banner_url, c.created_at, c.version,
        m.calendar_secret as ical_feed_url_id
      from clubs c join members m on m.club_id = c.id where c.id = ${club_id} and m.user_id = ${user_id}`,
  );
  return profile ?? refuse('not_found');
}

export interface Changes {
  club_name?: string | undefined;
  club_description?: string | undefined;
  location_name?: string | null | undefined;
  website?: string | null | undefined;
}

/** Writes the named fields and leaves the others as they are. What changes nothing makes no new version. */
export async function changeClub(
  db: Db,
  { club_id }: AdminOf,
  changes: Changes,
): Promise<ClubRef & Pick<Club, 'version'>> {
  const columns = Object.entries(changes).filter(([, value]) => value !== undefined);
  const assignments = columns.map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  const differences = columns.map(
    ([column, value]) => sql`${sql.ref(column)} is distinct from ${value}::text`,
  );
  if (columns.length > 0)
    await run(
      db,
      sql`update clubs set ${sql.join(assignments)}, version = version + (${sql.join(differences, sql` or `)})::int
          where id = ${club_id}`,
    );
  const club = await first(
    db,
    sql<
      ClubRef & Pick<Club, 'version'>
    >`select id, slug, club_name, version from clubs where id = ${club_id}`,
  );
  return club as NonNullable<typeof club>;
}

/** The version of a club that is locked. */
export async function versionOf(db: Db, { club_id }: AdminOf): Promise<number> {
  const club = await first(db, sql<{ version: number }>`select version from clubs where id = ${club_id}`);
  return club?.version ?? refuse('not_found');
}

/** How many clubs somebody is an admin of. */
export async function administered(db: Db, user: string): Promise<number> {
  const row = await first(
    db,
    sql<{ count: number }>`
      select count(*)::int from members where user_id = ${user} and club_role = ${role.admin}`,
  );
  return row?.count ?? 0;
}

export const deleteClub = (db: Db, { club_id }: AdminOf) =>
  run(db, sql`delete from clubs where id = ${club_id}`);
