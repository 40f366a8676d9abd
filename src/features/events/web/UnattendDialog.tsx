import type { Event } from '#features/events/contract.ts';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';

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
      title="Stop attending?"
      text={`You will no longer be on the list of attendees of ${event.name}. You can attend again while sign-up is open.`}
      confirmLabel="Unattend"
      cancelLabel="Keep attending"
      onConfirm={() => {
        dialog.onOpenChange();
        onConfirm();
      }}
    />
  );
}
