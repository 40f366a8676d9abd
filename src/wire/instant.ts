import { z } from 'zod';

// PostgreSQL has no year 0, and years of more than four digits break the comparison as text.
const hasPlainYear = (text: string) => /^(?!0000)\d{4}-/.test(new Date(text).toISOString());

/**
 * A timestamp, in the same format in rows, on the wire and in code: ISO 8601 in UTC with milliseconds, so that string
 * order is chronological order.
 */
export const Instant = z.iso
  .datetime({ offset: true, abort: true })
  .refine(hasPlainYear, { abort: true, message: 'is too far away' })
  .overwrite((text) => new Date(text).toISOString())
  .describe('A moment in UTC, ISO 8601 with milliseconds');
export type Instant = string;

export const instant = (time: Date | number): Instant => new Date(time).toISOString();

export const addSeconds = (from: Instant, seconds: number): Instant =>
  instant(Date.parse(from) + seconds * 1000);

/** Seconds from `from` to `to`, rounded up; negative when `to` is earlier. */
export const secondsBetween = (from: Instant, to: Instant): number =>
  Math.ceil((Date.parse(to) - Date.parse(from)) / 1000);
