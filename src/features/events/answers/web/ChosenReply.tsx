import { useMutation } from '@tanstack/react-query';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import type { Answer } from '#features/events/choice-contract.ts';
import type { Event } from '#features/events/contract.ts';
import { refreshEvents, showEvent } from '#features/events/web/useEvent.ts';
import { reasonOf, saveReply } from './useAnswer.ts';
import { t } from '#features/events/answers/messages.ts';
import { InlineError } from '#ui/InlineError.tsx';

type ReplyProps = { event: Event; answer: Answer };

/** The viewer's reply to the question of the event, one of its choices. Saves it at once. */
export function ChosenReply({ event, answer }: ReplyProps) {
  const { id, question, choices, my_reply } = event;
  const network = useNeedsNetwork();
  const { mutate, variables, error, isPending } = useMutation({
    mutationFn: (reply: string) => saveReply(event, answer, reply),
    onSuccess: (_, reply) => showEvent({ id, my_reply: reply }),
    // The choices may have changed.
    onSettled: () => void refreshEvents(),
  });
  const chosen = isPending ? variables : my_reply;
  return (
    <fieldset>
      <legend className="text-sm font-semibold wrap-anywhere">{question}</legend>
      <p className="text-sm text-muted">{t('noteHint')}</p>
      {choices.map((choice) => (
        <label
          key={choice}
          className="flex min-h-11 cursor-pointer items-center gap-3 rounded-md py-1 has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name="reply"
            checked={choice === chosen}
            onChange={() => network.run(() => mutate(choice))}
            className="size-5 shrink-0 accent-accent"
          />
          <span className="min-w-0 wrap-anywhere">{choice}</span>
        </label>
      ))}
      {chosen && !choices.includes(chosen) && (
        <p className="text-sm text-muted wrap-anywhere">{t('noChoiceAnyMore', { reply: chosen })}</p>
      )}
      <InlineError>
        {network.notice ?? (error && t('replyNotSaved', { reason: reasonOf(error) }))}
      </InlineError>
    </fieldset>
  );
}
