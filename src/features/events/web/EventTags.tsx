import { CalendarX2 } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Event } from '#features/events/contract.ts';
import { badgeOf, isCancelled } from '#features/events/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { Badge } from '#ui/Badge.tsx';

const badges = {
  open: { tone: 'ok', label: 'Open' },
  closes_soon: { tone: 'warn', label: 'Closes Soon' },
  closed: { tone: 'neutral', label: 'Closed' },
} as const;

export type EventTagsProps = {
  event: Pick<Event, 'deleted_at' | 'entry_until_time' | 'end_time'>;
  now: Instant;
  /** More badges, hidden if the event is cancelled. */
  children?: ReactNode;
};

/** The sign-up status of an event, or only "Cancelled". */
export function EventTags({ event, now, children }: EventTagsProps) {
  const { tone, label } = badges[badgeOf(event, now)];
  return (
    <p className="flex flex-wrap gap-1.5">
      {isCancelled(event) ? (
        <Badge tone="danger">
          <CalendarX2 aria-hidden />
          CANCELLED
        </Badge>
      ) : (
        <>
          <Badge tone={tone}>{label}</Badge>
          {children}
        </>
      )}
    </p>
  );
}
