import { Check } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useAttendance } from '#features/attendance/web/useAttendance.ts';
import type { EventCard } from '#features/events/contract.ts';
import { cn } from '#ui/class-names.ts';
import { t } from '#features/events/home-messages.ts';

export const UnattendDialog = lazy(() => import('./UnattendDialog.tsx'));

/** The state of the viewer in the row of an event. */
export const stateLook = 'inline-flex items-center gap-1 text-xs font-semibold whitespace-nowrap text-accent';

/** Attends the event of a row, or stops attending it after a confirmation. */
export function AttendButton({ event, attending }: { event: EventCard; attending: boolean }) {
  const { attend, unattend, throttled, problem } = useAttendance(event);
  const [asking, setAsking] = useState(false);
  const label = attending ? t('attending') : t('attendEvent');
  return (
    <>
      {/* Larger than it looks: 44 px high. */}
      <button
        type="button"
        aria-label={`${label}: ${event.name}`}
        aria-haspopup={attending ? 'dialog' : undefined}
        onClick={attending ? () => throttled(() => setAsking(true)) : attend}
        className="relative -my-2.25 inline-flex min-h-11 shrink-0 items-center rounded-md"
      >
        <span
          aria-live="polite"
          className={cn(
            stateLook,
            'min-h-6.5 rounded-full',
            // Without background colours, the border is what shows a button.
            !attending &&
              'border border-transparent bg-accent-soft px-2 hover:bg-accent hover:text-accent-ink offline:bg-sunken! offline:text-muted! md:px-2.5',
          )}
        >
          {attending && <Check aria-hidden className="size-3.5" />}
          {label}
        </span>
      </button>
      {problem && (
        <p role="alert" className="basis-full text-right text-xs font-medium text-danger md:max-w-44">
          {problem}
        </p>
      )}
      {asking && (
        <Suspense>
          <UnattendDialog event={event} onOpenChange={() => setAsking(false)} onConfirm={unattend} />
        </Suspense>
      )}
    </>
  );
}
