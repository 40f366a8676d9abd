import type { Event } from '#features/events/contract.ts';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { t } from '#features/events/messages.ts';

type UnattendDialogProps = {
  event: Pick<Event, 'name'>;
  onOpenChange: () => void;
  onConfirm: () => void;
};

export default function UnattendDialog({ event, onConfirm, ...dialog }: UnattendDialogProps) {
  return (
    <ConfirmDialog
      {...dialog}
      open
      title={t('stopAttending')}
      text={t('stopAttendingText', { name: event.name })}
      confirmLabel={t('unattend')}
      cancelLabel={t('keepAttending')}
      onConfirm={() => {
        dialog.onOpenChange();
        onConfirm();
      }}
    />
  );
}
