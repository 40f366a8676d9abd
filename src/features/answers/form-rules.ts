import type { ErrorCode } from '#wire/errors.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import type { Event } from '#features/events/contract.ts';
import { hasEnded, isCancelled, isClosed } from '#features/events/rules.ts';

export const maxNudges = 3;
const secondsBetweenNudges = 24 * 60 * 60;

type Nudged = Pick<Event, 'nudges' | 'nudged_at'>;

/** When the organisers may nudge again, unless they have done so too often. */
export const nextNudgeAt = ({ nudged_at }: Nudged): Instant =>
  nudged_at ? addSeconds(nudged_at, secondsBetweenNudges) : '';

/** Nobody is nudged who could not answer any more. */
export function whyCannotNudge(
  event: Nudged & Pick<Event, 'deleted_at' | 'entry_until_time' | 'end_time'>,
  now: Instant,
): ErrorCode | undefined {
  if (isCancelled(event)) return 'event_cancelled';
  if (hasEnded(event, now)) return 'event_ended';
  if (isClosed(event, now)) return 'event_closed';
  if (event.nudges >= maxNudges) return 'nudged_enough';
  return nextNudgeAt(event) > now ? 'nudged_lately' : undefined;
}
