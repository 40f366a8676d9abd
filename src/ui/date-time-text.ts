import { t } from '#ui/date-time-messages.ts';
import { firstDay, isDayInRange, lastDay } from '#wire/day.ts';
import { instant, isInRange } from '#wire/instant.ts';
import { atWallTime, wallTime } from '#wire/wall-time.ts';

/** The format of a date and time in a field. Fields read other formats too. */
export const DATE_TIME_PATTERN = 'MM/dd/yyyy hh:mm aa';

const outOfRange = () => t('yearOutOfRange', { first: firstDay.slice(0, 4), last: lastDay.slice(0, 4) });

/** The problem with the date and time of a field: the text can't be read (null), or its year is not allowed. */
export function dateTimeProblem(value: Date | null | undefined): string | undefined {
  if (value === null) return t('unreadableDateTime');
  return value && !isInRange(instant(value)) ? outOfRange() : undefined;
}

/** The problem with the day of a field without a time, such as '2026-11-24'. */
export const dayProblem = (day: string): string | undefined =>
  day === '' || isDayInRange(day) ? undefined : outOfRange();

/** Longer texts are not parsed. */
const maxLength = 100;

export const MINUTE_STEP = 5;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const twoDigits = (number: number) => String(number).padStart(2, '0');

/** The parts of a 12-hour clock: hour (1 to 12), minute, and AM or PM. */
export function clockParts(
  date: Date,
  timeZone?: string,
): { hour: number; minute: number; half: 'AM' | 'PM' } {
  const wall = wallTime(date, timeZone);
  return {
    hour: wall.getUTCHours() % 12 || 12,
    minute: wall.getUTCMinutes(),
    half: wall.getUTCHours() < 12 ? 'AM' : 'PM',
  };
}

/** The same day at another time of the 12-hour clock. */
export function withClock(
  date: Date,
  { hour, minute, half }: ReturnType<typeof clockParts>,
  timeZone?: string,
): Date {
  const hours = (hour % 12) + (half === 'PM' ? 12 : 0);
  return atWallTime(wallTime(date, timeZone).setUTCHours(hours, minute, 0, 0), timeZone);
}

export function dateTimeText(date: Date, timeZone?: string): string {
  const { hour, minute, half } = clockParts(date, timeZone);
  const wall = wallTime(date, timeZone);
  const day = `${twoDigits(wall.getUTCMonth() + 1)}/${twoDigits(wall.getUTCDate())}/${String(wall.getUTCFullYear()).padStart(4, '0')}`;
  return `${day} ${twoDigits(hour)}:${twoDigits(minute)} ${half}`;
}

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** The index of the name that begins with the word, or -1. The word must have at least three letters. */
const placeIn = (names: readonly string[], word = ''): number =>
  word.length < 3 ? -1 : names.findIndex((name) => name.startsWith(word));

/** Parses '7pm', '7:30pm', '19:30' or 'noon' as milliseconds since midnight. 24-hour times need minutes. */
function readTime(text: string): number | undefined {
  if (text === 'noon') return 12 * HOUR;
  const [, hours = '', minutes, half] = /^(\d{1,2})(?::(\d{2}))?(?:([ap])\.?m\.?)?$/.exec(text) ?? [];
  const [hour, minute] = [Number(hours), Number(minutes ?? 0)];
  const exists = half ? hour >= 1 && hour <= 12 : minutes !== undefined && hour <= 23;
  if (!exists || minute > 59) return undefined;
  return (half ? (hour % 12) + (half === 'p' ? 12 : 0) : hour) * HOUR + minute * MINUTE;
}

const dateForms: [pattern: RegExp, order: string][] = [
  [/^(\d{1,2})\/(\d{1,2})(?:\/(\d{4}))?$/, 'mdy'],
  [/^(\d{1,2})\.(\d{1,2})(?:\.(\d{4}|\d{2})?)?$/, 'dmy'],
  [/^(\d{4})-(\d{1,2})-(\d{1,2})$/, 'ymd'],
  [/^(\d{1,2})(?:st|nd|rd|th|\.)? ([a-z]{3,})\.?(?: (\d{4}))?$/, 'dmy'],
  [/^([a-z]{3,})\.? (\d{1,2})(?:st|nd|rd|th)?(?: (\d{4}))?$/, 'mdy'],
];

interface WrittenDate {
  year: number | undefined;
  month: number;
  day: number;
}

function readDate(text: string): WrittenDate | undefined {
  for (const [pattern, order] of dateForms) {
    const match = pattern.exec(text);
    if (!match) continue;
    const part = (letter: string) => match[order.indexOf(letter) + 1];
    const [year, month = ''] = [part('y'), part('m')];
    return {
      year: year === undefined ? undefined : Number(year) + (year.length === 2 ? 2000 : 0),
      month: Number(month) || placeIn(months, month) + 1,
      day: Number(part('d')),
    };
  }
  return undefined;
}

/** Midnight of a day in UTC; undefined if the day does not exist. */
function midnight(year: number, { month, day }: WrittenDate): number | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  const exists = year >= 1000 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date.getTime() : undefined;
}

/**
 * The days that a text can mean, as midnights in UTC. The text means the first of these days on which the time is in
 * the future. With `any`, the time may have passed.
 */
function daysFor(text: string, today: number): { days: (number | undefined)[]; any?: boolean } {
  if (text === 'today') return { days: [today], any: true };
  if (text === 'tomorrow') return { days: [today + DAY], any: true };
  const weekday = placeIn(weekdays, text);
  if (weekday >= 0) {
    const next = today + ((weekday - new Date(today).getUTCDay() + 7) % 7) * DAY;
    return { days: [next, next + 7 * DAY] };
  }
  const date = readDate(text);
  if (!date) return { days: [] };
  if (date.year !== undefined) return { days: [midnight(date.year, date)], any: true };
  const thisYear = new Date(today).getUTCFullYear();
  // Up to eight years lie between two leap days.
  return { days: Array.from({ length: 9 }, (_, years) => midnight(thisYear + years, date)) };
}

/**
 * Reads a date and time as people write it: '12/24/2026 07:30 PM', '24.12.2026 19:30', '2026-12-24 19:30', '24 Dec 7pm',
 * 'tue 7:30 pm', 'tomorrow 19:30'. With slashes the month comes first, with dots the day, with hyphens the year. Returns
 * null if the text is not an existing date and time, or is ambiguous.
 */
export function parseDateTime(text: string, now: Date | number, timeZone?: string): Date | null {
  if (text.length > maxLength) return null;
  const words = text
    .toLowerCase()
    .replace(/(\d)\s*([ap]\.?m\b\.?)/g, '$1$2')
    .replace(/(?<=-\d+)t(?=\d)/, ' ')
    .split(/[\s,]+/)
    .filter((word) => word !== '' && word !== 'at');
  const time = readTime(words.at(-1) ?? '') === undefined ? words.shift() : words.pop();
  const sinceMidnight = readTime(time ?? '');
  if (time === undefined || sinceMidnight === undefined) return null;
  const named = words.length > 1 ? placeIn(weekdays, words[0]) : -1;
  const written = words.slice(named >= 0 ? 1 : 0).join(' ');
  // The format with slashes uses a 12-hour clock, so '07:30' without AM or PM is ambiguous.
  if (written.includes('/') && /^(0?[1-9]|1[0-2]):\d+$/.test(time)) return null;

  const today = Math.floor(wallTime(now, timeZone).getTime() / DAY) * DAY;
  const { days, any = false } = daysFor(written, today);
  const day = days.find(
    (each) =>
      each !== undefined && (any || atWallTime(each + sinceMidnight, timeZone).getTime() > Number(now)),
  );
  if (day === undefined || (named >= 0 && new Date(day).getUTCDay() !== named)) return null;
  const date = atWallTime(day + sinceMidnight, timeZone);
  const isOnThatDay = Math.floor(wallTime(date, timeZone).getTime() / DAY) * DAY === day;
  return isOnThatDay ? date : null;
}
