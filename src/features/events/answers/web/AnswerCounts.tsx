import { Link } from 'react-router';
import type { AnswerList } from '#features/events/answers/contract.ts';
import type { Event } from '#features/events/contract.ts';
import { Card } from '#ui/Card.tsx';
import { t } from '#features/events/answers/messages.ts';

export const listNames = (): Record<AnswerList, string> => ({
  going: t('going'),
  waiting: t('waiting'),
  maybe: t('maybe'),
  no: t('no'),
  silent: t('silent'),
  unconfirmed: t('unconfirmed'),
  unreached: t('unreached'),
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
      <nav aria-label={t('answers')} className="flex flex-wrap gap-px bg-line!">
        {Object.entries(counts).map(([list, count]) => (
          <Link
            key={list}
            to={`/app/events/${event.slug}/answers?list=${list}`}
            replace={current !== undefined}
            preventScrollReset={current !== undefined}
            aria-current={list === current ? 'page' : undefined}
            className="flex min-w-min flex-1 flex-col border-b-3 border-b-transparent bg-surface px-1 pt-3 pb-2.5 text-center transition-colors hover:bg-sunken focus-visible:-outline-offset-2 aria-[current]:border-b-accent aria-[current]:bg-accent-soft"
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
