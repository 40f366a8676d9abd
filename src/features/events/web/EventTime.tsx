import type { Event } from '#features/events/contract.ts';
import { timesBefore } from '#features/events/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { Badge } from '#ui/Badge.tsx';
import { Rich } from '#ui/Rich.tsx';
import { durationWords } from '#wire/duration.ts';
import { dayKey, longDate, placeOfZone, sameClock, spanOf, timeOfDay } from '#wire/format.ts';
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
            {dayKey(before.start_time) === dayKey(start_time)
              ? hours(before)
              : t('dayAndHours', { day: longDate(before.start_time, now), hours: hours(before) })}
          </s>
        </p>
      )}
      <p>
        <time dateTime={start_time} className="block font-semibold">
          {longDate(start_time, now)}
        </time>
        <span className="block">
          {endsThatDay(event) ? (
            <Rich
              parts={t.parts(
                'hoursAndDuration',
                { muted },
                { hours: hours(event), duration: durationWords(start_time, end_time) },
              )}
            />
          ) : (
            hours(event)
          )}
        </span>
      </p>
      {elsewhere && (
        <p className="mt-2 text-sm text-muted">
          <Rich
            parts={t.parts(
              'timesThere',
              { there },
              {
                times: sameDay
                  ? hours(event, time_zone)
                  : t('dayAndHours', {
                      day: longDate(start_time, now, time_zone),
                      hours: hours(event, time_zone),
                    }),
                place: placeOfZone(time_zone),
              },
            )}
          />
        </p>
      )}
    </>
  );
}

const muted = (text: string) => <span className="text-muted">{text}</span>;
const there = (text: string) => <span className="font-medium text-ink">{text}</span>;

type Times = Pick<Event, 'start_time' | 'end_time'>;

const endsThatDay = ({ start_time, end_time }: Times, timeZone?: string): boolean =>
  dayKey(start_time, timeZone) === dayKey(end_time, timeZone);

/** '7:30 pm – 9:00 pm', or '9:00 am – Wed 25 Nov, 4:00 pm' if the event ends on another day. */
function hours(event: Times, timeZone?: string): string {
  const { start_time, end_time } = event;
  if (start_time === end_time) return timeOfDay(start_time, timeZone);
  return t('startToEnd', spanOf(start_time, end_time, timeZone));
}
