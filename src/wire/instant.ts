import { z } from 'zod';

// A row holds no year 0, and moments of more than four digits of year no longer compare as text.
const hasPlainYear = (text: string) => /^(?!0000)\d{4}-/.test(new Date(text).toISOString());

/**
 * A moment, the same in a row, on the wire and in code: ISO 8601 in UTC with milliseconds, so that
 * comparing two as text compares them in time.
 */
export const Instant = z.iso
  .datetime({ offset: true, abort: true })
  .refine(hasPlainYear, { abort: true, message: 'is too far away' })
  .overwrite((text) => new Date(text).toISOString())
  .describe('A moment in UTC, ISO 8601 with milliseconds');
export type Instant = string;

export const instant = (moment: Date | number): Instant => new Date(moment).toISOString();

export const addSeconds = (from: Instant, seconds: number): Instant =>
  instant(Date.parse(from) + seconds * 1000);

/** Whole seconds from one moment to another, rounded up; negative when `to` is earlier. */
export const secondsBetween = (from: Instant, to: Instant): number =>
  Math.ceil((Date.parse(to) - Date.parse(from)) / 1000);
