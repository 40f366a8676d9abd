import type { Context, ReadContext } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { jsonField, jsonSerializer, mergeJson, requireVersion } from '#platform/http/reply.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { shared } from '#platform/http/shared.ts';
import { raise } from '#platform/notices/raise.ts';
import type { Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import {
  ClubEventLists,
  ClubMembersForAdmin,
  LeftOut,
  SharedClub,
  ViewerClub,
  type clubs,
} from '#features/clubs/contract.ts';
import { eventsAtFirst, maxClubs, websiteFrom } from '#features/clubs/rules.ts';
import * as store from '#features/clubs/store.ts';
import type { Phase } from '#features/events/contract.ts';
import { cardsFor } from '#features/events/handlers.ts';
import { phaseOf } from '#features/events/rules.ts';
import { firstPageIn, type ListedEvent } from '#features/events/queries.ts';
import type { Member } from '#features/members/contract.ts';
import { firstMembers, role, type AdminOf } from '#features/members/rules.ts';
import { clubDeleted } from '#features/clubs/notices.ts';
import { eventsByFollower } from '#features/clubs/queries.ts';
import { snapshotsOf } from '#features/events/notice-queries.ts';
import { onlyUsers } from '#features/members/queries.ts';
import { firstPage } from '#features/members/list-queries.ts';
import {
  asAdmin,
  asReadingAdmin,
  lockUpcomingEvents,
  requireSameClub,
  addLogEntry,
  addMember,
  setFirstSteps,
} from '#features/members/store.ts';
import type { ClubRole } from '#features/users/contract.ts';

const day = 24 * 60 * 60;

const json = {
  shared: jsonSerializer(SharedClub),
  lists: jsonSerializer(ClubEventLists),
  viewer: jsonSerializer(ViewerClub),
  forAdmin: jsonSerializer(ClubMembersForAdmin),
  leftOut: jsonSerializer(LeftOut),
};

/**
 * The club page as JSON: once with the first hundred members, once with only the members that a server-rendered screen
 * shows.
 */
const clubJson = shared(store.sharedClub, ({ members: read, ...club }) => {
  const { members, more } = firstPage(read);
  const pageWith = (shown: Member[]) => json.shared({ ...club, members: shown, more_members: more });
  const shown = members.slice(0, firstMembers);
  const [whole, atFirst] = [pageWith(members), pageWith(shown)];
  return {
    whole,
    atFirst,
    membersLeftOut: members.length - shown.length,
    size: whole.length + atFirst.length,
  };
});

/** The first page of events of each phase, and the cursors of the next pages. */
function firstPages(rows: readonly ListedEvent[], now: Instant) {
  const pageIn = (phase: Phase) =>
    firstPageIn(
      phase,
      rows.filter((event) => phaseOf(event, now) === phase),
    );
  const [upcoming, in_progress, previous] = [pageIn('upcoming'), pageIn('in_progress'), pageIn('previous')];
  return {
    pages: { upcoming: upcoming.rows, in_progress: in_progress.rows, previous: previous.rows },
    more_events: { upcoming: upcoming.more, in_progress: in_progress.more, previous: previous.more },
  };
}

type Pages = ReturnType<typeof firstPages>['pages'];

/** How many events of each phase a server-rendered screen leaves out. */
function leftOutOf(pages: Pages, shown: Pages) {
  const rest = (phase: Phase) => pages[phase].length - shown[phase].length;
  return { upcoming: rest('upcoming'), in_progress: rest('in_progress'), previous: rest('previous') };
}

/**
 * The page for a member: the fields that all members see, with the member's own fields added. For outsiders the club
 * does not exist.
 */
async function pageFor({ db, user: viewer, now, screen }: ReadContext, ref: string) {
  const found = (await store.clubOfMember(db, { viewer, ref, now })) ?? fail('not_found');
  const { club_id: id, version, ical_feed_url_id, event_count, ...rest } = found;
  const { muted, latest_update_read_at, needs_second_admin, handover } = rest;
  const { club_role, is_planner } = viewer.memberships.get(id) ?? fail('not_found');
  const my_club_role = club_role as ClubRole;
  const { pages, more_events } = firstPages(found.events, now);
  const shown = screen ? eventsAtFirst(pages, screen.rows) : pages;
  const wanted = new Set(Object.values(shown).flat());
  // Filtered from all events, which are ordered by start time.
  const events = found.events.filter((event) => wanted.has(event));
  // Requested in the same tick, so that one statement reads both.
  const [club, cards] = await Promise.all([clubJson(db, { id, version }, now), cardsFor(db, events, now)]);
  const first_steps = my_club_role === role.admin ? found.first_steps : null;
  const mine = {
    my_club_role,
    is_planner,
    muted,
    latest_update_read_at,
    first_steps,
    needs_second_admin,
    handover,
  };
  const own = json.viewer({ ical_feed_url_id, ...mine });
  const lists = mergeJson(json.lists({ event_count, more_events }), jsonField('events', cards));
  const left_out = { ...leftOutOf(pages, shown), members: club.membersLeftOut };
  const isWhole = Object.values(left_out).every((count) => count === 0);
  if (!screen || isWhole) return mergeJson(mergeJson(club.whole, own), lists);
  screen.leaveOutRows();
  return mergeJson(mergeJson(mergeJson(club.atFirst, own), lists), json.leftOut({ left_out }));
}

export const handlers: Handlers<typeof clubs> = {
  async create({ db, user, now }, { club_name }) {
    await limit(db, `clubs-a-day:${user.id}`, { max: 10, seconds: day, now });
    // `limit` locks its row, so concurrent requests of one user are serialised and cannot both pass this check.
    if ((await store.countAdministered(db, user.id)) >= maxClubs) fail('too_many_clubs');
    const club = await store.addClub(db, { club_name, founder: user.id }, now);
    await addMember(
      db,
      { club_id: club.id, user_id: user.id, club_role: role.admin, first_steps: 'open' },
      now,
    );
    await addLogEntry(db, { club_id: club.id, user_id: user.id }, { kind: 'founded' }, now);
    return club;
  },

  async setFirstSteps({ db, user }, { club, first_steps }) {
    await setFirstSteps(db, await asAdmin(db, user, club), first_steps);
    return null;
  },

  get: (context, { club }) => pageFor(context, club),

  async getForAdmin(context, { club }) {
    const { db, user, now } = context;
    const admin = await asReadingAdmin(db, user, club);
    const [page, rows] = await Promise.all([pageFor(context, club), store.membersForAdminOf(db, admin, now)]);
    const { members, more } = firstPage(rows);
    return mergeJson(page, json.forAdmin({ members_for_admin: members, more_members_for_admin: more }));
  },

  async update({ db, user, now, ifVersion }, { club, clubId, meta, location_name, ...fields }) {
    const admin = await asAdmin(db, user, club);
    await requireSameClub(db, admin, clubId);
    if (ifVersion !== undefined) requireVersion(ifVersion, await store.versionOf(db, admin));
    const input = orNull(meta?.website);
    const website = input && (websiteFrom(input) ?? fail('bad_input'));
    const patch = { ...fields, location_name: orNull(location_name), website };
    const { changed, ...updated } = await store.updateClub(db, admin, patch);
    if (changed.length > 0) await addLogEntry(db, admin, { kind: 'settings', fields: changed }, now);
    return updated;
  },

  async remove(context, { club }) {
    const { db, user } = context;
    await removeClub(context, await asAdmin(db, user, club), user.id);
    return null;
  },
};

/** Deletes a club and notifies the members whose events end with it. Without an actor, the operator deletes it. */
export async function removeClub(
  { db, now }: Pick<Context, 'db' | 'now'>,
  admin: AdminOf,
  actor: string | null,
): Promise<void> {
  const { club_id } = admin;
  const upcomingEvents = (await lockUpcomingEvents(db, club_id, now)).filter(({ deleted_at }) => !deleted_at);
  const events = await snapshotsOf(
    db,
    upcomingEvents.map(({ id }) => id),
  );
  const followers = await eventsByFollower(db, Object.keys(events));
  const { club_name } = await store.deleteClub(db, admin);
  await raise(
    db,
    clubDeleted,
    {
      facts: { club_id, club_name, events, mine: [], invited: [] },
      own: Object.fromEntries(followers.map(({ user_id, ...own }) => [user_id, own])),
      actor,
      dedupeKey: club_id,
      now,
    },
    onlyUsers(...followers.map(({ user_id }) => user_id)),
  );
}

/** An empty string clears the field; undefined leaves it unchanged. */
const orNull = (field: string | null | undefined) => (field === '' ? null : field);
