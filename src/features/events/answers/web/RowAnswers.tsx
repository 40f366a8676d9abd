import { Check, X } from 'lucide-react';
import { offerUndo } from './UndoAnswer.tsx';
import { useAnswer } from './useAnswer.ts';
import type { EventCard } from '#features/events/contract.ts';
import { cn } from '#ui/class-names.ts';
import { t } from '#features/events/home-messages.ts';

const choices = [
  { answer: 'going', Icon: Check },
  { answer: 'no', Icon: X },
] as const;

/** The buttons to answer an event in its row. The row leaves the list once the answer is saved, which can be undone. */
export function RowAnswers({ event }: { event: EventCard }) {
  const { answer, sending, problem } = useAnswer(event, (saved) => offerUndo(event, saved));
  return (
    <>
      <div className="relative -my-1.75 flex w-full gap-x-2 max-md:flex-wrap md:w-auto">
        {choices.map(({ answer: choice, Icon }) => {
          const label = t('answerButton', { answer: choice });
          return (
            // Larger than it looks: 44 px high.
            <button
              key={choice}
              type="button"
              aria-label={t('actionFor', { action: label, event: event.name })}
              aria-busy={sending === choice || undefined}
              onClick={() => answer(choice, choice === 'no' ? t('answerNotSaved') : undefined)}
              className="group/answer grid min-h-11 grow items-center rounded-md"
            >
              <span
                className={cn(
                  'inline-flex min-h-7.5 items-center justify-center gap-1.5 rounded-full border px-2.5 text-xs font-semibold transition-opacity group-aria-busy/answer:opacity-60 offline:text-muted!',
                  choice === 'going'
                    ? 'border-transparent bg-accent-soft text-accent group-hover/answer:bg-accent group-hover/answer:text-accent-ink offline:bg-sunken!'
                    : 'border-line text-ink group-hover/answer:border-control group-hover/answer:bg-sunken',
                )}
              >
                <Icon aria-hidden className="size-4 shrink-0" />
                <span>{label}</span>
              </span>
            </button>
          );
        })}
      </div>
      {problem && (
        <p role="alert" className="basis-full text-right text-xs font-medium text-danger md:max-w-48">
          {problem}
        </p>
      )}
    </>
  );
}
