import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { t } from '#ui/messages.ts';

export type ConfirmDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  /** The consequences. */
  text: ReactNode;
  confirmLabel: string;
  cancelLabel?: string;
  /** Called when the button with `cancelLabel` is pressed, and not when the dialog is closed in another way. */
  onCancel?: () => void;
  onConfirm: () => void;
  danger?: boolean;
  busy?: boolean;
  busyLabel?: string;
  children?: ReactNode;
};

/** Asks for confirmation of an action that is hard to undo. Stays open until the caller closes it. */
export function ConfirmDialog({
  text,
  confirmLabel,
  cancelLabel = t('cancel'),
  onCancel,
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
          <Button
            variant="secondary"
            onClick={() => {
              onCancel?.();
              onOpenChange(false);
            }}
          >
            {cancelLabel}
          </Button>
          <Button
            variant={danger ? 'danger' : 'filled'}
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
