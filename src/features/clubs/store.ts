import { randomUUID } from 'node:crypto';
import { databaseBatchLoader } from '#platform/db/batch-loader.ts';
import { all, asJson, first, isoTimestamp, isUuid, run, sql, type Db } from '#platform/db/client.ts';
import { changedSearchText, searchTextFrom } from '#platform/db/search-text.ts';
import { versionedLoader } from '#platform/db/versioned.ts';
import type { Viewer } from '#platform/context.ts';
import { slugsFor } from '#platform/slug.ts';
import type { Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import type { Club, SharedClub, ViewerClub } from '#features/clubs/contract.ts';
import { eventsOfPage, viewersOf, type ListedEvent } from '#features/events/queries.ts';
import type { MemberForAdmin } from '#features/members/contract.ts';
import type { ClubSetting } from '#features/members/log-contract.ts';
import { role, type AdminOf, type MemberOf } from '#features/members/rules.ts';
import { offerSeenBy } from '#features/members/handover-queries.ts';
import { searchedClubs } from '#features/members/queries.ts';
import { membersForAdmin, membersOf } from '#features/members/list-queries.ts';
import { latestReadAt } from '#features/updates/read-queries.ts';
import { newestOf } from '#features/updates/store.ts';

export type ClubRef = Pick<Club, 'id' | 'slug' | 'club_name'>;

/**
 * Adds a club without members, in the language of its founder. It gets the first free slug for its name. `on conflict` also covers slugs that are taken
 * by concurrent inserts.
 */
export async function addClub(
  db: Db,
  { club_name, founder }: { club_name: string; founder: string },
  now: Instant,
): Promise<ClubRef> {
  const text = searchTextFrom(searchedClubs, { club_name, location_name: null });
  for (const slug of slugsFor(club_name)) {
    const club = await first(
      db,
      sql<ClubRef>`
        insert into clubs (id, slug, club_name, search_text, language, created_at)
        values (${randomUUID()}, ${slug}, ${club_name}, ${text}, (select language from users where id = ${founder}), ${now})
        on conflict (slug) do nothing returning id, slug, club_name`,
    );
    if (club) return club;
  }
  throw new Error('No slug is free');
}

/** The version of the data that all members see on a club page, apart from its events. `club` is the id column. */
const pageVersion = (club: string) => sql`(
  select bit_xor(version)::text from club_versions where club_id = ${sql.ref(club)} and part in ('page', 'members', 'cards'))`;

/**
 * The data that all members see on the page of a club, apart from its events. It contains one more member than the page
 * shows, to tell whether there is a next page.
 */
export const sharedClub = versionedLoader(
  (ids) => sql<Omit<SharedClub, 'more_members'> & { shared_version: string }>`
    select ${pageVersion('c.id')} as shared_version, c.id, c.slug, c.club_name, c.club_description, c.language, c.organisers_plan, c.location_name,
      json_build_object('website', c.website) as meta, c.profile_picture_url, c.profile_banner_url,
      ${isoTimestamp('c.created_at')} as created_at, c.version, ${asJson(newestOf(sql`c.id`, 1))} -> 0 as latest_update,
      (select count(*)::int from members where club_id = c.id) as member_count, ${asJson(membersOf(sql`c.id`))} as members
    from clubs c where c.id = any(${ids}::uuid[])`,
);

export const membersForAdminOf = (db: Db, { club_id }: MemberOf, now: Instant): Promise<MemberForAdmin[]> =>
  all(db, membersForAdmin(club_id, { now }));

/** The viewer fields of a club page, the versions of its events, and the version of the rest of the page. */
export interface ClubOfMember {
  club_id: string;
  version: string;
  ical_feed_url_id: string;
  muted: boolean;
  latest_update_read_at: Instant | null;
  first_steps: ViewerClub['first_steps'];
  needs_second_admin: boolean;
  handover: ViewerClub['handover'];
  event_count: number;
  events: ListedEvent[];
}

/**
 * SQL: whether a member is the only admin of a club with at least five members that was founded more than 14 days ago.
 * `club` has the columns `id` and `created_at`.
 */
function needsSecondAdmin(member: string, club: string, now: string) {
  const [m, c] = [
    (column: string) => sql.ref(`${member}.${column}`),
    (column: string) => sql.ref(`${club}.${column}`),
  ];
  return sql`(
    ${m('club_role')} = ${role.admin} and ${c('created_at')} < ${sql.ref(now)} - interval '14 days'
    and not exists (
      select from members a where a.club_id = ${c('id')} and a.club_role = ${role.admin} and a.user_id <> ${m('user_id')})
    and (select count(*) from (select from members where club_id = ${c('id')} limit 5) as five) = 5)`;
}

interface ClubRequest {
  viewer: Viewer;
  /** Id or slug. */
  ref: string;
  now: Instant;
}

/** The club page for a member, undefined for other users. Batched per tick. */
export const clubOfMember = databaseBatchLoader(async (db: Db, requests: readonly ClubRequest[]) => {
  const viewer = { id: sql`wanted.viewer`, clubs: sql`wanted.clubs::uuid[]` };
  const ids = requests.map(({ ref }) => (isUuid(ref) ? ref : null));
  const slugs = requests.map(({ ref }) => (isUuid(ref) ? null : ref));
  const rows = await all(
    db,
    sql<ClubOfMember | { club_id: null }>`
      select m.club_id, ${pageVersion('c.id')} as version, m.calendar_secret as ical_feed_url_id,
        exists (select from club_mutes where club_id = m.club_id and user_id = m.user_id) as muted,
        ${latestReadAt('m.club_id', 'm.user_id')} as latest_update_read_at,
        case when m.first_steps is not null then json_build_object(
          'invited', exists (select from invite_links where club_id = c.id),
          'calendar_added', m.first_steps = 'calendar_added') end as first_steps,
        ${needsSecondAdmin('m', 'c', 'wanted.now')} as needs_second_admin,
        ${offerSeenBy({ club: 'm.club_id', user: 'm.user_id', now: 'wanted.now' })} as handover,
        (select count(*)::int from events where owner_club_id = m.club_id) as event_count,
        ${asJson(eventsOfPage(sql`m.club_id`, viewer, sql`wanted.now`))} as events
      from unnest(${viewersOf(requests)}, ${ids}::uuid[], ${slugs}::text[])
        with ordinality as wanted (viewer, clubs, now, id, slug, place)
      left join lateral (
        (select id, created_at from clubs where id = wanted.id limit 1)
        union all (select id, created_at from clubs where slug = wanted.slug limit 1)) as c on true
      left join lateral (
        select * from members where club_id = c.id and user_id = wanted.viewer limit 1) as m on true
      order by wanted.place`,
  );
  return rows.map((row) => (row.club_id === null ? undefined : row));
});

export interface ClubPatch {
  club_name?: string | undefined;
  club_description?: string | undefined;
  language?: string | undefined;
  organisers_plan?: boolean | undefined;
  location_name?: string | null | undefined;
  website?: string | null | undefined;
}

/** Updates the given fields of a locked club. Returns which of them changed; if none did, the version stays. */
export async function updateClub(
  db: Db,
  { club_id }: AdminOf,
  changes: ClubPatch,
): Promise<ClubRef & Pick<Club, 'version'> & { changed: ClubSetting[] }> {
  const columns = Object.entries(changes).filter(([, value]) => value !== undefined);
  const differences = columns.map(
    ([column, value]) =>
      sql`case when ${sql.ref(column)}::text is distinct from ${value}::text then ${column}::text end`,
  );
  const current = await first(
    db,
    sql<ClubRef & Pick<Club, 'version'> & { changed: ClubSetting[] }>`
      select id, slug, club_name, version, array_remove(array[${sql.join(differences)}]::text[], null) as changed
      from clubs where id = ${club_id}`,
  );
  if (!current) fail('not_found');
  if (current.changed.length === 0) return current;
  const assignments = columns.map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  const text = await changedSearchText(db, searchedClubs, club_id, changes);
  if (text !== undefined) assignments.push(sql`search_text = ${text}`);
  const updated = await first(
    db,
    sql<ClubRef & Pick<Club, 'version'>>`
      update clubs set ${sql.join(assignments)}, version = version + 1 where id = ${club_id}
      returning id, slug, club_name, version`,
  );
  return { ...current, ...updated };
}

const pictureColumns = { avatar: sql`profile_picture_url`, banner: sql`profile_banner_url` };

/** Sets or clears the URL of a picture. The version does not change, because it covers only the fields of the form. */
export const setPictureUrl = (
  db: Db,
  { club_id }: AdminOf,
  kind: keyof typeof pictureColumns,
  url: string | null,
) => run(db, sql`update clubs set ${pictureColumns[kind]} = ${url} where id = ${club_id}`);

/** The version of a locked club. */
export async function versionOf(db: Db, { club_id }: AdminOf): Promise<number> {
  const club = await first(db, sql<{ version: number }>`select version from clubs where id = ${club_id}`);
  return club?.version ?? fail('not_found');
}

/** The number of clubs that the user is an admin of. */
export async function countAdministered(db: Db, user: string): Promise<number> {
  const row = await first(
    db,
    sql<{ count: number }>`
      select count(*)::int from members where user_id = ${user} and club_role = ${role.admin}`,
  );
  return row?.count ?? 0;
}

export async function deleteClub(db: Db, { club_id }: AdminOf): Promise<{ club_name: string }> {
  const club = await first(
    db,
    sql<{ club_name: string }>`delete from clubs where id = ${club_id} returning club_name`,
  );
  return club ?? fail('not_found');
}
