import { randomUUID } from 'node:crypto';
import type { Context } from '#platform/context.ts';
import { lookOfUser } from '#platform/db/look.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { isWithinLimit, limit } from '#platform/http/rate-limit.ts';
import { raise } from '#platform/notices/raise.ts';
import { ApiError, failIf } from '#wire/errors.ts';
import { addSeconds } from '#wire/instant.ts';
import type { members } from '#features/members/contract.ts';
import type { Afterwards } from '#features/members/handover-contract.ts';
import {
  longestStandingAdmin,
  role,
  whyCannotEject,
  whyCannotLeave,
  whyCannotOffer,
  whyCannotTakeRole,
  type AdminOf,
  type MemberOf,
  type Membership,
} from '#features/members/rules.ts';
import { contactOf, phoneOf } from '#features/members/contact-queries.ts';
import { memberFile } from '#features/members/csv.ts';
import { allMembers, pageForAdmin, pageOfMembers } from '#features/members/list-queries.ts';
import { pageOfLog } from '#features/members/log-queries.ts';
import { handoverAnswered, handoverOffered, memberRemoved, roleChanged } from '#features/members/notices.ts';
import { membersAmong, onlyUsers } from '#features/members/queries.ts';
import * as store from '#features/members/store.ts';
import type { ClubRole } from '#features/users/contract.ts';

const hour = 60 * 60;
const day = 24 * hour;

/** Counts a list that a person downloads, of any club. */
export const limitLists = ({ db, user, now }: Pick<Context<'user'>, 'db' | 'user' | 'now'>): Promise<void> =>
  limit(db, `lists:${user.id}`, { max: 10, seconds: hour, now });

export const handlers: Handlers<typeof members> = {
  ofClub: async ({ db, user }, { club, ...filter }) =>
    pageOfMembers(db, await store.asReadingMember(db, user, club), filter),

  async forAdmin({ db, user, now, screen }, { club, ...filter }) {
    const admin = await store.asReadingAdmin(db, user, club);
    const page = await pageForAdmin(db, admin, { ...filter, now, ...(screen && { size: screen.rows }) });
    if (page.more !== null) screen?.leaveOutRows();
    return page;
  },

  async export({ db, user, now }, { club }) {
    const admin = await store.asAdmin(db, user, club);
    await limitLists({ db, user, now });
    await store.addLogEntry(db, admin, { kind: 'export', list: 'members' }, now);
    const [name, members] = [await store.clubNameOf(db, admin), await allMembers(db, admin, now)];
    return memberFile(await lookOfUser(db, user.id), name, members, now);
  },

  log: async ({ db, user }, { club, after }) =>
    pageOfLog(db, await store.asReadingAdmin(db, user, club), after),

  async leave(context, { club }) {
    const { db, user } = context;
    const membership = await store.asMember(db, user, await store.lockClub(db, club));
    const memberships = await store.memberships(db, membership);
    failIf(whyCannotLeave(memberships, user.id));
    await endMembership(context, membership, memberships);
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

  async offerHandover({ db, user, now }, { club, user_id: to_id, afterwards }) {
    const admin = await store.asAdmin(db, user, club);
    failIf(whyCannotOffer(await store.memberships(db, admin), user.id, to_id));
    const { club_id } = admin;
    await limit(db, `handovers:${club_id}`, { max: 5, seconds: day, now });
    const until = addSeconds(now, 14 * day);
    const offer = await store.addOffer(db, admin, { to_id, afterwards, until });
    await store.addLogEntry(db, admin, { kind: 'handover_offered', user_id: to_id, afterwards }, now);
    const week = { max: 1, seconds: 7 * day, now };
    const hadEmail = !(await isWithinLimit(db, `handover-email:${club_id}:${to_id}`, week));
    const facts = { club_id, offer, before: { hadEmail } };
    await raise(db, handoverOffered, { facts, actor: user.id, now }, membersAmong(club_id, [to_id]));
    return { until };
  },

  async withdrawHandover({ db, user, now }, { club }) {
    const admin = await store.asAdmin(db, user, club);
    const offer = await store.withdrawOffer(db, admin, now);
    if (offer)
      await store.addLogEntry(
        db,
        admin,
        { kind: 'handover_ended', user_id: offer.to_id, reason: 'withdrawn' },
        now,
      );
    return null;
  },

  async acceptHandover(context, { club, from }) {
    const { db, user, now, record } = context;
    const member = await store.asMember(db, user, await store.lockClub(db, club));
    const { id: offer, afterwards } = await store.takeOffer(db, member, from, now);
    const { club_id } = member;
    // An offer ends when its admin is demoted or leaves, so this one still is an admin.
    const admin = await store.asAdmin(db, { id: from }, club_id);
    await store.changeRole(db, admin, user.id, role.admin);
    record('role_changed', { club: club_id, member: user.id, role: role.admin });
    if (afterwards === 'step_down') {
      await store.changeRole(db, admin, from, role.member);
      record('role_changed', { club: club_id, member: from, role: role.member });
    }
    if (afterwards === 'leave') await endMembership(context, admin, await store.memberships(db, admin));
    await store.addLogEntry(db, member, { kind: 'handover_accepted', user_id: from, afterwards }, now);
    await tellAnswer(context, member, { offer, from, answer: 'accepted', afterwards });
    return null;
  },

  async declineHandover(context, { club, from }) {
    const { db, user, now } = context;
    const member = await store.asMember(db, user, await store.lockClub(db, club));
    const { id: offer, afterwards } = await store.takeOffer(db, member, from, now);
    await store.addLogEntry(db, member, { kind: 'handover_ended', user_id: from, reason: 'declined' }, now);
    await tellAnswer(context, member, { offer, from, answer: 'declined', afterwards });
    return null;
  },

  contact: async ({ db, user }, { club }) => contactOf(db, await store.asReadingMember(db, user, club)),

  async setContact({ db, user }, { club, phone_for }) {
    await store.setContact(db, await store.asMember(db, user, await store.lockClub(db, club)), phone_for);
    return { phone_for };
  },

  async mute({ db, user }, { club, muted }) {
    await store.setMuted(db, await store.asMember(db, user, await store.lockClub(db, club)), muted);
    return { muted };
  },

  async phone({ db, user, now }, { club, user: member }) {
    await limit(db, `phones:${user.id}`, { max: 60, seconds: hour, now });
    // Returned instead of thrown, so that the call counts.
    const phone = await phoneOf(db, await store.asMember(db, user, club), member, now);
    return phone === undefined ? new ApiError('not_found') : { phone };
  },
};

/** Removes a member at their own wish. The memberships must contain another admin. */
async function endMembership(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { club_id, user_id }: MemberOf,
  memberships: readonly Membership[],
): Promise<void> {
  const successor = longestStandingAdmin(memberships, user_id) as string;
  await store.removeMember(db, { club_id, user_id, successor }, now);
}

interface OfferAnswer {
  offer: string;
  /** The admin who made the offer, and who may have left the club by its acceptance. */
  from: string;
  answer: 'accepted' | 'declined';
  afterwards: Afterwards;
}

async function tellAnswer(
  { db, now }: Pick<Context, 'db' | 'now'>,
  member: MemberOf,
  { offer, from, answer, afterwards }: OfferAnswer,
): Promise<void> {
  const { club_id, user_id: actor } = member;
  const club_name = await store.clubNameOf(db, member);
  const facts = { club_id, club_name, offer, answer, afterwards };
  await raise(db, handoverAnswered, { facts, actor, now }, onlyUsers(from));
}

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
