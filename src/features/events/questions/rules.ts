import type { ErrorCode } from '#wire/errors.ts';
import type { Instant } from '#wire/instant.ts';
import type { Event } from '#features/events/contract.ts';
import { hasEnded, isCancelled } from '#features/events/rules.ts';

/** Members can ask until the end of an event that is not cancelled. */
export function whyCannotAskHosts(
  event: Pick<Event, 'end_time' | 'deleted_at'>,
  now: Instant,
): ErrorCode | undefined {
  if (isCancelled(event)) return 'event_cancelled';
  return hasEnded(event, now) ? 'event_ended' : undefined;
}
