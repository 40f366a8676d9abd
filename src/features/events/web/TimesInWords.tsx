import type { Event } from '#features/events/contract.ts';
import type { Instant } from '#wire/instant.ts';
import { dayKey, placeOfZone, sameClock, timeOfDay, fullDateAndTime } from '#wire/format.ts';
import { isMonthFirst } from '#ui/date-time-text.ts';
import { t } from '#features/events/messages.ts';

/** 'Europe/Berlin' as 'Berlin time'. UTC and its offsets keep their names. */
export function zoneWords(zone: string): string {
  const place = placeOfZone(zone);
  return zone.includes('/') && !zone.startsWith('Etc/') ? t('timeOf', { place }) : place;
}

/** 'Thursday 24 December 2026, 7:30 pm – 8:30 pm (Berlin time)'. */
export function timesInWords(event: Pick<Event, 'start_time' | 'end_time' | 'time_zone'>): string {
  const { start_time, end_time, time_zone } = event;
  const [start, end] = [fullDateAndTime(start_time, time_zone), fullDateAndTime(end_time, time_zone)];
  const sameDay = dayKey(start_time, time_zone) === dayKey(end_time, time_zone);
  const zone = zoneWords(time_zone);
  if (end === start) return t('startInZone', { start, zone });
  return t('startToEndInZone', { start, end: sameDay ? timeOfDay(end_time, time_zone) : end, zone });
}

export type TimesInWordsProps = {
  /** Missing while the start can't be read. */
  start_time: Instant | null | undefined;
  end_time: Instant | null | undefined;
  time_zone: string;
};

/** The time of an event, as the form understands it. Announced to screen readers when it changes. */
export const TimesInWords = ({ start_time, end_time, time_zone }: TimesInWordsProps) => (
  <p role="status" className="mt-1.5 min-h-5.5 text-sm">
    {start_time && end_time && (
      <>
        <span>{timesInWords({ start_time, end_time, time_zone })}</span>
        {isMonthFirst(start_time, time_zone) && <span className="text-muted"> · {t('monthFirst')}</span>}
        {!sameClock(start_time, time_zone) && (
          <span className="block text-muted">{t('yourTime', { time: fullDateAndTime(start_time) })}</span>
        )}
      </>
    )}
  </p>
);
