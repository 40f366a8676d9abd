import { randomUUID } from 'node:crypto';
import type { Handlers } from '#platform/http/endpoint.ts';
import { refuseIf } from '#wire/errors.ts';
import type { members } from '#features/members/contract.ts';
import {
  type AdminOf,
  longestStandingAdmin,
  whyCannotEject,
  whyCannotLeave,
  whyCannotTakeRole,
} from '#features/members/rules.ts';
import * as store from '#features/members/store.ts';
import { onlyMember, tell } from '#features/notifications/store.ts';

export const handlers: Handlers<typeof members> = {
  ofClub: async ({ db, user }, { club, after }) =>
    store.pageOfMembers(db, await store.asMember(db, user, club), after),

  forAdmin: async ({ db, user }, { club, ...wanted }) =>
    store.pageForAdmin(db, await store.asReadingAdmin(db, user, club), wanted),

  async leave({ db, user, now }, { club }) {
    const seat = await store.asMember(db, user, await store.lockClub(db, club));
    const seats = await store.seats(db, seat);
    refuseIf(whyCannotLeave(seats, user.id));
    // Who may go leaves an admin behind.
    const heir = longestStandingAdmin(seats, user.id) as string;
    await store.retireClubFeed(db, seat, now);
    await store.giveUpSeat(db, { club_id: seat.club_id, user_id: user.id, heir }, now);
    await store.emailWithdrawal(db, 'left', { club_id: seat.club_id, user_id: user.id }, now);
    return null;
  },

  async eject({ db, user, now, note }, { club, member }) {
    const admin = await store.asAdmin(db, user, club);
    refuseIf(whyCannotEject(await store.seats(db, admin), user.id, member));
    await store.recordEjection(db, admin, member, now);
    const removal = byAdmin(admin);
    await tell(db, { kind: 'member_removed', ...removal, now }, onlyMember(member));
    await store.giveUpSeat(db, { club_id: admin.club_id, user_id: member, heir: user.id }, now);
    await store.withdrawWithRemoval(
      db,
      { club_id: admin.club_id, user_id: member, cause: removal.cause },
      now,
    );
    await store.killRetiredFeeds(db, { club_id: admin.club_id, user_id: member });
    note('member_ejected', { club: admin.club_id, member });
    return null;
  },

  async changeRole({ db, user, now, note }, { club, member, role }) {
    const admin = await store.asAdmin(db, user, club);
    const seats = await store.seats(db, admin);
    refuseIf(whyCannotTakeRole(seats, member, role));
    if (await store.changeRole(db, admin, member, role)) {
      const old_role = seats.find(({ user_id }) => user_id === member)?.club_role;
      const change = { kind: 'role_changed', ...byAdmin(admin), member, old_role, role, now } as const;
      await tell(db, change, onlyMember(member));
      note('role_changed', { club: admin.club_id, member, role });
    }
    return null;
  },
};

/** Both may happen to somebody again and again, so each time is a cause of its own. */
const byAdmin = ({ club_id, user_id }: AdminOf) => ({ club_id, actor: user_id, cause: randomUUID() });
