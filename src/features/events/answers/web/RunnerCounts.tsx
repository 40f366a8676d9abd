import { Link } from 'react-router';
import { mayCome } from '#features/events/answers/form-rules.ts';
import type { Event } from '#features/events/contract.ts';
import { hasEnded, isCancelled } from '#features/events/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { CalendarsThatKnow } from './CalendarsThatKnow.tsx';
import { NudgeShort, SectionCounts } from './SectionCounts.tsx';
import { t } from '#features/events/answers/messages.ts';

/** Whether the page shows how many people a change has reached: until the event starts. */
const isReachShown = ({ event, now }: RunnerCountsProps) => Boolean(event.reach) && event.start_time > now;

type RunnerCountsProps = { event: Event; now: Instant };

/** What the host and the admins know about the people of an event. */
export const RunnerCounts = (props: RunnerCountsProps) => (
  <>
    <SectionCounts event={props.event} />
    <NudgeShort {...props} />
    <Confirmed {...props} />
    {/* With numbers of people, the line is below them. */}
    {!isReachShown(props) && <CalendarsThatKnow {...props} className="mt-3" />}
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
