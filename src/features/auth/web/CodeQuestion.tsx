import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { Button } from '#ui/Button.tsx';
import { CODE_LENGTH, CodeInput } from '#ui/CodeInput.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { useRequestCode } from './useRequestCode.ts';
import { useSecondsLeft } from './useSecondsLeft.ts';
import type { SentCode } from './useSentCode.ts';

const secondsUntilResend = 60;

/** Extracts the address from 'Name <address>'. */
const addressOf = (from: string): string => /<(.+)>/.exec(from)?.[1] ?? from;

type Sending = SentCode & { onSent: (email: string, from: string) => void };

export type CodeQuestionProps = Sending & {
  title: string;
  description: string;
  confirmLabel: string;
  danger?: boolean;
  busy: boolean;
  error?: string | undefined;
  onConfirm: (code: string) => void;
  onClose: () => void;
};

/** Dialog for the code that was just emailed, with a button to resend it. */
export function CodeQuestion({
  title,
  description,
  confirmLabel,
  danger = false,
  busy,
  error,
  onConfirm,
  onClose,
  ...sending
}: CodeQuestionProps) {
  const [code, setCode] = useState('');
  const form = useId();
  const formElement = useRef<HTMLFormElement>(null);
  const [lastError, setLastError] = useState(error);
  // Clears the input when a code is rejected.
  if (error !== lastError) {
    setLastError(error);
    if (error) setCode('');
  }
  useEffect(() => {
    if (error) formElement.current?.querySelector('input')?.focus();
  }, [error]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (code.length === CODE_LENGTH && !busy) onConfirm(code);
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={false}
      title={title}
      description={description}
      footer={
        <Button
          type="submit"
          form={form}
          size="lg"
          variant={danger ? 'danger' : 'primary'}
          className="w-full"
          disabled={code.length !== CODE_LENGTH}
          busy={busy}
        >
          {confirmLabel}
        </Button>
      }
    >
      <form id={form} ref={formElement} onSubmit={submit}>
        <CodeInput value={code} onChange={setCode} autoFocus aria-label="Code" className="py-2" />
      </form>
      {error && (
        <p role="alert" className="mt-2 text-center text-sm font-medium text-danger">
          {error}
        </p>
      )}
      <Sent {...sending} />
    </Dialog>
  );
}

function Sent({ email, from, sentAt, onSent }: Sending) {
  const request = useRequestCode(onSent);
  const seconds = useSecondsLeft(sentAt, secondsUntilResend);
  return (
    <>
      <p className="mt-4 text-center text-sm text-muted">
        Sent to <strong className="font-semibold wrap-anywhere text-ink">{email}</strong> from{' '}
        <strong className="font-semibold wrap-anywhere text-ink">{addressOf(from)}</strong>. It can take a
        minute. Check your spam folder too.
      </p>
      <p className="mt-1 text-center">
        <Button
          variant="link"
          size="sm"
          className="tabular-nums"
          disabled={seconds > 0}
          busy={request.isPending}
          onClick={() => request.mutate(email)}
        >
          {seconds > 0 ? `Resend Email (${seconds}s)` : 'Resend Email'}
        </Button>
      </p>
    </>
  );
}
