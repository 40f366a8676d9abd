import type { Event } from '#features/events/contract.ts';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { t } from '#features/events/messages.ts';

type UnattendDialogProps = {
  event: Pick<Event, 'name'>;
  /** To answer maybe instead. */
  toMaybe?: boolean;
  /** Attending again is not possible. */
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
  return (
    <ConfirmDialog
      {...dialog}
      open
      title={toMaybe ? t('changeToMaybeTitle') : t('stopAttending')}
      text={
        closed
          ? t('stopAttendingForGoodText', { name: event.name })
          : t('stopAttendingText', { name: event.name })
      }
      confirmLabel={toMaybe ? t('changeToMaybe') : closed ? t('cantGo') : t('unattend')}
      cancelLabel={t('keepAttending')}
      onConfirm={() => {
        dialog.onOpenChange();
        onConfirm();
      }}
    />
  );
}
