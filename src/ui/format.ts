/** A moment as the wire, a row or the clock gives it. */
export type Moment = Date | string | number;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const millis = (moment: Moment): number => new Date(moment).getTime();

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making a format is dear, so each is made once. Without a zone the viewer's own is meant. */
function format(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options]);
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(locale, options);
  formats.set(key, made);
  return made;
}

function part(
  moment: Moment,
  type: Intl.DateTimeFormatPartTypes,
  options: Intl.DateTimeFormatOptions,
): string {
  const parts = format('en-GB', options).formatToParts(millis(moment));
  return parts.find((candidate) => candidate.type === type)?.value ?? '';
}

/** 'just now', '5m ago', '3h ago', '2d ago', and from a week on the date. */
export function relativeTime(moment: Moment, now: Moment, timeZone?: string): string {
  const age = millis(now) - millis(moment);
  if (age < MINUTE) return 'just now';
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m ago`;
  if (age < DAY) return `${Math.floor(age / HOUR)}h ago`;
  if (age < 7 * DAY) return `${Math.floor(age / DAY)}d ago`;
  return dayMonthYear(moment, timeZone);
}

/** The calendar day as '2026-06-21': for grouping and comparing, and for `<time dateTime>`. */
export function dayKey(moment: Moment, timeZone?: string): string {
  const options: Intl.DateTimeFormatOptions = { year: 'numeric', month: '2-digit', day: '2-digit', timeZone };
  return (['year', 'month', 'day'] as const).map((type) => part(moment, type, options)).join('-');
}

/** Whole calendar days from `now` until the moment, as the days are counted in the zone. */
function daysAway(moment: Moment, now: Moment, timeZone?: string): number {
  return (Date.parse(dayKey(moment, timeZone)) - Date.parse(dayKey(now, timeZone))) / DAY;
}

/** 'Today', 'Tomorrow', or 'Sunday 21 June 2026'. */
export function longDate(moment: Moment, now: Moment, timeZone?: string): string {
  const away = daysAway(moment, now, timeZone);
  if (away === 0) return 'Today';
  if (away === 1) return 'Tomorrow';
  return fullDate(moment, timeZone);
}

/** 'Sunday 21 June 2026'. */
export function fullDate(moment: Moment, timeZone?: string): string {
  const options: Intl.DateTimeFormatOptions = {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone,
  };
  return format('en-GB', options).format(millis(moment)).replace(',', '');
}

/** '7:30 pm'. */
export function time12h(moment: Moment, timeZone?: string): string {
  const options: Intl.DateTimeFormatOptions = {
    hour: 'numeric',
    minute: '2-digit',
    hourCycle: 'h12',
    timeZone,
  };
  const [hour, minute, half] = (['hour', 'minute', 'dayPeriod'] as const).map((type) =>
    part(moment, type, options),
  );
  return `${Number(hour)}:${minute} ${half?.toLowerCase()}`;
}

/** '21 Jun'. */
export function shortDate(moment: Moment, timeZone?: string): string {
  return format('en-GB', { day: 'numeric', month: 'short', timeZone }).format(millis(moment));
}

/** '21 Jun 2026'. */
export function dayMonthYear(moment: Moment, timeZone?: string): string {
  return format('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone }).format(
    millis(moment),
  );
}

/** 'June 2026'. */
export function monthYear(moment: Moment, timeZone?: string): string {
  return format('en-US', { month: 'long', year: 'numeric', timeZone }).format(millis(moment));
}

/** The three lines of a date tile: { weekday: 'Sun', day: '21', month: 'Jun' }. */
export function dateTile(moment: Moment, timeZone?: string): { weekday: string; day: string; month: string } {
  const options: Intl.DateTimeFormatOptions = { weekday: 'short', day: 'numeric', month: 'short', timeZone };
  return {
    weekday: part(moment, 'weekday', options),
    day: part(moment, 'day', options),
    month: part(moment, 'month', options),
  };
}

/** The short name of the zone at that moment: 'BST', 'GMT-4'. */
export function zoneName(moment: Moment, timeZone?: string): string {
  return part(moment, 'timeZoneName', { timeZoneName: 'short', timeZone });
}

/** Whether two zones show the same clock at that moment. Without the second, the viewer's own is meant. */
export function sameClock(moment: Moment, timeZone: string, other?: string): boolean {
  return (
    dayKey(moment, timeZone) + time12h(moment, timeZone) === dayKey(moment, other) + time12h(moment, other)
  );
}

const daysHoursMinutes = (span: number): [days: number, hours: number, minutes: number] => [
  Math.floor(span / DAY),
  Math.floor((span % DAY) / HOUR),
  Math.floor((span % HOUR) / MINUTE),
];

/** What is left until a moment: '6d 23h 59m'; nothing is left of a moment that has passed. */
export function remaining(until: Moment, now: Moment): string {
  const [days, hours, minutes] = daysHoursMinutes(Math.max(0, millis(until) - millis(now)));
  return `${days}d ${hours}h ${minutes}m`;
}

/** How long something lasts: '45 min', '1 h 30 min', '2 days 3 h'. */
export function durationWords(start: Moment, end: Moment): string {
  const [days, hours, minutes] = daysHoursMinutes(Math.max(0, millis(end) - millis(start)));
  const words = [
    days > 0 && `${days} ${days === 1 ? 'day' : 'days'}`,
    hours > 0 && `${hours} h`,
    minutes > 0 && `${minutes} min`,
  ].filter(Boolean);
  return words.join(' ') || '0 min';
}

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** At most so many characters, then '…'. A character is what a reader takes for one. */
export function truncate(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const found = Array.from(characters.segment(text), ({ segment }) => segment);
  return found.length <= longest ? text : `${found.slice(0, longest).join('').trimEnd()}…`;
}
