import { addSeconds, type Instant } from '#wire/instant.ts';

const day = 24 * 60 * 60;

/**
 * Whether the person who made a change is told that it has not reached somebody: if it cannot arrive any more by email, or
 * if it is still on its way to an event that starts within 24 hours.
 */
export const isWorthTelling = (
  { undelivered }: { undelivered: boolean },
  { start_time }: { start_time: Instant },
  at: Instant,
): boolean => undelivered || start_time < addSeconds(at, day);
