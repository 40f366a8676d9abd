import type { Choice } from '#features/account/contract.ts';
import { isOnlyAdmin, type Seat } from '#features/members/rules.ts';

/** What becomes of a club when one of its members is gone: it stays, it goes too, somebody takes over, or who knows. */
export type Fate = 'stays' | 'goes' | 'undecided' | { successor: string };

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
