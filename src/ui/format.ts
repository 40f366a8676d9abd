import { t } from '#ui/messages.ts';
import { cachedFormat, viewerZone } from '#wire/cached-format.ts';

/** A point in time, as in the API, in a database row or from the clock. */
export type DateInput = Date | string | number;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const toMillis = (time: DateInput): number => (typeof time === 'string' ? Date.parse(time) : Number(time));

type Parts = Partial<Record<Intl.DateTimeFormatPartTypes, string>>;

const partsOf = (time: DateInput, formatter: Intl.DateTimeFormat): Parts =>
  Object.fromEntries(formatter.formatToParts(toMillis(time)).map(({ type, value }) => [type, value]));

const formats = {
  day: cachedFormat('en-GB', { year: 'numeric', month: '2-digit', day: '2-digit' }),
  full: cachedFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
  time: cachedFormat('en-GB', { hour: 'numeric', minute: '2-digit', hourCycle: 'h12' }),
  short: cachedFormat('en-GB', { day: 'numeric', month: 'short' }),
  shortWithYear: cachedFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' }),
  dayAndMonth: cachedFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' }),
  month: cachedFormat('en-US', { month: 'long', year: 'numeric' }),
  tile: cachedFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' }),
  zone: cachedFormat('en-GB', { timeZoneName: 'short' }),
};

/** 'just now', '5m ago', '3h ago', '2d ago', or the date if it is at least a week ago. */
export function relativeTime(time: DateInput, now: DateInput, timeZone?: string): string {
  const age = toMillis(now) - toMillis(time);
  if (age < MINUTE) return 'just now';
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m ago`;
  if (age < DAY) return `${Math.floor(age / HOUR)}h ago`;
  if (age < 7 * DAY) return `${Math.floor(age / DAY)}d ago`;
  return dayMonthYear(time, timeZone);
}

/** The calendar day as '2026-06-21': for grouping and comparing, and for `<time dateTime>`. */
export function dayKey(time: DateInput, timeZone?: string): string {
  // Called for each row of a list, and `formatToParts` takes three times as long.
  const [day, month, year] = formats.day(timeZone).format(toMillis(time)).split('/');
  return `${year}-${month}-${day}`;
}

let today: { now: DateInput; timeZone: string | undefined; day: string } | undefined;

/** The day of `now`, cached because all rows of a list share it. */
function dayOfNow(now: DateInput, timeZone = viewerZone()): string {
  if (today?.now !== now || today.timeZone !== timeZone)
    today = { now, timeZone, day: dayKey(now, timeZone) };
  return today.day;
}

/** Calendar days from `now` until `time` in the time zone. */
function daysAway(time: DateInput, now: DateInput, timeZone?: string): number {
  return (Date.parse(dayKey(time, timeZone)) - Date.parse(dayOfNow(now, timeZone))) / DAY;
}

/** Whether the time is on the day of `now`. */
export const isToday = (time: DateInput, now: DateInput): boolean => dayKey(time) === dayOfNow(now);

/** 'Today', 'Tomorrow', or 'Sunday 21 June 2026'. */
export function longDate(time: DateInput, now: DateInput, timeZone?: string): string {
  const days = daysAway(time, now, timeZone);
  if (days === 0) return t('today');
  if (days === 1) return t('tomorrow');
  return fullDate(time, timeZone);
}

/** The head of a day in a list: 'Today', 'Tomorrow' or 'Sunday 21 June', with the year unless it is the current one. */
export function dayHead(time: DateInput, now: DateInput): string {
  return withoutYear(longDate(time, now), now);
}

/** The head of a month in a list: 'June', with the year unless it is the current one. */
export function monthHead(time: DateInput, now: DateInput): string {
  return withoutYear(monthYear(time), now);
}

const withoutYear = (text: string, now: DateInput): string =>
  text.replace(` ${dayOfNow(now).slice(0, 4)}`, '');

/** 'Sunday 21 June 2026'. */
export function fullDate(time: DateInput, timeZone?: string): string {
  return formats.full(timeZone).format(toMillis(time)).replace(',', '');
}

/** '7:30 pm'. */
export function time12h(time: DateInput, timeZone?: string): string {
  const { hour, minute, dayPeriod } = partsOf(time, formats.time(timeZone));
  return `${Number(hour)}:${minute} ${dayPeriod?.toLowerCase()}`;
}

/** '21 Jun'. */
export function shortDate(time: DateInput, timeZone?: string): string {
  return formats.short(timeZone).format(toMillis(time));
}

/** 'Sun 21 Jun, 7:30 pm'. */
export const shortDayAndTime = (time: DateInput): string =>
  `${dateTile(time).weekday} ${shortDate(time)}, ${time12h(time)}`;

/** Formats '2026-06-21' as '21 June', with the year unless it is the current one. Days are the same in every zone. */
export const dayAndMonth = (day: string, now: DateInput): string =>
  withoutYear(formats.dayAndMonth('UTC').format(toMillis(day)), now);

/** '21 Jun 2026'. */
export function dayMonthYear(time: DateInput, timeZone?: string): string {
  return formats.shortWithYear(timeZone).format(toMillis(time));
}

/** 'June 2026'. */
export function monthYear(time: DateInput, timeZone?: string): string {
  return formats.month(timeZone).format(toMillis(time));
}

/** The three lines of a date tile: { weekday: 'Sun', day: '21', month: 'Jun' }. */
export function dateTile(
  time: DateInput,
  timeZone?: string,
): { weekday: string; day: string; month: string } {
  const { weekday = '', day = '', month = '' } = partsOf(time, formats.tile(timeZone));
  return { weekday, day, month };
}

/** The short name of the time zone at that time: 'BST', 'GMT-4'. */
export function zoneName(time: DateInput, timeZone?: string): string {
  return partsOf(time, formats.zone(timeZone)).timeZoneName ?? '';
}

/** Whether two time zones have the same local time at that time. The second one defaults to the viewer's. */
export function sameClock(time: DateInput, timeZone: string, other?: string): boolean {
  return dayKey(time, timeZone) + time12h(time, timeZone) === dayKey(time, other) + time12h(time, other);
}

// oxlint-disable-next-line no-restricted-properties -- Firefox has it since 125. Without it, characters are counted.
const segmenter = 'Segmenter' in Intl ? new Intl.Segmenter('en', { granularity: 'grapheme' }) : undefined;

/** Cuts a text after `max` graphemes and adds '…'. Does not read the text beyond the cut. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = text.slice(0, max + 1);
  // In ASCII, each character is a grapheme.
  if (/^[ -~]*$/.test(start)) return `${start.slice(0, max).trimEnd()}…`;
  let [count, end] = [0, 0];
  for (const grapheme of graphemesOf(text)) {
    if (count++ === max) return `${text.slice(0, end).trimEnd()}…`;
    end += grapheme.length;
  }
  return text;
}

function* graphemesOf(text: string): Iterable<string> {
  if (!segmenter) return yield* text;
  for (const { segment } of segmenter.segment(text)) yield segment;
}
