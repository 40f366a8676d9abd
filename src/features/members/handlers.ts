import { randomUUID } from 'node:crypto';
import type { Context } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { raise } from '#platform/notices/raise.ts';
import { failIf } from '#wire/errors.ts';
import type { members } from '#features/members/contract.ts';
import {
  longestStandingAdmin,
  whyCannotEject,
  whyCannotLeave,
  whyCannotTakeRole,
  type AdminOf,
} from '#features/members/rules.ts';
import { pageOfLog } from '#features/members/log-queries.ts';
import { memberRemoved, roleChanged } from '#features/members/notices.ts';
import { membersAmong, onlyUsers } from '#features/members/queries.ts';
import * as store from '#features/members/store.ts';
import type { ClubRole } from '#features/users/contract.ts';

export const handlers: Handlers<typeof members> = {
  ofClub: async ({ db, user }, { club, ...filter }) =>
    store.pageOfMembers(db, await store.asReadingMember(db, user, club), filter),

  async forAdmin({ db, user, screen }, { club, ...filter }) {
    const admin = await store.asReadingAdmin(db, user, club);
    const page = await store.pageForAdmin(db, admin, { ...filter, ...(screen && { size: screen.rows }) });
    if (page.more !== null) screen?.leaveOutRows();
    return page;
  },

  log: async ({ db, user }, { club, after }) =>
    pageOfLog(db, await store.asReadingAdmin(db, user, club), after),

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
    await store.addLogEntry(db, admin, { kind: 'ejected', user_id: member }, now);
    const [dedupeKey, { club_id }] = [randomUUID(), admin];
    const facts = { club_id, club_name: await store.clubNameOf(db, admin) };
    await raise(db, memberRemoved, { facts, actor: user.id, dedupeKey, now }, onlyUsers(member));
    await store.removeMember(db, { club_id, user_id: member, successor: user.id, removal: dedupeKey }, now);
    record('member_ejected', { club: admin.club_id, member });
    return null;
  },

  async changeRole(context, { club, member, role }) {
    const { db, user } = context;
    await giveRole(context, await store.asAdmin(db, user, club), { actor: user.id, member, role });
    return null;
  },
};

/** Gives a member a role and notifies them. Without an actor, the operator gives the role. */
export async function giveRole(
  { db, now, record }: Pick<Context, 'db' | 'now' | 'record'>,
  admin: AdminOf,
  { actor, member, role }: { actor: string | null; member: string; role: ClubRole },
): Promise<void> {
  const memberships = await store.memberships(db, admin);
  failIf(whyCannotTakeRole(memberships, member, role));
  // whyCannotTakeRole() guarantees that the user is a member.
  const before = { role: memberships.find(({ user_id }) => user_id === member)?.club_role as ClubRole };
  if (before.role === role) return;
  await store.changeRole(db, admin, member, role);
  const change = { kind: 'role', user_id: member, role: { before: before.role, now: role } } as const;
  await store.addLogEntry(db, admin, change, now);
  const facts = { club_id: admin.club_id, role, before };
  await raise(db, roleChanged, { facts, actor, now }, membersAmong(admin.club_id, [member]));
  record('role_changed', { club: admin.club_id, member, role });
}
