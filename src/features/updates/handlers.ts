import type { Handlers } from '#platform/http/endpoint.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { asAdmin, asMember, requireSameClub } from '#features/members/store.ts';
import { everyMember, notify } from '#features/notifications/store.ts';
import type { updates } from '#features/updates/contract.ts';
import * as store from '#features/updates/store.ts';

const hour = 60 * 60;

export const handlers: Handlers<typeof updates> = {
  async publish({ db, user, now }, { club, clubId, content }) {
    const admin = await asAdmin(db, user, club);
    await requireSameClub(db, admin, clubId);
    await limit(db, `updates-an-hour:${admin.club_id}`, { max: 5, seconds: hour, now });
    await limit(db, `updates-a-day:${admin.club_id}`, { max: 20, seconds: 24 * hour, now });
    const update = await store.addUpdate(db, admin, content, now);
    const { club_id, user_id: actor } = admin;
    await notify(
      db,
      { kind: 'club_update', actor, club_id, cause: update.id, update: content, now },
      everyMember,
    );
    return update;
  },

  ofClub: async ({ db, user }, { club }) => store.newest(db, await asMember(db, user, club), 200),
};
