import { useInfiniteQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useMemo } from 'react';
import { NextPage } from '#web/NextPage.tsx';
import { explain } from '#web/explain.ts';
import { queries } from '#web/queries.ts';
import { useNow } from '#web/useNow.ts';
import { monthAfter } from '#features/clubs/rules.ts';
import { EventList } from '#features/events/answers/web/EventList.tsx';
import { useIsWide } from '#features/members/web/useIsWide.ts';
import { Card } from '#ui/Card.tsx';
import { IconButton } from '#ui/IconButton.tsx';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { monthYear } from '#wire/format.ts';
import { nearestInstant } from '#wire/instant.ts';
import { atWallTime } from '#wire/wall-time.ts';
import type { EventFilter } from './EventFilters.tsx';
import { MonthTable } from './MonthTable.tsx';
import { t } from '#features/clubs/messages.ts';

type EventsOfMonthProps = EventFilter & { slug: string; onChange: (month: string) => void };

/** The start of a month in the time zone of the reader. */
const startOf = (month: string) => nearestInstant(atWallTime(Date.parse(month)));

/** The events that start in a month: a list, or on a wide screen a table of its days. */
export function EventsOfMonth({ slug, month, whose, onChange }: EventsOfMonthProps) {
  const now = useNow();
  const isWide = useIsWide();
  const period = { from: startOf(month), until: startOf(monthAfter(month)) };
  const query = useInfiniteQuery(queries.eventsOfPeriod(slug, period, whose));
  const { data, error, refetch } = query;
  // Without `series`, the list shows a row for each date instead of one row for the series.
  const events = useMemo(
    () => data?.pages.flatMap((page) => page.events.map((event) => ({ ...event, series: null }))) ?? [],
    [data],
  );
  const name = monthYear(month, 'UTC');
  return (
    <section aria-label={t('eventsInMonth', { month: name })}>
      <div className="mb-1 flex items-center">
        <h3 aria-live="polite" className="grow text-sm font-semibold text-muted">
          {name}
        </h3>
        <IconButton
          icon={ChevronLeft}
          label={t('previousMonth')}
          onClick={() => onChange(monthAfter(month, -1))}
        />
        <IconButton icon={ChevronRight} label={t('nextMonth')} onClick={() => onChange(monthAfter(month))} />
      </div>
      {!data && error ? (
        <NotLoaded title={t('eventsNotLoaded')} retry={() => void refetch()}>
          {explain(error)}
        </NotLoaded>
      ) : isWide ? (
        <MonthTable month={month} events={events} now={now} busy={!data} />
      ) : !data ? (
        <Card aria-busy>
          <SkeletonText lines={6} />
        </Card>
      ) : events.length > 0 ? (
        <EventList events={events} now={now} />
      ) : (
        <p className="rounded-xl border border-dashed border-line px-5 py-4 text-muted">
          {whose === 'mine'
            ? t('noneOfYoursInMonth', { month: name })
            : t('noEventsInMonth', { month: name })}
        </p>
      )}
      <NextPage query={query} className="mt-4">
        {t('showMoreOfMonth', { month: name })}
      </NextPage>
    </section>
  );
}
