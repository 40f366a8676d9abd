import type { Event } from '#features/events/contract.ts';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { t } from '#features/events/unattend-messages.ts';
import { t as ofEvents } from '#features/events/messages.ts';

type UnattendDialogProps = {
  event: Pick<Event, 'name' | 'my_answer' | 'waiting_count'> & Partial<Pick<Event, 'by_standing'>>;
  /** Whether the new answer is 'maybe' instead of 'no'. */
  toMaybe?: boolean;
  /** Whether sign-up has closed, so that attending again is not possible. */
  closed?: boolean;
  onOpenChange: () => void;
  onConfirm: () => void;
};

export default function UnattendDialog({
  event,
  toMaybe = false,
  closed = false,
  onConfirm,
  ...dialog
}: UnattendDialogProps) {
  const { name } = event;
  const isWaiting = event.my_answer === 'waiting';
  const skipsOne = event.by_standing && !isWaiting && !toMaybe;
  const text = () => {
    if (isWaiting) return t('leaveWaitlistText', { name });
    if (closed) return t('stopAttendingForGoodText', { name });
    return event.waiting_count > 0
      ? `${t('stopAttendingFullText', { name })} ${t('seatGoesToNext')}`
      : t('stopAttendingText', { name });
  };
  const leave = skipsOne
    ? t('skipThisOne')
    : isWaiting
      ? ofEvents('leaveWaitlist')
      : closed
        ? ofEvents('cantGo')
        : t('unattend');
  return (
    <ConfirmDialog
      {...dialog}
      open
      title={
        skipsOne
          ? t('skipThisOneTitle')
          : toMaybe
            ? t('changeToMaybeTitle')
            : isWaiting
              ? t('leaveWaitlistTitle')
              : t('stopAttending')
      }
      text={skipsOne ? `${text()} ${t('otherEventsStay')}` : text()}
      confirmLabel={toMaybe ? t('changeToMaybe') : leave}
      cancelLabel={isWaiting ? t('keepWaiting') : t('keepAttending')}
      onConfirm={() => {
        dialog.onOpenChange();
        onConfirm();
      }}
    />
  );
}
