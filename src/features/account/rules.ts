import type { Instant } from '#wire/instant.ts';
import type { Choice } from '#features/account/contract.ts';
import { isOnlyAdmin, role, type Membership } from '#features/members/rules.ts';

/** That somebody was deleted; the mark does not tell who. */
export interface DeletionRecord {
  digest: string;
  /** A day: nobody needs to know it closer. */
  deleted_on: string;
}

/** What becomes of a club when one of its members is gone: it stays, it goes too, somebody takes over, or who knows. */
export type Fate = 'stays' | 'goes' | 'undecided' | { successor: string };

/** For somebody whom nobody can ask: who is longest in the club takes over, organisers first; with nobody else it goes. */
export function successorOf(memberships: readonly Membership[], user: string): string | undefined {
  const others = memberships.filter((membership) => membership.user_id !== user);
  return (others.find((membership) => membership.club_role === role.organiser) ?? others[0])?.user_id;
}

/** The marks of deletions are kept a little longer than copies of the database are. */
export const deletionRecordDays = 35;

export const dayOf = (moment: Instant): string => moment.slice(0, 10);

/** What the mark of a deletion is called outside of the database. */
export const fileOf = ({ digest, deleted_on }: DeletionRecord): string => `${deleted_on}.${digest}`;

export function deletionIn(file: string): DeletionRecord | undefined {
  const [, deleted_on, digest] = /^(\d{4}-\d\d-\d\d)\.([\w-]{43})$/.exec(file) ?? [];
  return deleted_on && digest ? { digest, deleted_on } : undefined;
}

/** A choice that nobody needs, or whose successor is no member any more, counts as none. */
export function fateOf(memberships: readonly Membership[], user: string, choice: Choice | undefined): Fate {
  if (!isOnlyAdmin(memberships, user)) return 'stays';
  const others = memberships.filter((membership) => membership.user_id !== user);
  if (others.length === 0) return 'goes';
  if (!choice) return 'undecided';
  if ('delete' in choice) return 'goes';
  const { successor } = choice;
  return others.some((membership) => membership.user_id === successor) ? { successor } : 'undecided';
}
