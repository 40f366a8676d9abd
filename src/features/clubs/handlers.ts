import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { outdated, perDatabase, readFrom, type Db, type ReadDb } from '#platform/db/client.ts';
import type { ReadContext } from '#platform/context.ts';
import { preloaded, type Handlers } from '#platform/http/endpoint.ts';
import {
  jsonArray,
  jsonField,
  jsonSerializer,
  mergeJson,
  requireVersion,
  type Json,
} from '#platform/http/reply.ts';
import { responseCache, type Cacheable } from '#platform/http/response-cache.ts';
import { limit } from '#platform/http/rate-limit.ts';
import type { Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import {
  ClubEventLists,
  ClubHead,
  ClubMembers,
  ClubMembersForAdmin,
  ViewerClub,
  type clubs,
} from '#features/clubs/contract.ts';
import { maxClubs, validityOf, websiteFrom } from '#features/clubs/rules.ts';
import * as store from '#features/clubs/store.ts';
import { SharedCard, ViewerCard, type Phase } from '#features/events/contract.ts';
import { phaseOf } from '#features/events/rules.ts';
import {
  firstPageIn,
  viewerFieldsOfEvents,
  type CardVersion,
  type EventsOfPage,
  type EventTimes,
} from '#features/events/queries.ts';
import { isAdmin, role } from '#features/members/rules.ts';
import {
  asAdmin,
  firstPage,
  lockUpcomingEvents,
  requireSameClub,
  addMember,
  setFirstSteps,
} from '#features/members/store.ts';
import { followers, followersOfDates } from '#features/notifications/queries.ts';
import { notify } from '#features/notifications/store.ts';
import { inSentence } from '#features/series/rules.ts';
import { datesBySeries } from '#features/series/store.ts';

const day = 24 * 60 * 60;

const json = {
  head: jsonSerializer(ClubHead),
  members: jsonSerializer(ClubMembers),
  lists: jsonSerializer(ClubEventLists),
  viewer: jsonSerializer(ViewerClub),
  card: jsonSerializer(SharedCard),
  viewerCard: jsonSerializer(ViewerCard),
  forAdmin: jsonSerializer(ClubMembersForAdmin),
};

/** The shared part of a club page: JSON without viewer fields. */
interface CachedPage extends Cacheable {
  versions: store.PageVersions;
  head: Json<ClubHead>;
  members: Json<z.infer<typeof ClubMembers>>;
  lists: Json<z.infer<typeof ClubEventLists>>;
  events: readonly CachedCard[];
}

interface CachedCard extends CardVersion {
  json: Json<SharedCard>;
}

/** Maximum size of the cached pages in bytes. */
const maxCache = 32 * 1024 * 1024;

/** The cached pages of a primary. They are read from `db`. */
const pagesOf = perDatabase((primary: Db) => {
  const cache = responseCache<CachedPage>(maxCache);
  return (db: ReadDb, club_id: string, versions: store.PageVersions, now: Instant) => {
    const { head, members, events } = versions;
    // Repeated here, because requests that share the response would share the failure of a replica.
    const make = (previous?: CachedPage) =>
      readFrom({ db, primary }, (from) =>
        sharedPage({ db: from, primary }, club_id, versions, now, previous),
      );
    return cache({ key: club_id, version: `${head} ${members} ${events}`, now, make });
  };
});

/** Reads the parts of a page that have changed since `previous`. */
async function sharedPage(
  { db, primary }: Pick<ReadContext, 'db' | 'primary'>,
  club_id: string,
  versions: store.PageVersions,
  now: Instant,
  previous: CachedPage | undefined,
): Promise<CachedPage> {
  const isSame = (part: keyof store.PageVersions) => previous?.versions[part] === versions[part];
  // Between two starts or ends of its events, a page shows the same ones.
  const isSameTime = previous !== undefined && previous.from <= now && now < previous.until;
  const known = previous?.events ?? [];
  const changed = await store.sharedParts(db, club_id, now, {
    head: !isSame('head'),
    members: !isSame('members'),
    events: isSameTime && isSame('events') ? null : { known, base: versions.cards },
  });
  // The primary may be newer than `versions`, a replica also older.
  if (db !== primary && !isDeepStrictEqual(changed.versions, versions)) throw new Error(outdated);
  const parts = {
    ...(previous as CachedPage),
    ...(changed.head && { head: json.head(changed.head) }),
    ...(changed.members && { members: membersJson(changed.members) }),
    ...(changed.events && eventsJson(changed.events, known, now)),
  };
  const { head, members, events } = parts;
  const size = events.reduce((sum, event) => sum + event.json.length, head.length + members.length);
  return { ...parts, versions, size };
}

function membersJson({ member_count, ...rows }: NonNullable<store.SharedParts['members']>) {
  const { members, more } = firstPage(rows.members);
  return json.members({ member_count, members, more_members: more });
}

function eventsJson({ event_count, ids, changed }: EventsOfPage, known: readonly CachedCard[], now: Instant) {
  const cards = new Map(known.map((event) => [event.id, event]));
  for (const { card, ...event } of changed) cards.set(event.id, { ...event, json: json.card(card) });
  const { events, more_events } = firstPages(
    ids.map((id) => cards.get(id) as CachedCard),
    now,
  );
  return { events, lists: json.lists({ event_count, more_events }), ...validityOf(events, now) };
}

/** Cuts `rows` to the first page of each phase, in their original order, and adds the cursors of the next pages. */
function firstPages<Row extends EventTimes>(rows: readonly Row[], now: Instant) {
  const pageIn = (phase: Phase) =>
    firstPageIn(
      phase,
      rows.filter((event) => phaseOf(event, now) === phase),
    );
  const [upcoming, in_progress, previous] = [pageIn('upcoming'), pageIn('in_progress'), pageIn('previous')];
  const shown = new Set([upcoming, in_progress, previous].flatMap(({ rows }) => rows));
  return {
    events: rows.filter((event) => shown.has(event)),
    more_events: { upcoming: upcoming.more, in_progress: in_progress.more, previous: previous.more },
  };
}

/** The page as the viewer sees it: each object of the shared page with the viewer fields appended. */
async function pageFor(
  { db, primary, now }: Pick<ReadContext, 'db' | 'primary' | 'now'>,
  { membership, viewer, viewerRows, versions }: store.ClubAccess,
) {
  const { club_id, user_id } = membership;
  const { head, members, lists, events } = await pagesOf(primary)(db, club_id, versions, now);
  const own = new Map(viewerRows.map((row) => [row.id, row]));
  // The page may be newer than the viewer fields, which were read with the session.
  const added = events.filter(({ id }) => !own.has(id));
  if (added.length > 0)
    for (const row of await viewerFieldsOfEvents(primary, user_id, now, added)) own.set(row.id, row);
  const cards = events.map((event) =>
    mergeJson(event.json, json.viewerCard(own.get(event.id) as ViewerCard)),
  );
  const eventsField = mergeJson(lists, jsonField('events', jsonArray(cards)));
  return mergeJson(mergeJson(head, json.viewer(viewer)), mergeJson(members, eventsField));
}

export const handlers: Handlers<typeof clubs> = {
  async create({ db, user, now }, { club_name }) {
    await limit(db, `clubs-a-day:${user.id}`, { max: 10, seconds: day, now });
    // `limit` locks its row, so concurrent requests of one user are serialised and cannot both pass this check.
    if ((await store.countAdministered(db, user.id)) >= maxClubs) fail('too_many_clubs');
    const club = await store.addClub(db, club_name, now);
    await addMember(
      db,
      { club_id: club.id, user_id: user.id, club_role: role.admin, first_steps: 'open' },
      now,
    );
    return club;
  },

  async setFirstSteps({ db, user }, { club, first_steps }) {
    await setFirstSteps(db, await asAdmin(db, user, club), first_steps);
    return null;
  },

  get: preloaded({
    preload: (db, credentials, { club }) => store.preload(db, credentials, club),
    async respond(context, { access }) {
      return pageFor(context, access ?? fail('not_found'));
    },
  }),

  getForAdmin: preloaded({
    preload: (db, credentials, { club }) => store.preload(db, credentials, club),
    async respond(context, { access = fail('not_found') }) {
      if (!isAdmin(access.membership)) fail('not_admin');
      const [page, rows] = await Promise.all([
        pageFor(context, access),
        store.membersForAdminOf(context.primary, access.membership),
      ]);
      const { members, more } = firstPage(rows);
      return mergeJson(page, json.forAdmin({ members_for_admin: members, more_members_for_admin: more }));
    },
  }),

  async update({ db, user, ifVersion }, { club, clubId, meta, location_name, ...fields }) {
    const admin = await asAdmin(db, user, club);
    await requireSameClub(db, admin, clubId);
    if (ifVersion !== undefined) requireVersion(ifVersion, await store.versionOf(db, admin));
    const input = orNull(meta?.website);
    const website = input && (websiteFrom(input) ?? fail('bad_input'));
    return store.updateClub(db, admin, { ...fields, location_name: orNull(location_name), website });
  },

  async remove({ db, user, now }, { club }) {
    const admin = await asAdmin(db, user, club);
    const { club_id, user_id: actor } = admin;
    const events = (await lockUpcomingEvents(db, club_id, now)).filter(({ deleted_at }) => !deleted_at);
    const cancelled = { kind: 'event_cancelled', actor, club_id, gone: true, now } as const;
    for (const { id } of events.filter(({ series_id }) => !series_id))
      await notify(db, { ...cancelled, event_id: id }, followers);
    for (const { dates, words } of await datesBySeries(db, events)) {
      const repeats = inSentence(words);
      const [event_id = ''] = dates;
      await notify(db, { ...cancelled, event_id, dates, repeats }, followersOfDates(dates));
    }
    await store.deleteClub(db, admin);
    return null;
  },
};

/** An empty string clears the field; undefined leaves it unchanged. */
const orNull = (field: string | null | undefined) => (field === '' ? null : field);
