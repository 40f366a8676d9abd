import { t } from '#ui/date-time-messages.ts';
import { folded, indexOfName, meaningOf } from '#ui/date-words.ts';
import { readersFormat } from '#wire/cached-format.ts';
import { firstDay, isDayInRange, lastDay } from '#wire/day.ts';
import { shortDate, timeOfDay } from '#wire/format.ts';
import { instant, isInRange } from '#wire/instant.ts';
import { hasHalfDays } from '#wire/look.ts';
import { atWallTime, wallTime } from '#wire/wall-time.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The time of a day that is chosen in an empty field without a time. */
export const DEFAULT_TIME = 12 * HOUR;

const numericDate = readersFormat({ day: '2-digit', month: '2-digit', year: 'numeric' }, 'en-US');

type DatePart = 'day' | 'month' | 'year';

/** How the reader's language writes a date in numbers: the order of its parts, and the character between them. */
function numericForm(): { order: DatePart[]; separator: string } {
  const parts = numericDate('UTC').formatToParts(0);
  return {
    order: parts.map(({ type }) => type).filter((type) => type !== 'literal') as DatePart[],
    separator: parts.find(({ type }) => type === 'literal')?.value.trim() ?? '',
  };
}

function inNumericForm(parts: Record<DatePart, string>): string {
  const { order, separator } = numericForm();
  return order.map((part) => parts[part]).join(separator);
}

/** The format of a date and time in a field: 'MM/dd/yyyy hh:mm aa' in English. Fields read other formats too. */
export function dateTimePattern(): string {
  const day = inNumericForm({ day: t('dayPattern'), month: t('monthPattern'), year: t('yearPattern') });
  return `${day} ${t(hasHalfDays() ? 'pattern12' : 'pattern24')}`;
}

/** Whether a date in a field, where the month is first, is another date for people who write the day first. */
export function isMonthFirst(date: Date | string, timeZone?: string): boolean {
  const wall = wallTime(new Date(date), timeZone);
  const { order } = numericForm();
  const day = wall.getUTCDate();
  return order.indexOf('month') < order.indexOf('day') && day <= 12 && day !== wall.getUTCMonth() + 1;
}

const twoDigits = (number: number) => String(number).padStart(2, '0');

export function dateTimeText(date: Date, timeZone?: string): string {
  const wall = wallTime(date, timeZone);
  const hours = wall.getUTCHours();
  const day = inNumericForm({
    day: twoDigits(wall.getUTCDate()),
    month: twoDigits(wall.getUTCMonth() + 1),
    year: String(wall.getUTCFullYear()).padStart(4, '0'),
  });
  const minutes = twoDigits(wall.getUTCMinutes());
  return hasHalfDays()
    ? `${day} ${twoDigits(hours % 12 || 12)}:${minutes} ${hours < 12 ? 'AM' : 'PM'}`
    : `${day} ${twoDigits(hours)}:${minutes}`;
}

const outOfRange = () => t('yearOutOfRange', { first: firstDay.slice(0, 4), last: lastDay.slice(0, 4) });

/** The problem with the date and time of a field: the text can't be read (null), or its year is not allowed. */
export function dateTimeProblem(value: Date | null | undefined): string | undefined {
  if (value !== null) return value && !isInRange(instant(value)) ? outOfRange() : undefined;
  const example = new Date('2026-06-21T19:30:00Z');
  return t('unreadableDateTime', {
    day: shortDate(example, 'UTC'),
    time: timeOfDay(example, 'UTC'),
    example: dateTimeText(example, 'UTC'),
  });
}

/** The problem with the day of a field without a time, such as '2026-11-24'. */
export const dayProblem = (day: string): string | undefined =>
  day === '' || isDayInRange(day) ? undefined : outOfRange();

/** Longer texts are not parsed. */
const maxLength = 100;

/**
 * The words of a text. '7 p.m.' becomes the word '7pm', '19 Uhr' becomes '19oclock', and words such as 'morgen' become
 * the key of their meaning.
 */
function wordsOf(text: string): string[] {
  const written = folded(text)
    .replaceAll(/(?<!\p{L})([ap])\.?m\b\.?/gu, '$1m')
    .replace(/(?<=-\d+)t(?=\d)/, ' ')
    .replaceAll(/(\d)(?:st|nd|rd|th)\b/g, '$1')
    .replaceAll(/(\d\.?)(?=\p{L}{2})/gu, '$1 ')
    .replaceAll(/(?<=\p{L})\./gu, '')
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  const words: string[] = [];
  for (const [at, word] of written.entries()) {
    const meaning = meaningOf(word);
    // In German, 'am' means 'on' if a day follows: '19:30 am 24.12.'.
    const isHalf = /^[ap]m$/.test(word) && (!meaning || at === written.length - 1);
    const suffix = isHalf ? word : meaning === 'oclock' && meaning;
    const previous = words.at(-1) ?? '';
    if (suffix && /\d$/.test(previous)) words.splice(-1, 1, previous + suffix);
    else if (meaning !== 'at') words.push(meaning ?? word);
  }
  return words;
}

interface WrittenTime {
  sinceMidnight: number;
  /** Whether the time can mean two times of the reader's 12-hour clock: '7:30', but not '7:30 pm' or '19:30'. */
  isAmbiguous: boolean;
}

/** Parses '7pm', '7:30pm', '19:30', '19.30', '19h30', '19oclock', 'noon' and 'midnight', which is the end of a day. */
function readTime(word: string): WrittenTime | undefined {
  if (word === 'noon') return { sinceMidnight: 12 * HOUR, isAmbiguous: false };
  if (word === 'midnight') return { sinceMidnight: DAY, isAmbiguous: false };
  const match = /^(\d{1,2})(?:[:.h](\d{2}))?(am|pm|h|oclock)?$/.exec(word);
  if (!match) return undefined;
  const [, hours, minutes, suffix = ''] = match;
  const [hour, minute] = [Number(hours), Number(minutes ?? 0)];
  const hasHalf = suffix === 'am' || suffix === 'pm';
  const isAmbiguous = !hasHalf && !word.includes('h') && hasHalfDays() && hour >= 1 && hour <= 12;
  // Without minutes, '7' is rather a day, and with a 12-hour clock '7 o'clock' is ambiguous.
  if (minutes === undefined && (suffix === '' || isAmbiguous)) return undefined;
  const exists = hasHalf ? hour >= 1 && hour <= 12 : hour <= 23 || (hour === 24 && minute === 0);
  if (!exists || minute > 59) return undefined;
  const hourOfDay = hasHalf ? (hour % 12) + (suffix === 'pm' ? 12 : 0) : hour;
  return { sinceMidnight: hourOfDay * HOUR + minute * MINUTE, isAmbiguous };
}

interface WrittenDate {
  year: number | undefined;
  month: number;
  day: number;
}

/** The separator of a date in numbers. */
const separatorOf = (text: string) => /^\d+([./-]) ?\d/.exec(text)?.[1];

/** The order of a date in numbers: with dots the day is first, with hyphens the year, else as the reader writes it. */
function orderOf(separator: string, first: string): DatePart[] {
  const own = numericForm();
  if (separator === '-' && first.length === 4) return ['year', 'month', 'day'];
  if (separator === '/' || separator === own.separator) return own.order;
  return separator === '.' ? ['day', 'month', 'year'] : ['year', 'month', 'day'];
}

/** Parses '24.12.2026', '24. 12. 2026', '24.12.', '12/24/26' and '2026-12-24'. */
function readNumbers(text: string): WrittenDate | undefined {
  const match = /^(\d+)([./-]) ?(\d+)(?:\2(?:(\d+)| (\d{4})))?\.?$/.exec(text);
  if (!match) return undefined;
  const [, first = '', separator = '', second = '', third = match[5]] = match;
  // '7-8' is rather a span of time.
  if (third === undefined && separator === '-') return undefined;
  const order = orderOf(separator, first).filter((part) => third !== undefined || part !== 'year');
  const part = (name: DatePart) => [first, second, third][order.indexOf(name)];
  const [year, month, day] = [part('year'), Number(part('month')), Number(part('day'))];
  if (year !== undefined && !(order[0] === 'year' ? /^\d{4}$/ : /^(\d{2}|\d{4})$/).test(year))
    return undefined;
  const isSwapped = separator === '/' && month > 12;
  return {
    year: year === undefined ? undefined : Number(year) + (year.length === 2 ? 2000 : 0),
    month: isSwapped ? day : month,
    day: isSwapped ? month : day,
  };
}

/** Parses '24 dec', '24. december 2026' and 'dec 24 2026'. */
function readNamedMonth(text: string): WrittenDate | undefined {
  const match =
    /^(?<day>\d{1,2})\.? (?<month>\p{L}+)(?: (?<year>\d{4}))?$/u.exec(text) ??
    /^(?<month>\p{L}+) (?<day>\d{1,2})\.?(?: (?<year>\d{4}))?$/u.exec(text);
  if (!match?.groups) return undefined;
  const { day, month = '', year } = match.groups;
  return {
    year: year === undefined ? undefined : Number(year),
    month: indexOfName('month', month) + 1,
    day: Number(day),
  };
}

/** Midnight of a day in UTC; undefined if the day does not exist. */
function midnight(year: number, { month, day }: WrittenDate): number | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  const exists = year >= 1000 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date.getTime() : undefined;
}

/** The days that a text can mean, as midnights in UTC. The text means the first of them that fits. */
interface Days {
  days: (number | undefined)[];
  /** Whether the time may have passed. */
  any?: boolean;
}

function daysFor(text: string, today: number): Days {
  if (text === 'today') return { days: [today], any: true };
  if (text === 'tomorrow') return { days: [today + DAY], any: true };
  const weekday = indexOfName('weekday', text.replace(/^next /, ''));
  if (weekday >= 0) {
    const day = today + ((weekday - new Date(today).getUTCDay() + 7) % 7) * DAY;
    if (!text.startsWith('next ')) return { days: [day, day + 7 * DAY] };
    const nextMonday = today + (7 - ((new Date(today).getUTCDay() + 6) % 7)) * DAY;
    return { days: [day < nextMonday ? day + 7 * DAY : day], any: true };
  }
  const date = readNumbers(text) ?? readNamedMonth(text);
  if (!date) return { days: [] };
  if (date.year !== undefined) return { days: [midnight(date.year, date)], any: true };
  const thisYear = new Date(today).getUTCFullYear();
  // Up to eight years lie between two leap days.
  return { days: Array.from({ length: 9 }, (_, years) => midnight(thisYear + years, date)) };
}

const midnightOf = (wall: number) => Math.floor(wall / DAY) * DAY;

interface Context {
  now: number;
  timeZone: string | undefined;
  /** The date that the field had before the person typed. */
  previous: Date | undefined;
}

/** Reads the words for a day and the word for a time, if any. */
function read(dayWords: string[], timeWord: string | undefined, context: Context): Date | undefined {
  const { now, timeZone, previous } = context;
  const time = timeWord === undefined ? undefined : readTime(timeWord);
  if (timeWord !== undefined && !time) return undefined;
  const named = dayWords.length > 1 ? indexOfName('weekday', dayWords[0] ?? '') : -1;
  const dayText = dayWords.slice(named >= 0 ? 1 : 0).join(' ');
  // The format of the field has AM or PM with a 12-hour clock, so without them the time is probably incomplete.
  if (time?.isAmbiguous && separatorOf(dayText) === numericForm().separator) return undefined;

  const previousWall = previous && Number(wallTime(previous, timeZone));
  const sinceMidnight =
    time?.sinceMidnight ??
    (previousWall === undefined ? DEFAULT_TIME : previousWall - midnightOf(previousWall));
  const today = midnightOf(Number(wallTime(now, timeZone)));
  const { days, any = false }: Days =
    dayText !== ''
      ? daysFor(dayText, today)
      : previousWall === undefined
        ? { days: [today, today + DAY] }
        : { days: [midnightOf(previousWall)], any: true };
  const day = days.find(
    (each) => each !== undefined && (any || Number(atWallTime(each + sinceMidnight, timeZone)) > now),
  );
  if (day === undefined || (named >= 0 && new Date(day).getUTCDay() !== named)) return undefined;
  const wall = day + sinceMidnight;
  // If a clock change repeats the time, the field can show the second occurrence.
  if (previousWall !== undefined && Math.floor(previousWall / MINUTE) * MINUTE === wall) return previous;
  const date = atWallTime(wall, timeZone);
  const isOnThatDay = midnightOf(Number(wallTime(date, timeZone))) === midnightOf(wall);
  return isOnThatDay ? date : undefined;
}

/**
 * Reads a date and time as people write it in the reader's language or in English: '12/24/2026 07:30 PM',
 * '24.12.2026 19:30', '2026-12-24 19:30', '24 Dec 7pm', 'di 19 Uhr', 'next tuesday 19:30', 'friday', 'midnight'. A time
 * alone keeps the day of `previous`, a day alone its time. Returns null if the text is not an existing date and time, or
 * is ambiguous.
 */
export function parseDateTime(
  text: string,
  now: Date | number,
  timeZone?: string,
  previous?: Date,
): Date | null {
  if (text.length > maxLength) return null;
  const words = wordsOf(text);
  const context = { now: Number(now), timeZone, previous };
  if (words.length === 0) return null;
  return (
    // First, because '5.12' is rather a day than the time 5:12.
    read(words, undefined, context) ??
    read(words.slice(0, -1), words.at(-1), context) ??
    read(words.slice(1), words[0], context) ??
    null
  );
}
