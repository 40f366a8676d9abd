import { instant, type Instant } from '#wire/instant.ts';
import { atWallTime } from '#wire/wall-time.ts';
import type { DemoClub, Occasion, DemoSeries } from '#app/demo/club.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** The demo covers this many days before and after today. */
const span = 35;

/** An event with absolute times. */
export interface Occurrence extends Omit<
  Occasion,
  'time_zone' | 'inDays' | 'time' | 'minutes' | 'entryUntil'
> {
  start_time: Instant;
  end_time: Instant;
  entry_until_time: Instant;
  time_zone: string;
}

/** All events of a club within the span of the demo. */
export function occurrencesOf(club: DemoClub, now: number): Occurrence[] {
  const today = Date.parse(dateOf(club, now));
  const regular = Array.from({ length: 2 * span }, (_, index) => index - span).flatMap((inDays) =>
    club.series
      .filter(({ everyWeeks, weekday }) => {
        const isItsWeek = Math.floor((inDays + span) / 7) % everyWeeks === 0;
        return isItsWeek && new Date(today + inDays * day).getUTCDay() === weekday;
      })
      .map((series) => occasionOf(series, inDays)),
  );
  return [...regular, ...club.occasions].map((occasion) => datesOf(occasion, today, club.time_zone));
}

/** The date at a time in the club's time zone. */
export const dateOf = ({ time_zone: timeZone }: DemoClub, time: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date(time));

export const noonOf = (club: DemoClub, time: number): number =>
  localTime(`${dateOf(club, time)}T12:00`, club.time_zone);

const occasionOf = ({ cancelledIn = [], ...series }: DemoSeries, inDays: number): Occasion => ({
  ...series,
  inDays,
  isCancelled: cancelledIn.includes(Math.floor(inDays / 7)),
});

function datesOf(occasion: Occasion, today: number, zone: string): Occurrence {
  const { inDays, time, minutes, entryUntil = 0, time_zone = zone, ...texts } = occasion;
  const date = instant(today + inDays * day).slice(0, 10);
  const start = localTime(`${date}T${time}`, time_zone);
  return {
    ...texts,
    time_zone,
    start_time: instant(start),
    end_time: instant(start + minutes * minute),
    entry_until_time: instant(start + entryUntil * minute),
  };
}

const localTime = (dateTime: string, timeZone: string): number =>
  Number(atWallTime(Date.parse(`${dateTime}Z`), timeZone));
