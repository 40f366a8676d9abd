import type { Event } from '#features/events/contract.ts';
import { hasEnded } from '#features/events/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { cn } from '#ui/class-names.ts';
import { t } from '#features/events/answers/messages.ts';

const texts = {
  time: 'calendarsKnowTime',
  place: 'calendarsKnowPlace',
  cancelled: 'calendarsKnowCancelled',
} as const;

type CalendarsThatKnowProps = { event: Event; now: Instant; className?: string };

/** How many members' calendars show the last new time or place, or the cancellation. Shown until the event ends. */
export function CalendarsThatKnow({ event, now, className }: CalendarsThatKnowProps) {
  const { calendars } = event;
  if (!calendars || hasEnded(event, now)) return null;
  const { about, known, all } = calendars;
  return (
    <p className={cn('text-sm text-muted tabular-nums', className)}>{t(texts[about], { n: known, all })}</p>
  );
}
