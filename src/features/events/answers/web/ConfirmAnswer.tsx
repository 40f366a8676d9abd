import { useAnswer } from './useAnswer.ts';
import type { SavedAnswer } from '#features/events/answers/contract.ts';
import type { Choice } from '#features/events/choice-contract.ts';
import type { Event, EventCard } from '#features/events/contract.ts';
import { reasonOfLast } from '#features/events/web/ReasonInWords.tsx';
import { Button } from '#ui/Button.tsx';
import { InlineError } from '#ui/InlineError.tsx';
import { t } from '#features/events/messages.ts';

const questions = () => ({ time: t('confirmTime'), place: t('confirmPlace'), event: t('confirmEvent') });
const earlier = () => ({
  going: t('saidGoing'),
  waiting: t('saidWaiting'),
  maybe: t('saidMaybe'),
  no: t('saidNo'),
});
const answers = (): Record<Choice, string> => ({ going: t('imGoing'), maybe: t('maybe'), no: t('cantGo') });

type ConfirmAnswerProps = { event: Event | EventCard; onSaved?: (saved: SavedAnswer) => void };

/** Asks the viewer whether their earlier answer still holds. A host is always going, and can only confirm. */
export default function ConfirmAnswer({ event, onSaved }: ConfirmAnswerProps) {
  const { answer, sending, problem } = useAnswer(event, onSaved);
  const offered = event.my_role === 'organiser' ? (['going'] as const) : (['going', 'maybe', 'no'] as const);
  const given = event.my_answer === 'waiting' ? 'going' : event.my_answer;
  // Cards lack the changes.
  const why = 'changes' in event && reasonOfLast(event.changes, ({ asked_again }) => asked_again);
  const question = questions()[event.asked_about ?? 'event'];
  return (
    <div role="group" aria-label={question} className="rounded-lg bg-warn-soft p-3 text-ink">
      <p className="font-semibold">{question}</p>
      {why && <p className="wrap-anywhere">{why}</p>}
      <p className="text-sm text-muted">{earlier()[event.my_answer ?? 'going']}</p>
      <InlineError>{problem}</InlineError>
      <div className="mt-2 flex flex-wrap gap-2">
        {offered.map((each) => (
          <Button
            key={each}
            variant={each === given ? 'filled' : 'secondary'}
            className="grow px-2! text-sm! aria-busy:opacity-60"
            aria-busy={(onSaved && sending === each) || undefined}
            onClick={() => answer(each, t('answerNotSaved'))}
          >
            {answers()[each]}
          </Button>
        ))}
      </div>
    </div>
  );
}
