import type { Instant } from '#wire/instant.ts';

// Times as emails and calendars write them, in the zone of the event.

/** A format with one formatter per time zone, because creating a formatter takes much longer than using it. */
function inZones(options: Intl.DateTimeFormatOptions): (timeZone: string, time: Instant) => string {
  const formatters = new Map<string, Intl.DateTimeFormat>();
  return (timeZone, time) => {
    const formatter = formatters.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { ...options, timeZone });
    formatters.set(timeZone, formatter);
    return formatter.format(Date.parse(time));
  };
}

const day = inZones({ weekday: 'short', day: 'numeric', month: 'short' });
const clockTime = inZones({ hour: 'numeric', minute: '2-digit', hourCycle: 'h12' });
const yearIn = inZones({ year: 'numeric' });

/** 'Sat 22 Nov'. */
export const dayIn = (timeZone: string, time: Instant): string => day(timeZone, time).replace(',', '');

/** '7:30 pm'. */
export const timeIn = (timeZone: string, time: Instant): string =>
  clockTime(timeZone, time).replaceAll(/\s/g, ' ');

/** 'Sat 22 Nov, 7:30 pm'. */
export const dayAndTimeIn = (timeZone: string, time: Instant): string =>
  `${dayIn(timeZone, time)}, ${timeIn(timeZone, time)}`;

/** 'Sat 22 Nov 2026, 7:30 pm to 9:00 pm (Europe/Berlin)'. */
export function whenOf({
  time_zone,
  start_time,
  end_time,
}: Record<'time_zone' | 'start_time' | 'end_time', string>): string {
  const [first, last] = [start_time, end_time].map((time) => dayIn(time_zone, time)) as [string, string];
  const until = `${last === first ? '' : `${last}, `}${timeIn(time_zone, end_time)}`;
  return `${first} ${yearIn(time_zone, start_time)}, ${timeIn(time_zone, start_time)} to ${until} (${time_zone.replaceAll('_', ' ')})`;
}
