import type { Instant } from '#wire/instant.ts';
import type { Choice } from '#features/account/contract.ts';
import { isOnlyAdmin, role, type Membership } from '#features/members/rules.ts';

/** Records that a user was deleted. The digest does not reveal who. */
export interface DeletionRecord {
  digest: string;
  /** A date without time: greater precision is not needed. */
  deleted_on: string;
}

/** What happens to a club when a member deletes their account. */
export type ClubOutcome = 'stays' | 'goes' | 'undecided' | { successor: string };

/** The default successor when the user cannot be asked: the longest-standing member, organisers first. */
export function successorOf(memberships: readonly Membership[], user: string): string | undefined {
  const others = memberships.filter((membership) => membership.user_id !== user);
  return (others.find((membership) => membership.club_role === role.organiser) ?? others[0])?.user_id;
}

/** Deletion records are kept a little longer than backups of the database. */
export const deletionRecordDays = 35;

export const dayOf = (time: Instant): string => time.slice(0, 10);

/** The file name of a deletion record in the storage. */
export const fileOf = ({ digest, deleted_on }: DeletionRecord): string => `${deleted_on}.${digest}`;

export function deletionIn(file: string): DeletionRecord | undefined {
  const [, deleted_on, digest] = /^(\d{4}-\d\d-\d\d)\.([\w-]{43})$/.exec(file) ?? [];
  return deleted_on && digest ? { digest, deleted_on } : undefined;
}

/** Ignores a choice that is not needed, or whose successor is no longer a member. */
export function outcomeFor(
  memberships: readonly Membership[],
  user: string,
  choice: Choice | undefined,
): ClubOutcome {
  if (!isOnlyAdmin(memberships, user)) return 'stays';
  const others = memberships.filter((membership) => membership.user_id !== user);
  if (others.length === 0) return 'goes';
  if (!choice) return 'undecided';
  if ('delete' in choice) return 'goes';
  const { successor } = choice;
  return others.some((membership) => membership.user_id === successor) ? { successor } : 'undecided';
}
