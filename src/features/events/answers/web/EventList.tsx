import { useId, useMemo } from 'react';
import { useProgressiveList } from '#web/useProgressiveList.ts';
import type { EventCard } from '#features/events/contract.ts';
import { foldSeries } from '#features/events/rules.ts';
import { groupBy } from '#wire/group-by.ts';
import type { Instant } from '#wire/instant.ts';
import { Card } from '#ui/Card.tsx';
import { cn } from '#ui/class-names.ts';
import { dayHead, dayKey, isToday, monthHead } from '#wire/format.ts';
import { EventRow, type EventRowProps } from './EventRow.tsx';
import { SeriesLine } from './SeriesLine.tsx';

export type EventListProps = Pick<EventRowProps, 'now' | 'clubs' | 'asks' | 'leaves'> & {
  events: readonly EventCard[];
  /** Number of rows in the lists above. */
  above?: number;
};

/** An event, or the dates of a series. */
type Dates = ReturnType<typeof foldSeries<EventCard>>[number];

/**
 * Events in the given order, grouped by day. Each series is shown as its first date, and each month as a card. On
 * phones, the heading of a day with a single event is not shown, because its row shows the day.
 */
export function EventList({ events, above, ...row }: EventListProps) {
  const { now } = row;
  const shown = useProgressiveList(foldSeries(events), above);
  // Memoised, because formatting is slow and a long list is rendered in many steps.
  const days = useMemo(
    () => new Map(events.map(({ start_time }) => [start_time, dayKey(start_time)])),
    [events],
  );
  const dayOf = ([{ start_time }]: Dates) => days.get(start_time) ?? '';
  const months = groupBy(shown, (dates) => dayOf(dates).slice(0, 7));
  return [...months].map(([month, ofMonth], at) => (
    <div key={month}>
      {at > 0 && <MonthHead first={ofMonth[0]?.[0]} now={now} />}
      <Card flush className="divide-y divide-line">
        {[...groupBy(ofMonth, dayOf)].map(([day, ofDay]) => (
          <Day key={day} rows={ofDay} {...row} />
        ))}
      </Card>
    </div>
  ));
}

const MonthHead = ({ first, now }: { first: EventCard | undefined; now: Instant }) =>
  first && (
    <p className="px-1 pt-3 pb-1 text-sm font-semibold text-muted">{monthHead(first.start_time, now)}</p>
  );

function Day({ rows, ...row }: Omit<EventListProps, 'events'> & { rows: Dates[] }) {
  const id = useId();
  const { now } = row;
  const first = rows[0]?.[0];
  if (!first) return null;
  const isAlone = rows.length === 1;
  const [day, date] = dayHead(first.start_time, now).split(/ (.*)/);
  return (
    <div className="md:grid md:grid-cols-[8rem_minmax(0,1fr)]">
      <p
        id={id}
        className={cn(
          'px-2.5 pt-1.5 text-xs font-semibold md:pt-2 md:pr-0 md:pl-4',
          isAlone && 'max-md:hidden',
          isToday(first.start_time, now) ? 'text-accent' : 'text-muted',
        )}
      >
        <span>{day}</span>
        {date && <span className="md:block md:font-normal"> {date}</span>}
      </p>
      <ul aria-labelledby={id}>
        {rows.map(([event, ...more]) => (
          <li key={event.id}>
            <EventRow event={event} {...row} alone={isAlone} />
            {event.series && <SeriesLine series={event.series} more={more} {...row} />}
          </li>
        ))}
      </ul>
    </div>
  );
}
