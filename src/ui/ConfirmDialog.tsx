import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';

export type ConfirmDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  /** What will happen. */
  text: ReactNode;
  confirmLabel: string;
  cancelLabel?: string;
  onConfirm: () => void;
  danger?: boolean;
  busy?: boolean;
  busyLabel?: string;
  children?: ReactNode;
};

/** Asks before something that is hard to take back. It stays open until its owner closes it. */
export function ConfirmDialog({
  text,
  confirmLabel,
  cancelLabel = 'Cancel',
  onConfirm,
  danger = false,
  busy = false,
  busyLabel,
  onOpenChange,
  ...dialog
}: ConfirmDialogProps) {
  return (
    <Dialog
      {...dialog}
      onOpenChange={onOpenChange}
      description={text}
      role="alertdialog"
      dismissible={false}
      footer={
        <>
          <Button variant="secondary" onClick={() => onOpenChange(false)}>
            {cancelLabel}
          </Button>
          <Button
            variant={danger ? 'danger' : 'primary'}
            onClick={onConfirm}
            busy={busy}
            busyLabel={busyLabel}
          >
            {confirmLabel}
          </Button>
        </>
      }
    />
  );
}
