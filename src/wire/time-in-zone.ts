import type { Instant } from '#wire/instant.ts';

// Times as emails and calendars write them, in the zone of the event.

/** 'Sat 22 Nov'. */
export const dayIn = (timeZone: string, time: Instant): string =>
  new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone })
    .format(Date.parse(time))
    .replace(',', '');

/** '7:30 pm'. */
export const timeIn = (timeZone: string, time: Instant): string =>
  new Intl.DateTimeFormat('en-GB', { hour: 'numeric', minute: '2-digit', hourCycle: 'h12', timeZone })
    .format(Date.parse(time))
    .replaceAll(/\s/g, ' ');

/** 'Sat 22 Nov, 7:30 pm'. */
export const dayAndTimeIn = (timeZone: string, time: Instant): string =>
  `${dayIn(timeZone, time)}, ${timeIn(timeZone, time)}`;

/** 'Sat 22 Nov 2026, 7:30 pm to 9:00 pm (Europe/Berlin)'. */
export function whenOf({
  time_zone,
  start_time,
  end_time,
}: Record<'time_zone' | 'start_time' | 'end_time', string>): string {
  const year = new Intl.DateTimeFormat('en-GB', { year: 'numeric', timeZone: time_zone }).format(
    Date.parse(start_time),
  );
  const [first, last] = [start_time, end_time].map((time) => dayIn(time_zone, time)) as [string, string];
  const until = `${last === first ? '' : `${last}, `}${timeIn(time_zone, end_time)}`;
  return `${first} ${year}, ${timeIn(time_zone, start_time)} to ${until} (${time_zone.replaceAll('_', ' ')})`;
}
