import { randomUUID } from 'node:crypto';
import { databaseBatchLoader } from '#platform/db/batch-loader.ts';
import { all, asJson, first, isUuid, run, sql, type Db } from '#platform/db/client.ts';
import type { Credentials, Identity } from '#platform/context.ts';
import { slugsFor } from '#platform/slug.ts';
import type { Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import { clock, identityOf, session, type IdentityRow } from '#features/auth/store.ts';
import type { Club, ClubHead, ViewerClub } from '#features/clubs/contract.ts';
import type { SharedCard } from '#features/events/contract.ts';
import { cardsOfClub, viewerFieldsOfClub, type CardVersion, type ViewerRow } from '#features/events/store.ts';
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

/** What a process already has of a club page. */
export interface KnownPage {
  members_version: string;
  events_version: string;
  events: readonly CardVersion[];
  /** Between two starts or ends of its events, a page shows the same ones. */
  from: Instant;
  until: Instant;
}

/** A club page as all members see it. Parts that are known and have not changed are null. */
export interface SharedPage extends Omit<ClubHead, 'more_events'> {
  members_version: string;
  members: Member[] | null;
  events_version: string;
  /** Per phase one event more than the page shows. */
  events: (CardVersion & { card: SharedCard | null })[] | null;
}

/** Reads the shared part of a club page, except for what is known. It takes no viewer: no viewer field can be in it. */
export async function sharedPage(
  db: Db,
  club_id: string,
  now: Instant,
  known: KnownPage | undefined,
): Promise<SharedPage> {
  const cards = { known: known?.events ?? [], base: sql<string>`parts.cards` };
  const knownEvents = known && known.from <= now && now < known.until ? known.events_version : null;
  const page = await first(
    db,
    sql<SharedPage>`
      select c.id, c.slug, c.club_name, c.club_description, c.location_name,
        json_build_object('website', c.website) as meta, c.profile_picture_url, c.profile_banner_url, c.created_at, c.version,
        (select count(*)::int from members where club_id = c.id) as member_count,
        parts.members as members_version,
        case when parts.members = ${known?.members_version ?? null}::text then null
          else ${asJson(membersOf(club_id))} end as members,
        (select count(*)::int from events where owner_club_id = c.id) as event_count,
        parts.events as events_version,
        case when parts.events = ${knownEvents}::text then null
          else ${asJson(cardsOfClub(club_id, now, cards))} end as events,
        ${asJson(newestOf(club_id, 1))} -> 0 as latest_update
      from clubs c
      cross join lateral (
        select coalesce(bit_xor(version) filter (where part = 'members'), 0)::text as members,
          coalesce(bit_xor(version) filter (where part = 'cards'), 0)::text as cards,
          coalesce(bit_xor(version) filter (where part in ('cards', 'events')), 0)::text as events
        from club_versions where club_id = c.id) as parts
      where c.id = ${club_id}`,
  );
  return page ?? fail('not_found');
}

export const membersForAdminOf = (db: Db, { club_id }: MemberOf): Promise<MemberForAdmin[]> =>
  all(db, membersForAdmin(club_id, {}));

/** The identity of the viewer and, for members, their access to the club. */
export interface ClubPreload extends Identity {
  access?: ClubAccess;
}

/** A membership, the viewer fields of the club and its events, and the version of the club page. */
export interface ClubAccess {
  membership: MemberOf;
  viewer: ViewerClub;
  viewerRows: ViewerRow[];
  version: string;
}

interface PreloadRequest extends Credentials {
  club: string;
}

interface PreloadRow extends MemberOf, IdentityRow {
  version: string;
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
      select clock.now, session.user_id as id, session.id as session_id, m.club_id, m.user_id, m.club_role, m.calendar_secret, versions.version,
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
        select coalesce(bit_xor(version), 0)::text as version from club_versions where club_id = m.club_id
      ) as versions on true
      order by asked.place`,
  );
});

/** Returns no `access` for outsiders. */
export async function preload(db: Db, credentials: Credentials, club: string): Promise<ClubPreload> {
  const row = await loadPreload(db, { ...credentials, club });
  const identity = identityOf(row);
  if (row.club_id === null) return identity;
  const { version, club_id, user_id, club_role, calendar_secret, first_steps, viewer_rows } = row;
  return {
    ...identity,
    access: {
      membership: { club_id, user_id, club_role } as MemberOf,
      viewer: { ical_feed_url_id: calendar_secret, my_club_role: club_role, first_steps },
      viewerRows: viewer_rows,
      version,
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
