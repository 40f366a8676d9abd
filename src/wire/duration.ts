import type { DateInput } from '#wire/format.ts';
import { t } from '#wire/time-messages.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const toMillis = (time: DateInput): number => new Date(time).getTime();

const daysHoursMinutes = (span: number): [days: number, hours: number, minutes: number] => [
  Math.floor(span / DAY),
  Math.floor((span % DAY) / HOUR),
  Math.floor((span % HOUR) / MINUTE),
];

/** The time left: '6d 23h 59m'. Zero if `until` has passed. */
export function remaining(until: DateInput, now: DateInput): string {
  const [days, hours, minutes] = daysHoursMinutes(Math.max(0, toMillis(until) - toMillis(now)));
  // As a string, because numbers would be grouped: '1,000d'.
  return t('timeLeft', { days: String(days), hours, minutes });
}

/** How long something lasts: '45 min', '1 h 30 min', '2 days 3 h'. */
export function durationWords(start: DateInput, end: DateInput): string {
  const [days, hours, minutes] = daysHoursMinutes(Math.max(0, toMillis(end) - toMillis(start)));
  // Ends with a space if there are no minutes.
  return t('duration', { days, hours, minutes }).trim() || t('minutes', { n: 0 });
}
