import { CalendarX2 } from 'lucide-react';
import type { Event } from '#features/events/contract.ts';
import { badgeOf, isCancelled, isFull, isPolled } from '#features/events/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { Badge } from '#ui/Badge.tsx';
import { cn } from '#ui/class-names.ts';
import { t } from '#features/events/home-messages.ts';

const badges = (event: EventTagsProps['event']) => ({
  open: t('open', { full: isFull(event) ? 'yes' : 'no' }),
  closes_soon: t('closesSoon'),
  closed: t('closed'),
});

export type EventTagsProps = {
  event: Pick<
    Event,
    'deleted_at' | 'entry_until_time' | 'start_time' | 'end_time' | 'polling' | 'seats_left' | 'waiting_count'
  >;
  now: Instant;
  /** Whether the tag is small, for event rows. */
  compact?: boolean;
};

const compactBadge = 'px-1.5! py-px! text-[0.75rem]! leading-[1rem]!';

/**
 * The sign-up status of an event, or only "Cancelled" or "Time poll". It is quiet, because most events close when they
 * start, and in colour if an earlier cut-off is near.
 */
export function EventTags({ event, now, compact }: EventTagsProps) {
  const badge = badgeOf(event, now);
  const isUrgent = badge === 'closes_soon' && event.entry_until_time < event.start_time;
  const look = compact ? compactBadge : undefined;
  return (
    <p className="flex">
      {isCancelled(event) ? (
        <Badge tone="danger" className={look}>
          <CalendarX2 aria-hidden />
          {t('cancelled')}
        </Badge>
      ) : isPolled(event, now) ? (
        <Badge tone="accent" className={look}>
          {t('timePoll')}
        </Badge>
      ) : (
        <span
          className={cn(
            compact ? 'text-xs' : 'text-sm',
            isUrgent ? 'font-semibold text-warn' : 'font-medium text-muted',
          )}
        >
          {badges(event)[badge]}
        </span>
      )}
    </p>
  );
}
