import { useState } from 'react';
import { Link } from 'react-router';
import type { EventCard } from '#features/events/contract.ts';
import { repeatText } from '#features/events/repeat-rules.ts';
import { EventRow, type EventRowProps } from './EventRow.tsx';
import { isCancelled } from '#features/events/rules.ts';
import { t } from '#features/events/home-messages.ts';

type SeriesLineProps = Omit<EventRowProps, 'event'> & {
  series: NonNullable<EventCard['series']>;
  /** The other dates in the list. */
  more: readonly EventCard[];
};

/** How many other dates a series has in a list. Cancelled ones are counted apart: '8 more dates, 1 cancelled'. */
export function moreDates(others: readonly Pick<EventCard, 'deleted_at'>[]): string {
  const cancelled = others.filter(isCancelled).length;
  const n = others.length - cancelled;
  const parts = [n > 0 && t('moreDates', { n }), cancelled > 0 && t('cancelledDates', { n: cancelled })];
  return parts.filter(Boolean).join(', ');
}

const target = 'inline-flex min-h-11 items-center';

/** The line below the first date of a series in a list: the rule, and a button that expands the other dates. */
export function SeriesLine({ series, more, ...row }: SeriesLineProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <p className="relative -mt-3 -mb-2 flex flex-wrap gap-x-4 px-2.5 text-xs text-muted max-md:pl-15 md:px-4">
        <Link to={`/app/series/${series.slug}`} className={`${target} underline`}>
          {repeatText(series)}
        </Link>
        {more.length > 0 && (
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} className={target}>
            {moreDates(more)}
          </button>
        )}
      </p>
      {isOpen && (
        <ul
          aria-label={repeatText(series)}
          className="mb-3 ml-3 border-l-2 border-line max-md:mr-1.5 md:mr-4 md:ml-4"
        >
          {more.map((event) => (
            <li key={event.id}>
              <EventRow event={event} {...row} dated />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
