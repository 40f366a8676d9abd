import type { z } from 'zod';
import { perDatabase, type Db } from '#platform/db/client.ts';
import { preloaded, type Handlers } from '#platform/http/endpoint.ts';
import { jsonArray, jsonField, jsonSerializer, mergeJson, type Json } from '#platform/http/reply.ts';
import { responseCache, type Cacheable } from '#platform/http/response-cache.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { requireVersion } from '#platform/http/edit-version.ts';
import type { Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import {
  ClubHead,
  ClubMembers,
  ClubMembersForAdmin,
  ViewerClub,
  type clubs,
} from '#features/clubs/contract.ts';
import { maxClubs, validityOf, websiteFrom } from '#features/clubs/rules.ts';
import * as store from '#features/clubs/store.ts';
import { SharedCard, ViewerCard } from '#features/events/contract.ts';
import { firstPages, viewerFieldsOfEvents, type CardVersion } from '#features/events/store.ts';
import type { Member } from '#features/members/contract.ts';
import { isAdmin, role } from '#features/members/rules.ts';
import {
  asAdmin,
  firstPage,
  lockUpcomingEvents,
  requireSameClub,
  addMember,
  setFirstSteps,
} from '#features/members/store.ts';
import { followers, notify } from '#features/notifications/store.ts';

const day = 24 * 60 * 60;

const json = {
  head: jsonSerializer(ClubHead),
  members: jsonSerializer(ClubMembers),
  viewer: jsonSerializer(ViewerClub),
  card: jsonSerializer(SharedCard),
  viewerCard: jsonSerializer(ViewerCard),
  forAdmin: jsonSerializer(ClubMembersForAdmin),
};

/** The shared part of a club page: JSON without viewer fields. */
interface CachedPage extends Cacheable {
  members_version: string;
  events_version: string;
  head: Json<ClubHead>;
  members: Json<z.infer<typeof ClubMembers>>;
  events: readonly (CardVersion & { json: Json<SharedCard> })[];
  more_events: ClubHead['more_events'];
}

/** Maximum size of the cached pages in bytes. */
const maxCache = 32 * 1024 * 1024;

const pagesOf = perDatabase((db) => {
  const cache = responseCache<CachedPage>(maxCache);
  return (key: string, version: string, now: Instant) =>
    cache({ key, version, now, make: (previous) => sharedPage(db, key, now, previous) });
});

/** Reads the shared page and reuses the parts of the `previous` one that have not changed. */
async function sharedPage(db: Db, club_id: string, now: Instant, previous?: CachedPage): Promise<CachedPage> {
  const page = await store.sharedPage(db, club_id, now, previous);
  const { members_version, events_version } = page;
  const members = page.members ? membersJson(page.members) : (previous as CachedPage).members;
  const { events, more_events }: Pick<CachedPage, 'events' | 'more_events'> = page.events
    ? eventsJson(page.events, now, previous)
    : (previous as CachedPage);
  const head = json.head({ ...page, more_events });
  const size = events.reduce((sum, event) => sum + event.json.length, head.length + members.length);
  const parts = { members_version, events_version, head, members, events, more_events };
  return { ...parts, size, ...validityOf(events, now) };
}

function membersJson(rows: Member[]) {
  const { members, more } = firstPage(rows);
  return json.members({ members, more_members: more });
}

function eventsJson(
  rows: NonNullable<store.SharedPage['events']>,
  now: Instant,
  previous: CachedPage | undefined,
) {
  const { events, more_events } = firstPages(rows, now);
  const known = new Map(previous?.events.map((event) => [event.id, event.json]));
  const cards = events.map(({ card, ...event }) => ({
    ...event,
    json: card ? json.card(card) : (known.get(event.id) as Json<SharedCard>),
  }));
  return { events: cards, more_events };
}

/** The page as the viewer sees it: each object of the shared page with the viewer fields appended. */
async function pageFor(db: Db, { membership, viewer, viewerRows, version }: store.ClubAccess, now: Instant) {
  const { club_id, user_id } = membership;
  const { head, members, events } = await pagesOf(db)(club_id, version, now);
  const own = new Map(viewerRows.map((row) => [row.id, row]));
  // The page may be newer than the viewer fields, which were read with the session.
  const added = events.filter(({ id }) => !own.has(id));
  if (added.length > 0)
    for (const row of await viewerFieldsOfEvents(db, user_id, added)) own.set(row.id, row);
  const cards = events.map((event) =>
    mergeJson(event.json, json.viewerCard(own.get(event.id) as ViewerCard)),
  );
  const lists = mergeJson(members, jsonField('events', jsonArray(cards)));
  return mergeJson(mergeJson(head, json.viewer(viewer)), lists);
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
    async respond({ db, now }, { access }) {
      return pageFor(db, access ?? fail('not_found'), now);
    },
  }),

  getForAdmin: preloaded({
    preload: (db, credentials, { club }) => store.preload(db, credentials, club),
    async respond({ db, now }, { access = fail('not_found') }) {
      if (!isAdmin(access.membership)) fail('not_admin');
      const [page, rows] = await Promise.all([
        pageFor(db, access, now),
        store.membersForAdminOf(db, access.membership),
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
    for (const { id, deleted_at } of await lockUpcomingEvents(db, club_id, now)) {
      const cancelled = { kind: 'event_cancelled', actor, club_id, event_id: id, gone: true, now } as const;
      if (!deleted_at) await notify(db, cancelled, followers);
    }
    await store.deleteClub(db, admin);
    return null;
  },
};

/** An empty string clears the field; undefined leaves it unchanged. */
const orNull = (field: string | null | undefined) => (field === '' ? null : field);
