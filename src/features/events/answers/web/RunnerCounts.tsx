import { Link } from 'react-router';
import { mayCome } from '#features/events/answers/form-rules.ts';
import type { Event } from '#features/events/contract.ts';
import { hasEnded, isCancelled } from '#features/events/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { NudgeShort, SectionCounts } from './SectionCounts.tsx';
import { t } from '#features/events/answers/messages.ts';

type RunnerCountsProps = { event: Event; now: Instant };

/** What the host and the admins know about the people of an event. */
export const RunnerCounts = (props: RunnerCountsProps) => (
  <>
    <SectionCounts event={props.event} />
    <NudgeShort {...props} />
    <Confirmed {...props} />
    <CalendarsThatKnow {...props} />
  </>
);

/**
 * How many members have confirmed since they were last asked, with a link to those who have not. Shown until the event
 * ends.
 */
function Confirmed({ event, now }: RunnerCountsProps) {
  const { confirmed_count, slug } = event;
  if (typeof confirmed_count !== 'number' || isCancelled(event) || hasEnded(event, now)) return null;
  return (
    <p className="mt-3 flex flex-wrap items-center gap-x-3">
      <Link
        to={`/app/events/${slug}/answers?list=unconfirmed`}
        className="inline-flex min-h-11 items-center font-semibold text-accent tabular-nums underline underline-offset-4"
      >
        {t('confirmed', { n: confirmed_count, all: mayCome(event) })}
      </Link>
    </p>
  );
}

const calendarTexts = {
  time: 'calendarsKnowTime',
  place: 'calendarsKnowPlace',
  cancelled: 'calendarsKnowCancelled',
} as const;

/** How many members' calendars show the last new time or place, or the cancellation. Shown until the event ends. */
function CalendarsThatKnow({ event, now }: RunnerCountsProps) {
  const { calendars } = event;
  if (!calendars || hasEnded(event, now)) return null;
  const { about: changed, known: upToDate, all } = calendars;
  return (
    <p className="mt-3 text-sm text-muted tabular-nums">{t(calendarTexts[changed], { n: upToDate, all })}</p>
  );
}
