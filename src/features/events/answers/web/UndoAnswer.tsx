import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { Failure } from '#wire/client.ts';
import type { SavedAnswer } from '#features/events/answers/contract.ts';
import type { Answer } from '#features/events/choice-contract.ts';
import type { EventCard } from '#features/events/contract.ts';
import { cancelEventQueries, refreshEvents, showEvent } from '#features/events/web/useEvent.ts';
import { inTurn, reasonOf } from './useAnswer.ts';
import { t } from '#features/events/home-messages.ts';

const undoDuration = 10_000;

const savedText = (event: string): Record<Answer, string> => ({
  going: t('savedGoing', { event }),
  waiting: t('savedWaiting', { event }),
  maybe: t('savedMaybe', { event }),
  no: t('savedNo', { event }),
});

/** Shows a toast that says which answer was saved, with a button that undoes it. */
export function offerUndo(event: EventCard, { my_answer, undo_answer }: SavedAnswer): void {
  if (!my_answer || !undo_answer) return;
  const shown = showToast({
    title: savedText(event.name)[my_answer],
    text: <UndoButton onPress={() => press()} />,
    duration: undoDuration,
  });
  const press = () => {
    shown.dismiss();
    void undo(event, undo_answer);
  };
}

const UndoButton = ({ onPress }: { onPress: () => void }) => (
  <button
    type="button"
    onClick={onPress}
    className="-my-1.5 -ml-2 min-h-11 px-2 font-semibold text-accent underline underline-offset-4"
  >
    {t('undo')}
  </button>
);

async function undo({ id, slug }: EventCard, token: string): Promise<void> {
  await cancelEventQueries();
  try {
    showEvent({ id, ...(await inTurn(id, () => api.answers.undoAnswer({ event: slug, undo: token }))) });
  } catch (failure) {
    const isTooLate = failure instanceof Failure && failure.error === 'changed_meanwhile';
    showToast({ title: t('notUndone'), text: isTooLate ? t('cannotUndo') : reasonOf(failure) });
  }
  void refreshEvents();
}
