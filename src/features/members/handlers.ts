import { randomUUID } from 'node:crypto';
import type { Handlers } from '#platform/http/endpoint.ts';
import { failIf } from '#wire/errors.ts';
import type { members } from '#features/members/contract.ts';
import {
  type AdminOf,
  longestStandingAdmin,
  whyCannotEject,
  whyCannotLeave,
  whyCannotTakeRole,
} from '#features/members/rules.ts';
import * as store from '#features/members/store.ts';
import { onlyMember } from '#features/notifications/queries.ts';
import { notify } from '#features/notifications/store.ts';

export const handlers: Handlers<typeof members> = {
  ofClub: async ({ db, user }, { club, after }) =>
    store.pageOfMembers(db, await store.asReadingMember(db, user, club), after),

  async forAdmin({ db, user, screen }, { club, ...filter }) {
    const admin = await store.asReadingAdmin(db, user, club);
    const page = await store.pageForAdmin(db, admin, { ...filter, ...(screen && { size: screen.rows }) });
    if (page.more !== null) screen?.leaveOutRows();
    return page;
  },

  async leave({ db, user, now }, { club }) {
    const membership = await store.asMember(db, user, await store.lockClub(db, club));
    const memberships = await store.memberships(db, membership);
    failIf(whyCannotLeave(memberships, user.id));
    // whyCannotLeave() guarantees that another admin exists.
    const successor = longestStandingAdmin(memberships, user.id) as string;
    await store.removeMember(db, { club_id: membership.club_id, user_id: user.id, successor }, now);
    return null;
  },

  async eject({ db, user, now, record }, { club, member }) {
    const admin = await store.asAdmin(db, user, club);
    failIf(whyCannotEject(await store.memberships(db, admin), user.id, member));
    await store.recordEjection(db, admin, member, now);
    const removal = byAdmin(admin);
    await notify(db, { kind: 'member_removed', ...removal, now }, onlyMember(member));
    const removed = { club_id: admin.club_id, user_id: member, successor: user.id, removal: removal.cause };
    await store.removeMember(db, removed, now);
    record('member_ejected', { club: admin.club_id, member });
    return null;
  },

  async changeRole({ db, user, now, record }, { club, member, role }) {
    const admin = await store.asAdmin(db, user, club);
    const memberships = await store.memberships(db, admin);
    failIf(whyCannotTakeRole(memberships, member, role));
    if (await store.changeRole(db, admin, member, role)) {
      const old_role = memberships.find(({ user_id }) => user_id === member)?.club_role;
      const change = { kind: 'role_changed', ...byAdmin(admin), member, old_role, role, now } as const;
      await notify(db, change, onlyMember(member));
      record('role_changed', { club: admin.club_id, member, role });
    }
    return null;
  },
};

/** A member can be removed or change role repeatedly, so each occurrence gets its own cause. */
const byAdmin = ({ club_id, user_id }: AdminOf) => ({ club_id, actor: user_id, cause: randomUUID() });
