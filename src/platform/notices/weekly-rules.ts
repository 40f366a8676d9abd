import { addSeconds, instant, type Instant } from '#wire/instant.ts';
import { atWallTime, wallTime } from '#wire/wall-time.ts';

const day = 24 * 60 * 60;

/** The weekly email of a person, as stored. */
export interface Weekly {
  next_at: Instant;
  /** The last email that was accepted contained the news up to this time. At first the time of the choice. */
  since: Instant;
  /** The end of the news in the last email, which may still be on its way. Null before the first one. */
  until: Instant | null;
}

/** The first Monday 8:00 in this zone after a time. */
export function mondayAfter(time: Instant, zone: string): Instant {
  const wall = wallTime(Date.parse(time), zone);
  const ahead = (8 - wall.getUTCDay()) % 7;
  const mondayIn = (days: number) =>
    instant(
      atWallTime(Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate() + days, 8), zone),
    );
  const monday = mondayIn(ahead);
  return monday > time ? monday : mondayIn(ahead + 7);
}

/** The first Monday 8:00 in this zone that is more than six days after the last email. */
export const weeklyAfter = (last: Instant, zone: string): Instant =>
  mondayAfter(addSeconds(last, 6 * day), zone);

/** The time of the next email after its reader has moved to another zone. */
export const weeklyInZone = ({ until }: Pick<Weekly, 'until'>, zone: string, now: Instant): Instant => {
  const next = until === null ? now : weeklyAfter(until, zone);
  return next > now ? next : mondayAfter(now, zone);
};

/** After a day, an email would come too close to the next one. Its news is left to the next one. */
export const isTooLate = (until: Instant, now: Instant): boolean => now > addSeconds(until, day);

interface News {
  created_at: Instant;
  /** The start of what it is about, if that has one. */
  starts_at: Instant | undefined;
}

/** Whether news that the weekly email could contain is emailed by itself, because it would come too late. */
export function isSentAtOnce({ created_at, starts_at }: News, { next_at, since, until }: Weekly): boolean {
  if (until === null && created_at <= since) return true;
  if (until !== null && created_at <= until) return false;
  return starts_at !== undefined && starts_at < next_at;
}

/** The number of lines that the weekly email shows for each sender. */
const maxLines = 10;

/** Splits the lines of a sender into those that are shown and the number of the others. */
export const shownLines = <Line>(lines: readonly Line[]): { shown: Line[]; more: number } => ({
  shown: lines.slice(0, maxLines),
  more: Math.max(0, lines.length - maxLines),
});
