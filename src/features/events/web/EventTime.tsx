import type { Event } from '#features/events/contract.ts';
import { timesBefore } from '#features/events/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { Badge } from '#ui/Badge.tsx';
import { durationWords } from '#wire/duration.ts';
import { dateTile, dayKey, longDate, sameClock, shortDate, timeOfDay, zoneName } from '#wire/format.ts';
import { t } from '#features/events/messages.ts';

export type EventTimeProps = {
  event: Pick<Event, 'start_time' | 'end_time' | 'time_zone' | 'moved_from' | 'deleted_at'>;
  now: Instant;
};

/** The event time in the viewer's time zone, and in the time zone of the event if it differs. */
export function EventTime({ event, now }: EventTimeProps) {
  const { start_time, end_time, time_zone } = event;
  const elsewhere = !sameClock(start_time, time_zone);
  const sameDay = dayKey(start_time) === dayKey(start_time, time_zone);
  const before = timesBefore(event, now);
  return (
    <>
      {before && (
        <p className="mb-2 text-sm text-muted">
          <Badge tone="warn" className="mr-2">
            {t('moved')}
          </Badge>
          <span className="sr-only">{t('movedFrom')} </span>
          <s>
            {dayKey(before.start_time) !== dayKey(start_time) && `${longDate(before.start_time, now)}, `}
            {hours(before)}
          </s>
        </p>
      )}
      <p>
        <time dateTime={start_time} className="block font-semibold">
          {longDate(start_time, now)}
        </time>
        <span className="block">
          {hours(event)}
          {endsThatDay(event) && <span className="text-muted"> ({durationWords(start_time, end_time)})</span>}
        </span>
      </p>
      {elsewhere && (
        <p className="mt-2 text-sm text-muted">
          {t('yourTimeInZone', { zone: zoneName(start_time) })}{' '}
          <span className="font-medium text-ink">
            {!sameDay && `${longDate(start_time, now, time_zone)}, `}
            {hours(event, time_zone)} ({zoneName(start_time, time_zone)})
          </span>
        </p>
      )}
    </>
  );
}

type Times = Pick<Event, 'start_time' | 'end_time'>;

const endsThatDay = ({ start_time, end_time }: Times, timeZone?: string): boolean =>
  dayKey(start_time, timeZone) === dayKey(end_time, timeZone);

/** '7:30 pm – 9:00 pm', or '9:00 am – Wed 25 Nov, 4:00 pm' if the event ends on another day. */
function hours(event: Times, timeZone?: string): string {
  const { start_time, end_time } = event;
  const start = timeOfDay(start_time, timeZone);
  if (start_time === end_time) return start;
  const { weekday } = dateTile(end_time, timeZone);
  const day = endsThatDay(event, timeZone) ? '' : `${weekday} ${shortDate(end_time, timeZone)}, `;
  return `${start} – ${day}${timeOfDay(end_time, timeZone)}`;
}
