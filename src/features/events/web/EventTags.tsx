import { CalendarX2 } from 'lucide-react';
import type { Event } from '#features/events/contract.ts';
import { badgeOf, isCancelled, isPolled } from '#features/events/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { Badge } from '#ui/Badge.tsx';
import { t } from '#features/events/home-messages.ts';

const badges = () =>
  ({
    open: { tone: 'quiet', label: t('open') },
    closes_soon: { tone: 'warn', label: t('closesSoon') },
    closed: { tone: 'neutral', label: t('closed') },
  }) as const;

export type EventTagsProps = {
  event: Pick<Event, 'deleted_at' | 'entry_until_time' | 'end_time' | 'polling'>;
  now: Instant;
  /** Whether the tag is small, for event rows. */
  compact?: boolean;
};

const compactBadge = 'px-1.5! py-px! text-[0.75rem]! leading-[1rem]!';

/** The sign-up status of an event, or only "Cancelled" or "Time poll". */
export function EventTags({ event, now, compact }: EventTagsProps) {
  const { tone, label } = badges()[badgeOf(event, now)];
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
        <Badge tone={tone} className={look}>
          {label}
        </Badge>
      )}
    </p>
  );
}
