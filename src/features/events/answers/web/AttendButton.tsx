import { Check } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useNavigate } from 'react-router';
import { offerUndo } from './UndoAnswer.tsx';
import { useAnswer } from './useAnswer.ts';
import type { EventCard } from '#features/events/contract.ts';
import { isFull } from '#features/events/rules.ts';
import { cn } from '#ui/class-names.ts';
import { t } from '#features/events/home-messages.ts';
import { lazyPart } from '#ui/LazyPart.tsx';

export const UnattendDialog = lazyPart(() => import('./UnattendDialog.tsx'));

/** Classes of the viewer's answer in an event row. */
export const stateLook = 'inline-flex items-center gap-1 text-xs font-semibold whitespace-nowrap text-accent';

export const stateWords = () => ({
  going: t('attending'),
  waiting: t('waiting'),
  maybe: t('maybe'),
  no: t('cantGo'),
});

/**
 * Attends the event of a row, or stops attending it after a confirmation. Other answers, and the waitlist of a full
 * event, are on the page of the event. `leaves`: the row leaves its list once it is answered, which can be undone.
 */
export function AttendButton({ event, leaves }: { event: EventCard; leaves: boolean }) {
  const { my_answer, my_role, name, slug } = event;
  const { answer, throttled, problem } = useAnswer(
    event,
    leaves ? (saved) => offerUndo(event, saved) : undefined,
  );
  const [asking, setAsking] = useState(false);
  const navigate = useNavigate();
  const attending = my_role !== null;
  const words = my_answer ? stateWords()[my_answer] : t('attendEvent');
  const label = attending ? t('attending') : words;
  const press = () => {
    if (attending) throttled(() => setAsking(true));
    else if (my_answer) void navigate(`/app/events/${slug}`);
    else answer('going');
  };
  if (!my_answer && isFull(event)) return null;
  return (
    <>
      {/* Larger than it looks: 44 px high. The same element for all answers, so that it keeps the focus. */}
      <button
        type="button"
        aria-label={t('actionFor', { action: label, event: name })}
        aria-haspopup={attending ? 'dialog' : undefined}
        onClick={press}
        className="relative -my-2.25 inline-flex min-h-11 shrink-0 items-center rounded-md"
      >
        <span
          aria-live="polite"
          className={cn(
            stateLook,
            'min-h-6.5 rounded-full',
            // Without background colours, only the border shows that this is a button.
            !attending &&
              !my_answer &&
              'border border-transparent bg-accent-soft px-2 hover:bg-accent hover:text-accent-ink offline:bg-sunken! offline:text-muted! md:px-2.5',
          )}
        >
          {attending && <Check aria-hidden className="size-3.5" />}
          <span>{label}</span>
        </span>
      </button>
      {problem && (
        <p role="alert" className="basis-full text-right text-xs font-medium text-danger md:max-w-44">
          {problem}
        </p>
      )}
      {asking && (
        <Suspense>
          <UnattendDialog
            event={event}
            onOpenChange={() => setAsking(false)}
            onConfirm={() => answer('no')}
          />
        </Suspense>
      )}
    </>
  );
}
