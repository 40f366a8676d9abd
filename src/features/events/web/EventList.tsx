import { useId, useMemo } from 'react';
import { useProgressiveList } from '#web/useProgressiveList.ts';
import type { EventCard } from '#features/events/contract.ts';
import type { Instant } from '#wire/instant.ts';
import { Card } from '#ui/Card.tsx';
import { cn } from '#ui/class-names.ts';
import { dayHead, dayKey, isToday, monthHead } from '#ui/format.ts';
import { EventRow, type EventRowProps } from './EventRow.tsx';

export type EventListProps = Pick<EventRowProps, 'now' | 'showClub'> & {
  events: readonly EventCard[];
  /** Number of rows in the lists above. */
  above?: number;
};

/** Events in the given order, in groups of one day. Each month is a card. */
export function EventList({ events, now, showClub, above }: EventListProps) {
  const shown = useProgressiveList(events, above);
  // Formatting is slow, and a long list grows in many steps.
  const days = useMemo(
    () => new Map(events.map(({ start_time }) => [start_time, dayKey(start_time)])),
    [events],
  );
  const dayOf = ({ start_time }: EventCard) => days.get(start_time) ?? '';
  const months = Map.groupBy(shown, (event) => dayOf(event).slice(0, 7));
  return [...months].map(([month, ofMonth], at) => (
    <div key={month}>
      {at > 0 && <MonthHead first={ofMonth[0]} now={now} />}
      <Card flush className="divide-y divide-line">
        {[...Map.groupBy(ofMonth, dayOf)].map(([day, ofDay]) => (
          <Day key={day} events={ofDay} now={now} showClub={showClub} />
        ))}
      </Card>
    </div>
  ));
}

const MonthHead = ({ first, now }: { first: EventCard | undefined; now: Instant }) =>
  first && (
    <p className="px-1 pt-3 pb-1 text-sm font-semibold text-muted">{monthHead(first.start_time, now)}</p>
  );

function Day({ events, now, showClub }: EventListProps) {
  const id = useId();
  const [first] = events;
  if (!first) return null;
  const [day, date] = dayHead(first.start_time, now).split(/ (.*)/);
  return (
    <div className="md:grid md:grid-cols-[8rem_minmax(0,1fr)]">
      <p
        id={id}
        className={cn(
          'px-2.5 pt-1.5 text-xs font-semibold md:pt-2 md:pr-0 md:pl-4',
          isToday(first.start_time, now) ? 'text-accent' : 'text-muted',
        )}
      >
        {day}
        {date && <span className="md:block md:font-normal"> {date}</span>}
      </p>
      <ul aria-labelledby={id}>
        {events.map((event) => (
          <li key={event.id}>
            <EventRow event={event} now={now} showClub={showClub} />
          </li>
        ))}
      </ul>
    </div>
  );
}
