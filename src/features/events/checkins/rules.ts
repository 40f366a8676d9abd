import { addSeconds, type Instant } from '#wire/instant.ts';
import type { ErrorCode } from '#wire/errors.ts';
import type { Event } from '#features/events/contract.ts';
import { actionFor, hasEnded, isCancelled, isPolled } from '#features/events/rules.ts';

const hour = 60 * 60;

type CheckInTimes = Pick<Event, 'start_time' | 'end_time' | 'deleted_at'>;

/** Check-in is open from two hours before the start to 14 days after the end. */
export function whyCannotCheckIn(event: CheckInTimes, now: Instant): ErrorCode | undefined {
  if (isCancelled(event)) return 'event_cancelled';
  const isOpen =
    addSeconds(event.start_time, -2 * hour) <= now && now <= addSeconds(event.end_time, 14 * 24 * hour);
  return isOpen ? undefined : 'check_in_closed';
}

/** The last entry for each person. */
export const lastOfEach = <Each extends { user_id: string }>(users: readonly Each[]): Each[] => [
  ...new Map(users.map((each) => [each.user_id, each])).values(),
];

export type HostAction = 'check_in' | 'change_of_plan' | 'over';

/** The main action of the host on the page of an event that is not cancelled. */
export function hostAction(event: Parameters<typeof actionFor>[0] & CheckInTimes, now: Instant): HostAction {
  const isOpen = !hasEnded(event, now) && !isPolled(event, now) && !whyCannotCheckIn(event, now);
  if (isOpen) return 'check_in';
  return actionFor(event, now) === 'cancel' ? 'change_of_plan' : 'over';
}
