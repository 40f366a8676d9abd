import type { Instant } from '#wire/instant.ts';
import type { ErrorCode } from '#wire/errors.ts';
import type { Choice } from '#features/events/choice-contract.ts';
import type { Event } from '#features/events/contract.ts';
import { hasEnded, isCancelled } from '#features/events/rules.ts';
import type { Vote } from '#features/events/time-contract.ts';

type Poll = Pick<Event, 'deleted_at' | 'polling' | 'entry_until_time' | 'end_time'>;

/** Votes count until the cut-off. */
export function whyCannotVote(event: Poll, now: Instant): ErrorCode | undefined {
  if (isCancelled(event)) return 'event_cancelled';
  return !event.polling || event.entry_until_time <= now ? 'event_closed' : undefined;
}

/** Whether there is one vote for each time that has not passed, and no vote for a time of another event. */
export function isComplete(
  votes: readonly { time: string }[],
  times: readonly Pick<Event, 'id' | 'start_time'>[],
  now: Instant,
): boolean {
  const voted = new Set(votes.map(({ time }) => time));
  const ids = new Set(times.map(({ id }) => id));
  return (
    voted.size === votes.length &&
    [...voted].every((time) => ids.has(time)) &&
    times.every(({ id, start_time }) => start_time <= now || voted.has(id))
  );
}

/** An admin may decide even after the cut-off, but not for a time that has passed. */
export function whyCannotDecide(
  event: Poll,
  { start_time }: Pick<Event, 'start_time'>,
  now: Instant,
): ErrorCode | undefined {
  if (isCancelled(event)) return 'event_cancelled';
  if (hasEnded(event, now)) return 'event_ended';
  return start_time <= now ? 'starts_in_past' : undefined;
}

/** The answer that a vote for the chosen time becomes. */
export const answerOfVote: Record<Vote, Choice> = { yes: 'going', if_needed: 'maybe', no: 'no' };
