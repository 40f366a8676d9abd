import { z } from 'zod';
import { formatted } from '#wire/bounded.ts';

/** Times outside of the years 2000 to 2200 are bad input. */
export const firstInstant = '2000-01-01T00:00:00.000Z';
export const lastInstant = '2200-12-31T23:59:59.999Z';

const [first, last] = [Date.parse(firstInstant), Date.parse(lastInstant)];

export const isInRange = (text: string): boolean => first <= Date.parse(text) && Date.parse(text) <= last;

/**
 * A timestamp, in the same format in rows, on the wire and in code: ISO 8601 in UTC with milliseconds, so that string
 * order is chronological order.
 */
export const Instant = formatted(64, z.iso.datetime({ offset: true, abort: true }))
  .refine(isInRange, { abort: true, message: 'must be in the years 2000 to 2200' })
  .overwrite((text) => new Date(text).toISOString());
export type Instant = string;

export const instant = (time: Date | number): Instant => new Date(time).toISOString();

/** The instant, or the nearest one that is valid input. */
export const nearestInstant = (time: Date | number): Instant =>
  instant(Math.min(Math.max(Number(time), first), last));

export const addSeconds = (from: Instant, seconds: number): Instant =>
  nearestInstant(Date.parse(from) + seconds * 1000);

/** Seconds from `from` to `to`, rounded up; negative when `to` is earlier. */
export const secondsBetween = (from: Instant, to: Instant): number =>
  Math.ceil((Date.parse(to) - Date.parse(from)) / 1000);
