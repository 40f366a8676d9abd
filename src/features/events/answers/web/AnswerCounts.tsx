import { Link } from 'react-router';
import { mayCome } from '#features/events/answers/form-rules.ts';
import type { AnswerList } from '#features/events/answers/contract.ts';
import type { Event } from '#features/events/contract.ts';
import { hasEnded, isCancelled } from '#features/events/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { Card } from '#ui/Card.tsx';
import { cn } from '#ui/class-names.ts';
import { t } from '#features/events/answers/messages.ts';

export const listNames = (): Record<AnswerList, string> => ({
  going: t('going'),
  waiting: t('waiting'),
  maybe: t('maybe'),
  no: t('no'),
  silent: t('silent'),
  unconfirmed: t('unconfirmed'),
});

type AnswerCountsProps = {
  event: Event;
  /** The open list, if the counts are used to navigate between lists. */
  current?: AnswerList;
};

/** Whether the event has a waitlist, or still has members on it. */
const hasWaitlist = ({ capacity, waitlist, waiting_count }: Event): boolean =>
  waiting_count > 0 || (waitlist && (capacity ?? null) !== null);

/** The number of members for each answer. Each number links to its list. */
export function AnswerCounts({ event, current }: AnswerCountsProps) {
  const counts: Partial<Record<AnswerList, number>> = {
    going: event.user_count,
    ...(hasWaitlist(event) && { waiting: event.waiting_count }),
    maybe: event.maybe_count,
    no: event.no_count,
    silent: event.silent_count,
  };
  return (
    <Card asChild flush>
      <nav
        aria-label={t('answers')}
        className={cn('grid divide-x divide-line', hasWaitlist(event) ? 'grid-cols-5' : 'grid-cols-4')}
      >
        {Object.entries(counts).map(([list, count]) => (
          <Link
            key={list}
            to={`/app/events/${event.slug}/answers?list=${list}`}
            replace={current !== undefined}
            preventScrollReset={current !== undefined}
            aria-current={list === current ? 'page' : undefined}
            className="flex min-w-0 flex-col border-b-3 border-b-transparent px-1 pt-3 pb-2.5 text-center transition-colors hover:bg-sunken focus-visible:-outline-offset-2 aria-[current]:border-b-accent aria-[current]:bg-accent-soft"
          >
            <span className="text-2xl leading-[2rem] font-bold tabular-nums">{count}</span>{' '}
            <span className="text-sm text-muted">{listNames()[list as AnswerList]}</span>{' '}
            {list === 'going' && event.guest_count > 0 && (
              <span className="text-sm text-muted">{t('plusGuests', { n: event.guest_count })}</span>
            )}
          </Link>
        ))}
      </nav>
    </Card>
  );
}

/**
 * How many members have confirmed since they were last asked, with a link to those who have not. Shown until the event
 * ends.
 */
export function Confirmed({ event, now }: { event: Event; now: Instant }) {
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
export function CalendarsThatKnow({ event, now }: { event: Event; now: Instant }) {
  const { calendars } = event;
  if (!calendars || hasEnded(event, now)) return null;
  const { about: changed, known: upToDate, all } = calendars;
  return (
    <p className="mt-3 text-sm text-muted tabular-nums">{t(calendarTexts[changed], { n: upToDate, all })}</p>
  );
}
