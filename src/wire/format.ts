import { cachedFormat, readersFormat } from '#wire/cached-format.ts';
import { hasHalfDays, look } from '#wire/look.ts';
import { t } from '#wire/time-messages.ts';
import { wallTime } from '#wire/wall-time.ts';
import { serverTime } from '#wire/server-time.ts';

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
  key: cachedFormat('en-GB', { year: 'numeric', month: '2-digit', day: '2-digit' }),
  full: readersFormat({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
  fullOfYear: readersFormat({ weekday: 'long', day: 'numeric', month: 'long' }),
  halfDays: readersFormat({ hour: 'numeric', minute: '2-digit', hourCycle: 'h12' }),
  wholeDays: readersFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  short: readersFormat({ day: 'numeric', month: 'short' }),
  shortWithYear: readersFormat({ day: 'numeric', month: 'short', year: 'numeric' }),
  shortDay: readersFormat({ weekday: 'short', day: 'numeric', month: 'short' }),
  shortDayWithYear: readersFormat({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }),
  dayAndMonth: readersFormat({ day: 'numeric', month: 'long' }),
  dayMonthAndYear: readersFormat({ day: 'numeric', month: 'long', year: 'numeric' }),
  month: readersFormat({ month: 'long' }),
  monthAndYear: readersFormat({ month: 'long', year: 'numeric' }, 'en-US'),
  weekday: readersFormat({ weekday: 'long' }),
};

/** Formats a time. English dates have no comma after the weekday. */
function written(format: keyof typeof formats, time: DateInput, timeZone?: string): string {
  const text = formats[format](timeZone).format(toMillis(time));
  return look().language === 'en' ? text.replace(',', '') : text;
}

/** 'just now', '5m ago', '3h ago', '2d ago', or the date if it is at least a week ago. */
export function relativeTime(time: DateInput, now: DateInput, timeZone?: string): string {
  const age = toMillis(now) - toMillis(time);
  if (age < MINUTE) return t('justNow');
  if (age < HOUR) return t('minutesAgo', { n: Math.floor(age / MINUTE) });
  if (age < DAY) return t('hoursAgo', { n: Math.floor(age / HOUR) });
  if (age < 7 * DAY) return t('daysAgo', { n: Math.floor(age / DAY) });
  return dayMonthYear(time, timeZone);
}

/** The calendar day as '2026-06-21': for grouping and comparing, and for `<time dateTime>`. */
export function dayKey(time: DateInput, timeZone?: string): string {
  // Called for each row of a list, and `formatToParts` takes three times as long.
  const [day, month, year] = formats.key(timeZone).format(toMillis(time)).split('/');
  return `${year}-${month}-${day}`;
}

let today: { now: DateInput; timeZone: string | undefined; day: string } | undefined;

/** The day of `now`, cached because all rows of a list share it. */
function dayOfNow(now: DateInput, timeZone = look().timeZone): string {
  if (today?.now !== now || today.timeZone !== timeZone)
    today = { now, timeZone, day: dayKey(now, timeZone) };
  return today.day;
}

/** Calendar days from `now` until `time` in the time zone. */
export function daysAway(time: DateInput, now: DateInput, timeZone?: string): number {
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

/** 'today', 'tomorrow', or 'Sunday 21 June 2026', for the middle of a sentence. */
export function longDateInSentence(time: DateInput, now: DateInput): string {
  const days = daysAway(time, now);
  if (days === 0) return t('todayInSentence');
  return days === 1 ? t('tomorrowInSentence') : fullDate(time);
}

const isThisYear = (time: DateInput, now: DateInput, timeZone?: string): boolean =>
  dayKey(time, timeZone).slice(0, 4) === dayOfNow(now, timeZone).slice(0, 4);

/** The head of a day in a list: 'Today', 'Tomorrow' or 'Sunday 21 June', with the year unless it is the current one. */
export function dayHead(time: DateInput, now: DateInput): string {
  const isNear = daysAway(time, now) === 0 || daysAway(time, now) === 1;
  return isNear || !isThisYear(time, now) ? longDate(time, now) : written('fullOfYear', time);
}

/** The head of a month in a list: 'June', with the year unless it is the current one. */
export function monthHead(time: DateInput, now: DateInput): string {
  return isThisYear(time, now) ? written('month', time) : monthYear(time);
}

/** 'Sunday 21 June 2026'. */
export const fullDate = (time: DateInput, timeZone?: string): string => written('full', time, timeZone);

/** '7:30 pm', or with a 24-hour clock '19:30', without a word such as 'Uhr'. */
function clockTime(time: DateInput, timeZone?: string): string {
  if (!hasHalfDays()) return formats.wholeDays(timeZone).format(toMillis(time));
  if (look().language !== 'en') return written('halfDays', time, timeZone).replaceAll(/\s/g, '\u00a0');
  const { hour, minute, dayPeriod } = partsOf(time, formats.halfDays(timeZone));
  return `${Number(hour)}:${minute} ${dayPeriod?.toLowerCase()}`;
}

/** '7:30 pm', or with a 24-hour clock '19:30', in German '19:30 Uhr'. */
export const timeOfDay = (time: DateInput, timeZone?: string): string =>
  hasHalfDays() ? clockTime(time, timeZone) : t('time24', { time: clockTime(time, timeZone) });

/** The ends of a span of time, of which the second has its day if it differs: '7:30 pm' and '9:00 pm'. */
export function spanOf(start: DateInput, end: DateInput, timeZone?: string): { start: string; end: string } {
  return dayKey(start, timeZone) === dayKey(end, timeZone)
    ? { start: clockTime(start, timeZone), end: timeOfDay(end, timeZone) }
    : { start: timeOfDay(start, timeZone), end: shortDayAndTime(end, timeZone) };
}

/** '21 Jun'. */
export const shortDate = (time: DateInput, timeZone?: string): string => written('short', time, timeZone);

/** 'Sun 21 Jun'. */
export const shortDay = (time: DateInput, timeZone?: string): string => written('shortDay', time, timeZone);

/** 'Sun 21 Jun, 7:30 pm'. */
export const shortDayAndTime = (time: DateInput, timeZone?: string): string =>
  t('dayAndTime', { day: shortDay(time, timeZone), time: timeOfDay(time, timeZone) });

/** 'Sunday 21 June 2026, 7:30 pm'. */
export const fullDateAndTime = (time: DateInput, timeZone?: string): string =>
  t('dayAndTime', { day: fullDate(time, timeZone), time: timeOfDay(time, timeZone) });

/** The place that a time zone is named after: 'New York' for 'America/New_York'. */
export const placeOfZone = (zone: string): string =>
  zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');

/**
 * A time of an event as its reader sees it: in the zone of the reader, and also in the zone of the event if its clocks
 * show another time: '7:00 pm (8:00 pm in Berlin)'. Readers whose zone is unknown see the zone of the event.
 */
function inBothZones(
  time: DateInput,
  zone: string,
  write: (timeZone: string, isOtherDay: boolean) => string,
): string {
  const { timeZone = zone } = look();
  const here = write(timeZone, false);
  if (sameClock(time, zone, timeZone)) return here;
  const isOtherDay = dayKey(time, zone) !== dayKey(time, timeZone);
  return t('inPlace', { here, there: write(zone, isOtherDay), place: placeOfZone(zone) });
}

/** 'Sun 21 Jun', with the year unless it is the current one. */
export const dayWithYear = (time: DateInput, timeZone?: string): string =>
  written(isThisYear(time, serverTime(), timeZone) ? 'shortDay' : 'shortDayWithYear', time, timeZone);

/** '7:00 pm (8:00 pm in Berlin)': see `inBothZones`. */
export const eventTime = (time: DateInput, zone: string): string =>
  inBothZones(time, zone, (timeZone, isOtherDay) =>
    isOtherDay ? shortDayAndTime(time, timeZone) : timeOfDay(time, timeZone),
  );

/** 'Tue 24 Nov, 7:00 pm (8:00 pm in Berlin)': see `inBothZones`. */
export const eventDayAndTime = (time: DateInput, zone: string): string =>
  t('dayAndTime', {
    day: dayWithYear(time, look().timeZone ?? zone),
    time: eventTime(time, zone),
  });

type EventTimes = Record<'time_zone' | 'start_time' | 'end_time', string>;

/** '7:00 pm to 8:30 pm (8:00 pm to 9:30 pm in Berlin)': see `inBothZones`. */
export const eventTimes = ({ time_zone: zone, start_time: start, end_time: end }: EventTimes): string =>
  inBothZones(start, zone, (timeZone, isOtherDay) => {
    const span = spanOf(start, end, timeZone);
    return t('span', isOtherDay ? { ...span, start: shortDayAndTime(start, timeZone) } : span);
  });

/** 'Tue 24 Nov, 7:00 pm to 8:30 pm (8:00 pm to 9:30 pm in Berlin)': see `inBothZones`. */
export const eventSpan = (event: EventTimes): string =>
  t('dayAndTime', {
    day: dayWithYear(event.start_time, look().timeZone ?? event.time_zone),
    time: eventTimes(event),
  });

/** Formats '2026-06-21' as '21 June', with the year unless it is the current one. Days are the same in every zone. */
export const dayAndMonth = (day: string, now: DateInput): string =>
  written(day.slice(0, 4) === dayOfNow(now).slice(0, 4) ? 'dayAndMonth' : 'dayMonthAndYear', day, 'UTC');

/** '21 Jun 2026'. */
export const dayMonthYear = (time: DateInput, timeZone?: string): string =>
  written('shortWithYear', time, timeZone);

/** '21 Jun 2026, 7:30 pm'. */
export const dayMonthYearAndTime = (time: DateInput, timeZone?: string): string =>
  t('dayAndTime', { day: dayMonthYear(time, timeZone), time: timeOfDay(time, timeZone) });

/** 'Sun 21 Jun 2026, 7:30 pm'. */
export const shortDateAndTime = (time: DateInput, timeZone?: string): string =>
  t('dayAndTime', { day: written('shortDayWithYear', time, timeZone), time: timeOfDay(time, timeZone) });

/** 'June 2026'. */
export const monthYear = (time: DateInput, timeZone?: string): string =>
  written('monthAndYear', time, timeZone);

/** The three lines of a date tile: { weekday: 'Sun', day: '21', month: 'Jun' }. */
export function dateTile(
  time: DateInput,
  timeZone?: string,
): { weekday: string; day: string; month: string } {
  const { weekday = '', day = '', month = '' } = partsOf(time, formats.shortDay(timeZone));
  return { weekday, day, month };
}

/** 'Tuesday' for 2, its ISO number. The first day of 2024 was a Monday. */
export const weekdayName = (weekday: number): string =>
  formats.weekday('UTC').format(Date.UTC(2024, 0, weekday));

/** Whether two time zones have the same local time at that time. The second one defaults to the reader's. */
export function sameClock(time: DateInput, timeZone: string, other?: string): boolean {
  return Number(wallTime(toMillis(time), timeZone)) === Number(wallTime(toMillis(time), other));
}

// oxlint-disable-next-line no-restricted-properties -- Firefox has it since 125. Without it, characters are counted.
const segmenter = 'Segmenter' in Intl ? new Intl.Segmenter('en', { granularity: 'grapheme' }) : undefined;

/** Cuts a text after `max` graphemes and adds '…'. Segments the text only up to the cut. */
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
