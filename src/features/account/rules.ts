import type { Instant } from '#wire/instant.ts';
import type { Choice } from '#features/account/contract.ts';
import { isOnlyAdmin, role, type Seat } from '#features/members/rules.ts';

/** That somebody was deleted; the mark does not tell who. */
export interface Erasure {
  mark: string;
  /** A day: nobody needs to know it closer. */
  erased_on: string;
}

/** What becomes of a club when one of its members is gone: it stays, it goes too, somebody takes over, or who knows. */
export type Fate = 'stays' | 'goes' | 'undecided' | { successor: string };

/** For somebody whom nobody can ask: who is longest in the club takes over, organisers first; with nobody else it goes. */
export function heirOf(seats: readonly Seat[], user: string): string | undefined {
  const others = seats.filter((seat) => seat.user_id !== user);
  return (others.find((seat) => seat.club_role === role.organiser) ?? others[0])?.user_id;
}

/** The marks of deletions are kept a little longer than copies of the database are. */
export const erasureDays = 35;

export const dayOf = (moment: Instant): string => moment.slice(0, 10);

/** What the mark of a deletion is called outside of the database. */
export const fileOf = ({ mark, erased_on }: Erasure): string => `${erased_on}.${mark}`;

export function erasureIn(file: string): Erasure | undefined {
  const [, erased_on, mark] = /^(\d{4}-\d\d-\d\d)\.([\w-]{43})$/.exec(file) ?? [];
  return erased_on && mark ? { mark, erased_on } : undefined;
}

/** A choice that nobody needs, or whose successor is no member any more, counts as none. */
export function fateOf(seats: readonly Seat[], user: string, choice: Choice | undefined): Fate {
  if (!isOnlyAdmin(seats, user)) return 'stays';
  const others = seats.filter((seat) => seat.user_id !== user);
  if (others.length === 0) return 'goes';
  if (!choice) return 'undecided';
  if ('delete' in choice) return 'goes';
  const { successor } = choice;
  return others.some((seat) => seat.user_id === successor) ? { successor } : 'undecided';
}
