import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { Button } from '#ui/Button.tsx';
import { CODE_LENGTH, CodeInput } from '#ui/CodeInput.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { timeOfDay } from '#wire/format.ts';
import type { Purpose } from '../contract.ts';
import { type RequestedCode, useRequestCode } from './useRequestCode.ts';
import { useSecondsLeft } from './useSecondsLeft.ts';
import { InlineError } from '#ui/InlineError.tsx';
import { Rich, strong } from '#ui/Rich.tsx';
import { t } from '#features/auth/messages.ts';

/** Extracts the address from 'Name <address>'. */
const addressOf = (from: string): string => /<(.+)>/.exec(from)?.[1] ?? from;

type Sending = RequestedCode & { purpose?: Purpose; onSent: (code: RequestedCode) => void };

export type CodeQuestionProps = Sending & {
  title: string;
  description: string;
  confirmLabel: string;
  danger?: boolean;
  /** Confirms as soon as all characters are entered. */
  auto?: boolean;
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
  auto = false,
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
  const confirm = (entered: string) => {
    if (entered.length === CODE_LENGTH && !busy) onConfirm(entered);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    confirm(code);
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
          variant={danger ? 'danger' : 'filled'}
          className="w-full"
          disabled={code.length !== CODE_LENGTH}
          busy={busy}
        >
          {confirmLabel}
        </Button>
      }
    >
      <form id={form} ref={formElement} onSubmit={submit}>
        <CodeInput
          value={code}
          onChange={setCode}
          {...(auto && { onComplete: confirm })}
          autoFocus
          aria-label={t('code')}
          className="py-2"
        />
      </form>
      <InlineError className="mt-2 text-center">{error}</InlineError>
      <Sent key={sending.receivedAt} {...sending} />
    </Dialog>
  );
}

function Sent({ email, from, sentAt, receivedAt: askedAt, next_in, good_for, purpose, onSent }: Sending) {
  const request = useRequestCode(onSent, purpose);
  const seconds = useSecondsLeft(askedAt, next_in);
  const isGood = useSecondsLeft(askedAt, good_for) > 0;
  const time = timeOfDay(sentAt);
  return (
    <>
      <p className="mt-4 text-center text-sm text-muted">
        <Rich
          parts={
            isGood
              ? t.parts('codeSent', { b: strong }, { email, from: addressOf(from), time })
              : t.parts('codeNoLongerWorks', { b: strong }, { email, time })
          }
        />
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
          {seconds > 0 ? t('resendEmailIn', { seconds: String(seconds) }) : t('resendEmail')}
        </Button>
      </p>
    </>
  );
}
