import { instant, type Instant } from '#wire/instant.ts';
import type { DemoClub, Occasion, Series } from '#app/demo/club.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** The story spans this many days before and after today. */
const span = 35;

/** An event of the story with its moments. */
export interface Occurrence extends Omit<
  Occasion,
  'time_zone' | 'inDays' | 'time' | 'minutes' | 'entryUntil'
> {
  start_time: Instant;
  end_time: Instant;
  entry_until_time: Instant;
  time_zone: string;
}

/** All that a club plans, as far as the story goes. */
export function occurrencesOf(club: DemoClub, now: number): Occurrence[] {
  const today = Date.parse(dateOf(club, now));
  const regular = Array.from({ length: 2 * span }, (_, index) => index - span).flatMap((inDays) =>
    club.series
      .filter(({ everyWeeks, weekday }) => {
        const isItsWeek = Math.floor((inDays + span) / 7) % everyWeeks === 0;
        return isItsWeek && new Date(today + inDays * day).getUTCDay() === weekday;
      })
      .map((series) => once(series, inDays)),
  );
  return [...regular, ...club.occasions].map((occasion) => datesOf(occasion, today, club.time_zone));
}

/** The date that it is where the club is. */
const dateOf = ({ time_zone: timeZone }: DemoClub, moment: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date(moment));

export const noonOf = (club: DemoClub, moment: number): number =>
  localTime(`${dateOf(club, moment)}T12:00`, club.time_zone);

const once = ({ cancelledIn = [], ...series }: Series, inDays: number): Occasion => ({
  ...series,
  inDays,
  isCancelled: cancelledIn.includes(Math.floor(inDays / 7)),
});

function datesOf(occasion: Occasion, today: number, zone: string): Occurrence {
  const { inDays, time, minutes, entryUntil = 0, time_zone = zone, ...words } = occasion;
  const date = instant(today + inDays * day).slice(0, 10);
  const start = localTime(`${date}T${time}`, time_zone);
  return {
    ...words,
    time_zone,
    start_time: instant(start),
    end_time: instant(start + minutes * minute),
    entry_until_time: instant(start + entryUntil * minute),
  };
}

/** The moment at which the clocks of a zone show a date and a time. */
function localTime(dateTime: string, timeZone: string): number {
  const asIfUtc = Date.parse(`${dateTime}Z`);
  const offset = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
    .formatToParts(new Date(asIfUtc))
    .find(({ type }) => type === 'timeZoneName')
    ?.value.slice('GMT'.length);
  return Date.parse(`${dateTime}:00${offset || 'Z'}`);
}
