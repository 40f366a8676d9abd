import { randomUUID } from 'node:crypto';
import { databaseBatchLoader } from '#platform/db/batch-loader.ts';
import type { RawBuilder } from 'kysely';
import {
  all,
  asJson,
  first,
  isoTimestamp,
  isUuid,
  run,
  sql,
  type Db,
  type ReadDb,
} from '#platform/db/client.ts';
import type { Credentials, Identity } from '#platform/context.ts';
import { slugsFor } from '#platform/slug.ts';
import type { Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import { clock, identityOf, session, type IdentityRow } from '#features/auth/store.ts';
import type { Club, ClubHead, ViewerClub } from '#features/clubs/contract.ts';
import {
  eventsOfPage,
  viewerFieldsOfClub,
  type EventsOfPage,
  type ViewerRow,
} from '#features/events/queries.ts';
import type { Member, MemberForAdmin } from '#features/members/contract.ts';
import { role, type AdminOf, type MemberOf } from '#features/members/rules.ts';
import { membersForAdmin, membersOf } from '#features/members/store.ts';
import { newestOf } from '#features/updates/store.ts';

export type ClubRef = Pick<Club, 'id' | 'slug' | 'club_name'>;

/** Adds a club without members. It gets the first free slug for its name; `on conflict` also covers concurrent inserts. */
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
  throw new Error('slugsFor must yield slugs without end');
}

/** The versions of the parts of a club page, each of which is read and cached on its own. */
export interface PageVersions {
  head: string | null;
  members: string | null;
  events: string | null;
  /** Of what all event cards show, such as names. */
  cards: string | null;
}

/** The parts of a club page to read. */
export interface PartsToRead {
  head: boolean;
  members: boolean;
  events: Parameters<typeof eventsOfPage>[2] | null;
}

/** Parts of a club page as all members see them; null where not asked for. */
export interface SharedParts {
  /** Of what this server has read. */
  versions: PageVersions;
  head: ClubHead | null;
  /** One member more than the page shows. */
  members: { member_count: number; members: Member[] } | null;
  events: EventsOfPage | null;
}

/** Reads parts of a club page in one snapshot. It takes no viewer: no viewer field can be in it. */
export async function sharedParts(
  db: ReadDb,
  club_id: string,
  now: Instant,
  { head, members, events }: PartsToRead,
): Promise<SharedParts> {
  const none = sql`null::json`;
  const parts = await first(
    db,
    sql<SharedParts>`
      select ${head ? one(headOf(club_id)) : none} as head, ${members ? one(countedMembersOf(club_id)) : none} as members,
        ${events ? one(eventsOfPage(club_id, now, events)) : none} as events,
        (${versionsOf(club_id)}) as versions
      from clubs where id = ${club_id}`,
  );
  return parts ?? fail('not_found');
}

const one = (statement: RawBuilder<unknown>) => sql`(select row_to_json(part) from (${statement}) as part)`;

const versionsOf = (club: unknown) => sql`
  select json_build_object(
    'head', (bit_xor(version) filter (where part in ('page', 'cards')))::text,
    'members', (bit_xor(version) filter (where part = 'members'))::text,
    'events', (bit_xor(version) filter (where part in ('cards', 'events')))::text,
    'cards', (bit_xor(version) filter (where part = 'cards'))::text) as versions
  from club_versions where club_id = ${club}`;

const headOf = (club_id: string) => sql`
  select id, slug, club_name, club_description, location_name, json_build_object('website', website) as meta,
    profile_picture_url, profile_banner_url, ${isoTimestamp('created_at')} as created_at, version,
    ${asJson(newestOf(club_id, 1))} -> 0 as latest_update
  from clubs where id = ${club_id}`;

const countedMembersOf = (club_id: string) => sql`
  select (select count(*)::int from members where club_id = ${club_id}) as member_count,
    ${asJson(membersOf(club_id))} as members`;

export const membersForAdminOf = (db: Db, { club_id }: MemberOf): Promise<MemberForAdmin[]> =>
  all(db, membersForAdmin(club_id, {}));

/** The identity of the viewer and, for members, their access to the club. */
export interface ClubPreload extends Identity {
  access?: ClubAccess;
}

/** A membership, the viewer fields of the club and its events, and the versions of the club page. */
export interface ClubAccess {
  membership: MemberOf;
  viewer: ViewerClub;
  viewerRows: ViewerRow[];
  versions: PageVersions;
}

interface PreloadRequest extends Credentials {
  club: string;
}

interface PreloadRow extends MemberOf, IdentityRow {
  versions: PageVersions;
  calendar_secret: string;
  first_steps: ViewerClub['first_steps'];
  viewer_rows: ViewerRow[];
}

/** Look-ups of the same tick share one query. */
const loadPreload = databaseBatchLoader(async (db: Db, requests: readonly PreloadRequest[]) => {
  const clockOffset = requests[0]?.clockOffset ?? 0;
  const accesses = requests.map(({ access }) => access);
  const ids = requests.map(({ club }) => (isUuid(club) ? club : null));
  const slugs = requests.map(({ club }) => (isUuid(club) ? null : club));
  // The limits keep the planner on index look-ups per request, however large the batch is.
  return all(
    db,
    sql<PreloadRow | (IdentityRow & { club_id: null })>`
      select clock.now, session.user_id as id, session.id as session_id, m.club_id, m.user_id, m.club_role, m.calendar_secret, v.versions,
        case when m.first_steps is not null and m.club_role = ${role.admin} then json_build_object(
          'invited', exists (select from invite_links where club_id = m.club_id),
          'calendar_added', m.first_steps = 'calendar_added') end as first_steps,
        case when m.club_id is not null then ${viewerFieldsOfClub(sql`m.club_id`, sql`m.user_id`, sql`clock.now`)} end as viewer_rows
      from ${clock(clockOffset)} as clock
      cross join unnest(${accesses}::bytea[], ${ids}::uuid[], ${slugs}::text[])
        with ordinality as asked (access_hash, id, slug, place)
      left join lateral ${session} as session on true
      left join lateral (
        (select id from clubs where id = asked.id limit 1)
        union all (select id from clubs where slug = asked.slug limit 1)
      ) as c on true
      left join lateral (
        select * from members where club_id = c.id and user_id = session.user_id limit 1
      ) as m on true
      left join lateral (
        ${versionsOf(sql`m.club_id`)}
      ) as v on true
      order by asked.place`,
  );
});

/** Returns no `access` for outsiders. */
export async function preload(db: Db, credentials: Credentials, club: string): Promise<ClubPreload> {
  const row = await loadPreload(db, { ...credentials, club });
  const identity = identityOf(row);
  if (row.club_id === null) return identity;
  const { versions, club_id, user_id, club_role, calendar_secret, first_steps, viewer_rows } = row;
  return {
    ...identity,
    access: {
      membership: { club_id, user_id, club_role } as MemberOf,
      viewer: { ical_feed_url_id: calendar_secret, my_club_role: club_role, first_steps },
      viewerRows: viewer_rows,
      versions,
    },
  };
}

export interface ClubPatch {
  club_name?: string | undefined;
  club_description?: string | undefined;
  location_name?: string | null | undefined;
  website?: string | null | undefined;
}

/** Updates the given fields. The version is only incremented if a value changes. */
export async function updateClub(
  db: Db,
  { club_id }: AdminOf,
  changes: ClubPatch,
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

const pictureColumns = { avatar: sql`profile_picture_url`, banner: sql`profile_banner_url` };

/** Sets or clears the URL of a picture. The version stays: it is that of the fields in the form. */
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

export const deleteClub = (db: Db, { club_id }: AdminOf) =>
  run(db, sql`delete from clubs where id = ${club_id}`);
