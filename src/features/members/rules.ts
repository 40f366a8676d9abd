import type { ErrorCode } from '#wire/errors.ts';
import type { Event } from '#features/events/contract.ts';
import type { Member } from '#features/members/contract.ts';
import type { ClubRole } from '#features/users/contract.ts';

export { fullName, ownName } from '#features/users/rules.ts';

export const role = { member: 0, organiser: 100, admin: 200 } as const satisfies Record<string, ClubRole>;

/** The membership of one user in one club. */
export interface Membership {
  user_id: string;
  club_role: ClubRole;
}

declare const right: unique symbol;

/** Proof that a user is a member of a club. Only the store creates it, after checking the database. */
export interface MemberOf {
  club_id: string;
  user_id: string;
  club_role: ClubRole;
  /** Whether the member plans events and publishes updates: admins do, and organisers where the club lets them. */
  is_planner: boolean;
  readonly [right]: 'member';
}

/** Proof that a user plans the events of a club. Writes reserved for planners require it and use its club id. */
export interface PlannerOf extends MemberOf {
  readonly [right]: 'member';
  readonly is_planner: true;
}

/** Proof that a user is an admin of a club. Writes reserved for admins require it and use its club id. */
export interface AdminOf extends PlannerOf {
  readonly [right]: 'member';
  readonly club_role: typeof role.admin;
}

export const isAdmin = (membership: MemberOf): membership is AdminOf => membership.club_role === role.admin;

export const isPlanner = (membership: MemberOf): membership is PlannerOf => membership.is_planner;

/** Whether the viewer is an admin. `my_club_role` decides only if the list of members does not contain the viewer. */
export const isAdminIn = (
  { members, my_club_role }: { members: readonly Pick<Member, 'id' | 'club_role'>[]; my_club_role: ClubRole },
  viewer: string,
): boolean => (members.find(({ id }) => id === viewer)?.club_role ?? my_club_role) === role.admin;

/** The number of members on the club page before 'Show all'. */
export const firstMembers = 8;

/** From this number of members on, lists of members have a search. */
export const manyMembers = 30;

/** Whether a member may read all answers to an event and answer for others: its host and the club's planners may. */
export const isRunner = (
  { is_planner }: Pick<MemberOf, 'is_planner'>,
  { my_role }: Pick<Event, 'my_role'>,
): boolean => is_planner || my_role === 'organiser';

const admins = (memberships: readonly Membership[]) =>
  memberships.filter((membership) => membership.club_role === role.admin);

export const isOnlyAdmin = (memberships: readonly Membership[], user: string): boolean =>
  admins(memberships).every((membership) => membership.user_id === user) && admins(memberships).length > 0;

/** A club must keep at least one admin. The rules for leaving, ejecting and changing roles all enforce this. */
export const whyCannotLeave = (memberships: readonly Membership[], user: string): ErrorCode | undefined =>
  isOnlyAdmin(memberships, user) ? 'only_admin_left' : undefined;

export function whyCannotEject(
  memberships: readonly Membership[],
  actor: string,
  member: string,
): ErrorCode | undefined {
  if (!memberships.some((membership) => membership.user_id === member)) return 'not_found';
  if (isOnlyAdmin(memberships, member)) return 'only_admin_left';
  return actor === member ? 'not_yourself' : undefined;
}

export function whyCannotTakeRole(
  memberships: readonly Membership[],
  member: string,
  next: ClubRole,
): ErrorCode | undefined {
  if (!memberships.some((membership) => membership.user_id === member)) return 'not_found';
  return next !== role.admin && isOnlyAdmin(memberships, member) ? 'only_admin_left' : undefined;
}

/** A club can be handed over to a member who is not an admin yet. */
export function whyCannotOffer(
  memberships: readonly Membership[],
  admin: string,
  to: string,
): ErrorCode | undefined {
  if (to === admin) return 'bad_input';
  const candidate = memberships.find(({ user_id }) => user_id === to);
  if (!candidate) return 'not_found';
  return candidate.club_role === role.admin ? 'already_admin' : undefined;
}

/** The admin who takes over hosting when a host leaves. `memberships` must be in order of joining. */
export const longestStandingAdmin = (
  memberships: readonly Membership[],
  except: string,
): string | undefined => admins(memberships).find((membership) => membership.user_id !== except)?.user_id;

/**
 * People in groups by section, in the order of the sections. Somebody in several sections is in each of these groups,
 * and people without a section are the last group, without a heading. Groups without people are left out.
 */
export function bySection<Person extends { section_ids: readonly string[] }>(
  people: readonly Person[],
  sections: readonly { id: string; name: string }[],
): { heading?: string; people: Person[] }[] {
  const groups = sections.map(({ id, name }) => ({
    heading: name,
    people: people.filter(({ section_ids }) => section_ids.includes(id)),
  }));
  const others = people.filter(({ section_ids }) => !sections.some(({ id }) => section_ids.includes(id)));
  return [...groups, { people: others }].filter((group) => group.people.length > 0);
}
