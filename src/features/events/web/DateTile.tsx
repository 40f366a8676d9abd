import type { Event } from '#features/events/contract.ts';
import { hasEnded, isCancelled, isPolled } from '#features/events/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { hueOf } from '#wire/hue.ts';
import { cn } from '#ui/class-names.ts';
import { dateTile, isToday } from '#wire/format.ts';

export type DateTileProps = {
  event: Pick<
    Event,
    'start_time' | 'end_time' | 'entry_until_time' | 'deleted_at' | 'owner_club_id' | 'polling'
  >;
  now: Instant;
  /** Whether it is a small tile, for event rows. */
  compact?: boolean;
  className?: string;
};

/** Non-breaking spaces keep the height of the tile. */
const openDay = { weekday: '\u00a0', day: '?', month: '\u00a0' };

/**
 * The day of an event as a calendar leaf in the colour of the club: highlighted today, muted once the event is over or
 * cancelled, and a question mark while members vote on the time.
 */
export function DateTile({ event, now, compact, className }: DateTileProps) {
  const polled = isPolled(event, now);
  const { weekday, day, month } = polled ? openDay : dateTile(event.start_time);
  const done = isCancelled(event) || hasEnded(event, now);
  return (
    <div
      aria-hidden={polled || undefined}
      data-hue={hueOf(event.owner_club_id)}
      className={cn(
        'grid h-fit shrink-0 justify-items-center font-display font-semibold',
        compact
          ? 'w-10 rounded-md py-1 text-[0.6875rem] leading-[1rem]'
          : 'w-15 rounded-lg py-2 text-xs leading-tight',
        done
          ? 'bg-sunken text-muted'
          : isToday(event.start_time, now) && !polled
            ? 'bg-club text-club-ink'
            : 'bg-club-soft text-club',
        className,
      )}
    >
      <span>{weekday}</span>{' '}
      <span
        className={cn(
          compact ? 'text-lg leading-[1.25rem]' : 'text-2xl leading-[2rem]',
          'font-bold tabular-nums',
          isCancelled(event) && 'line-through',
        )}
      >
        {day}
      </span>{' '}
      <span>{month}</span>
    </div>
  );
}
