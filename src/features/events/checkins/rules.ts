import { addSeconds, type Instant } from '#wire/instant.ts';
import type { ErrorCode } from '#wire/errors.ts';
import type { Event } from '#features/events/contract.ts';
import { isCancelled } from '#features/events/rules.ts';

const hour = 60 * 60;

/** Check-in is open from two hours before the start to 14 days after the end. */
export function whyCannotCheckIn(
  event: Pick<Event, 'start_time' | 'end_time' | 'deleted_at'>,
  now: Instant,
): ErrorCode | undefined {
  if (isCancelled(event)) return 'event_cancelled';
  const isOpen =
    addSeconds(event.start_time, -2 * hour) <= now && now <= addSeconds(event.end_time, 14 * 24 * hour);
  return isOpen ? undefined : 'check_in_closed';
}

/** The last entry for each person. */
export const lastOfEach = <Each extends { user_id: string }>(users: readonly Each[]): Each[] => [
  ...new Map(users.map((each) => [each.user_id, each])).values(),
];
