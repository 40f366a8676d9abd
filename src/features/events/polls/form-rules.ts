import { isInRange, type Instant } from '#wire/instant.ts';

/**
 * The problem with one of several starts in a form. A start is null if its input can't be read, and undefined if it is
 * empty.
 */
export function otherStartProblem(
  starts: readonly (Instant | null | undefined)[],
  at: number,
  now: Instant,
): 'past' | 'same' | 'typed' | undefined {
  const start = starts[at];
  if (start === undefined || (start && start <= now)) return 'past';
  if (start === null || !isInRange(start)) return 'typed';
  return starts.slice(0, at).includes(start) ? 'same' : undefined;
}
