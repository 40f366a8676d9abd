import { cachedFormat } from '#wire/cached-format.ts';
import { instant, type Instant } from '#wire/instant.ts';

const day = 24 * 60 * 60_000;

const wallFormat = cachedFormat('en-GB', {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  hourCycle: 'h23',
});

/** The local date and time in the time zone, as a `Date` whose UTC fields hold them. */
export function wallTime(date: Date | number, timeZone?: string): Date {
  const parts = wallFormat(timeZone).formatToParts(date);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((each) => each.type === type)?.value ?? 0);
  return new Date(
    Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')),
  );
}

/** The calendar day in a time zone: '2026-11-24'. */
export const dateIn = (timeZone: string, time: Instant): string =>
  instant(wallTime(Date.parse(time), timeZone)).slice(0, 10);

/** The inverse of `wallTime`. A time that a clock change skips moves forward; of a repeated time the first counts. */
export function atWallTime(wall: Date | number, timeZone?: string): Date {
  const at = Number(wall);
  const offset = (near: number) => wallTime(near, timeZone).getTime() - Math.floor(near / 1000) * 1000;
  const before = at - offset(at - day);
  const after = at - offset(at + day);
  const matching = [before, after].filter((time) => wallTime(time, timeZone).getTime() === at);
  return new Date(matching.length > 0 ? Math.min(...matching) : before);
}
