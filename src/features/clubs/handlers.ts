import { preloaded, type Handlers } from '#platform/http/endpoint.ts';
import { Shared } from '#platform/http/shared-response.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { requireVersion } from '#platform/http/edit-version.ts';
import { fail } from '#wire/errors.ts';
import type { clubs } from '#features/clubs/contract.ts';
import {
  maxClubs,
  viewerFieldValues,
  viewerFieldPattern,
  validityOf,
  websiteFrom,
  withoutViewerFields,
  type PageOutline,
} from '#features/clubs/rules.ts';
import * as store from '#features/clubs/store.ts';
import { viewerFieldsOfEvents } from '#features/events/store.ts';
import { role } from '#features/members/rules.ts';
import {
  asAdmin,
  asReadingAdmin,
  lockUpcomingEvents,
  requireSameClub,
  addMember,
} from '#features/members/store.ts';
import { followers, notify } from '#features/notifications/store.ts';

const day = 24 * 60 * 60;

export const handlers: Handlers<typeof clubs> = {
  async create({ db, user, now }, { club_name }) {
    await limit(db, `clubs-a-day:${user.id}`, { max: 10, seconds: day, now });
    // `limit` locks its row, so concurrent requests of one user are serialised and cannot both pass this check.
    if ((await store.countAdministered(db, user.id)) >= maxClubs) fail('too_many_clubs');
    const club = await store.addClub(db, club_name, now);
    await addMember(db, { club_id: club.id, user_id: user.id, club_role: role.admin }, now);
    return club;
  },

  get: preloaded({
    preload: (db, credentials, { club }) => store.preload(db, credentials, club),
    async respond({ db, now }, { access }) {
      const { membership, version, viewer } = access ?? fail('not_found');
      return new Shared({
        key: membership.club_id,
        version,
        now,
        async make() {
          const page = await store.pageOf(db, membership.club_id, membership.user_id, now);
          const outline = page.events.map(({ id, start_time, end_time }) => ({ id, start_time, end_time }));
          return {
            data: withoutViewerFields(page),
            own: viewerFieldValues(page, page.events),
            outline,
            ...validityOf(outline, now),
          };
        },
        viewerFields: viewerFieldPattern,
        viewer,
        own: async (outline: PageOutline) =>
          viewerFieldValues(viewer, await viewerFieldsOfEvents(db, membership.user_id, outline)),
      });
    },
  }),

  getForAdmin: async ({ db, user, now }, { club }) =>
    store.pageForAdmin(db, await asReadingAdmin(db, user, club), now),

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
