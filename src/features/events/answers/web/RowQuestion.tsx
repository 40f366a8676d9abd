import type { EventCard } from '#features/events/contract.ts';
import ConfirmAnswer from './ConfirmAnswer.tsx';
import { offerUndo } from './UndoAnswer.tsx';

/** The question disappears together with the pressed button, so the focus moves to the link of its row. */
const focusLinkAfterwards = (question: HTMLElement | null) => () => {
  if (question?.contains(document.activeElement)) question.closest('article')?.querySelector('a')?.focus();
};

/** The question in an event row whether the viewer's answer still holds. Lies above the link that fills the row. */
export default function RowQuestion({ event, leaves }: { event: EventCard; leaves?: boolean }) {
  return (
    <div ref={focusLinkAfterwards} className="relative mt-1.5 mb-1 max-w-xl max-md:-ml-12.5">
      <ConfirmAnswer event={event} {...(leaves && { onSaved: (saved) => offerUndo(event, saved) })} />
    </div>
  );
}
