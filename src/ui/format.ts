/** A moment as the wire, a row or the clock gives it. */
export type FormatContext = Date | string | number;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const millis = (moment: FormatContext): number => new Date(moment).getTime();

let own: string | undefined;

/** Does something, all in one go, for a viewer in another zone than where this runs. */
export function inZone<T>(zone: string, operation: () => T): T {
  own = zone;
  try {
    return operation();
  } finally {
    own = undefined;
  }
}

/** There are some hundreds of zones; the server, which writes for viewers in all of them, stays small. */
const maxCachedZones = 50;

/** Making a format is dear, so each is made once for a zone. Without a zone the viewer's own is meant. */
function format(locale: string, options: Intl.DateTimeFormatOptions) {
  const made = new Map<string | undefined, Intl.DateTimeFormat>();
  return (timeZone = own): Intl.DateTimeFormat => {
    const known = made.get(timeZone);
    if (known) return known;
    if (made.size >= maxCachedZones) made.clear();
    const fresh = new Intl.DateTimeFormat(locale, { ...options, timeZone });
    made.set(timeZone, fresh);
    return fresh;
  };
}

type Parts = Partial<Record<Intl.DateTimeFormatPartTypes, string>>;

const partsOf = (moment: FormatContext, written: Intl.DateTimeFormat): Parts =>
  Object.fromEntries(written.formatToParts(millis(moment)).map(({ type, value }) => [type, value]));

const formats = {
  day: format('en-GB', { year: 'numeric', month: '2-digit', day: '2-digit' }),
  full: format('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
  time: format('en-GB', { hour: 'numeric', minute: '2-digit', hourCycle: 'h12' }),
  short: format('en-GB', { day: 'numeric', month: 'short' }),
  shortWithYear: format('en-GB', { day: 'numeric', month: 'short', year: 'numeric' }),
  month: format('en-US', { month: 'long', year: 'numeric' }),
  tile: format('en-GB', { weekday: 'short', day: 'numeric', month: 'short' }),
  zone: format('en-GB', { timeZoneName: 'short' }),
};

/** 'just now', '5m ago', '3h ago', '2d ago', and from a week on the date. */
export function relativeTime(moment: FormatContext, now: FormatContext, timeZone?: string): string {
  const age = millis(now) - millis(moment);
  if (age < MINUTE) return 'just now';
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m ago`;
  if (age < DAY) return `${Math.floor(age / HOUR)}h ago`;
  if (age < 7 * DAY) return `${Math.floor(age / DAY)}d ago`;
  return dayMonthYear(moment, timeZone);
}

/** The calendar day as '2026-06-21': for grouping and comparing, and for `<time dateTime>`. */
export function dayKey(moment: FormatContext, timeZone?: string): string {
  const { year, month, day } = partsOf(moment, formats.day(timeZone));
  return `${year}-${month}-${day}`;
}

/** Whole calendar days from `now` until the moment, as the days are counted in the zone. */
function daysAway(moment: FormatContext, now: FormatContext, timeZone?: string): number {
  return (Date.parse(dayKey(moment, timeZone)) - Date.parse(dayKey(now, timeZone))) / DAY;
}

/** 'Today', 'Tomorrow', or 'Sunday 21 June 2026'. */
export function longDate(moment: FormatContext, now: FormatContext, timeZone?: string): string {
  const away = daysAway(moment, now, timeZone);
  if (away === 0) return 'Today';
  if (away === 1) return 'Tomorrow';
  return fullDate(moment, timeZone);
}

/** 'Sunday 21 June 2026'. */
export function fullDate(moment: FormatContext, timeZone?: string): string {
  return formats.full(timeZone).format(millis(moment)).replace(',', '');
}

/** '7:30 pm'. */
export function time12h(moment: FormatContext, timeZone?: string): string {
  const { hour, minute, dayPeriod } = partsOf(moment, formats.time(timeZone));
  return `${Number(hour)}:${minute} ${dayPeriod?.toLowerCase()}`;
}

/** '21 Jun'. */
export function shortDate(moment: FormatContext, timeZone?: string): string {
  return formats.short(timeZone).format(millis(moment));
}

/** '21 Jun 2026'. */
export function dayMonthYear(moment: FormatContext, timeZone?: string): string {
  return formats.shortWithYear(timeZone).format(millis(moment));
}

/** 'June 2026'. */
export function monthYear(moment: FormatContext, timeZone?: string): string {
  return formats.month(timeZone).format(millis(moment));
}

/** The three lines of a date tile: { weekday: 'Sun', day: '21', month: 'Jun' }. */
export function dateTile(
  moment: FormatContext,
  timeZone?: string,
): { weekday: string; day: string; month: string } {
  const { weekday = '', day = '', month = '' } = partsOf(moment, formats.tile(timeZone));
  return { weekday, day, month };
}

/** The short name of the zone at that moment: 'BST', 'GMT-4'. */
export function zoneName(moment: FormatContext, timeZone?: string): string {
  return partsOf(moment, formats.zone(timeZone)).timeZoneName ?? '';
}

/** Whether two zones show the same clock at that moment. Without the second, the viewer's own is meant. */
export function sameClock(moment: FormatContext, timeZone: string, other?: string): boolean {
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
export function remaining(until: FormatContext, now: FormatContext): string {
  const [days, hours, minutes] = daysHoursMinutes(Math.max(0, millis(until) - millis(now)));
  return `${days}d ${hours}h ${minutes}m`;
}

/** How long something lasts: '45 min', '1 h 30 min', '2 days 3 h'. */
export function durationWords(start: FormatContext, end: FormatContext): string {
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
