import { Check } from 'lucide-react';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { queries, queryClient } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { showToast } from '#web/copy.ts';
import { useRequestCode } from '#features/auth/web/useRequestCode.ts';
import { useSecondsLeft } from '#features/auth/web/useSecondsLeft.ts';
import type { User } from '#features/users/contract.ts';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { cn } from '#ui/class-names.ts';
import { CODE_LENGTH, CodeInput } from '#ui/CodeInput.tsx';
import { InlineError } from '#ui/InlineError.tsx';
import { Rich, strong } from '#ui/Rich.tsx';
import { t } from '#features/users/messages.ts';
import type { Elements } from '#ui/elements.ts';
import { deviceTime } from '#wire/server-time.ts';

const wrapping = (text: string) => <span className="wrap-anywhere">{text}</span>;

/** An email change in its first step: the code sent to the current address has not been entered yet. */
export interface RequestedEmail {
  email: string;
  /** When the code was sent to the current address, in milliseconds. */
  sentAt?: number;
}

interface EmailChangeProps {
  user: User;
  requested: RequestedEmail | undefined;
  onChange: (requested: RequestedEmail | undefined) => void;
  onDone: () => void;
}

/** The two steps of an email change: entering a code sent to the current address, then a code sent to the new one. */
export function EmailChange({ user, requested, onChange, onDone }: EmailChangeProps) {
  const title = useId();
  // False if the page is opened during the second step, which then must not take the focus.
  const [isContinued, setIsContinued] = useState(false);
  const next = requested?.email ?? user.pending_email;
  const request = useRequestCode(
    () => next && onChange({ email: next, sentAt: deviceTime() }),
    'email_change',
  );
  const prove = useSubmit({
    mutationFn: (code: string) => api.users.update({ email: next ?? '', code }),
    onSuccess: (saved) => {
      setIsContinued(true);
      queryClient.setQueryData(queries.user().queryKey, saved);
      onChange(undefined);
    },
  });
  const confirm = useSubmit({
    mutationFn: (code: string) => api.users.confirmEmail({ code }),
    onSuccess: (saved) => {
      queryClient.setQueryData(queries.user().queryKey, saved);
      emailChanged(saved);
      onDone();
    },
  });
  if (!next) return null;
  const isProven = !requested;
  return (
    <Card asChild className="scroll-mt-20 border-accent!">
      <section aria-labelledby={title}>
        <h2 id={title} className="text-lg font-bold">
          {t('changeYourEmail')}
        </h2>
        <p className="mt-1 text-muted">
          <Rich
            parts={t.parts('changeYourEmailText', { b: strong, i: wrapping }, { next, email: user.email })}
          />
        </p>
        <ol className="mt-4 flex flex-col gap-4">
          <Step number={1} isDone={isProven} title={t('enterCode', { email: user.email })}>
            {requested && (
              <CodeForm
                label={t('currentEmailCode')}
                submitLabel={t('continue')}
                autoFocus
                busy={prove.isPending}
                error={prove.error}
                onSubmit={(code) => prove.mutate(code)}
              >
                <Resend
                  key={requested.sentAt}
                  sentAt={requested.sentAt ?? 0}
                  busy={request.isPending}
                  onClick={() => {
                    prove.reset();
                    request.mutate(user.email);
                  }}
                />
                <Button variant="ghost" onClick={() => onChange(undefined)}>
                  {t('cancel')}
                </Button>
              </CodeForm>
            )}
          </Step>
          <Step number={2} title={t('enterCode', { email: next })} isWaiting={!isProven}>
            {isProven && (
              <CodeForm
                label={t('newEmailCode')}
                submitLabel={t('changeEmail')}
                autoFocus={isContinued}
                busy={confirm.isPending}
                error={confirm.error}
                hint={t('newEmailCodeHint')}
                onSubmit={(code) => confirm.mutate(code)}
              >
                <Button
                  variant="ghost"
                  busy={request.isPending}
                  onClick={() => {
                    confirm.reset();
                    request.mutate(user.email);
                  }}
                >
                  {t('startAgain')}
                </Button>
              </CodeForm>
            )}
          </Step>
        </ol>
      </section>
    </Card>
  );
}

/** Tells the user that the change took effect. */
export function emailChanged({ email }: User): void {
  showToast({
    title: t('emailChanged'),
    text: t('emailChangedText', { email }),
  });
  void queryClient.invalidateQueries(queries.sessions());
}

interface StepProps {
  number: number;
  title: ReactNode;
  isDone?: boolean;
  isWaiting?: boolean;
  children: Elements;
}

function Step({ number, title, isDone = false, isWaiting = false, children }: StepProps) {
  const isCurrent = !isDone && !isWaiting;
  return (
    <li aria-current={isCurrent ? 'step' : undefined} className="flex gap-3">
      <span
        aria-hidden
        className={cn(
          'grid size-7 shrink-0 place-items-center rounded-full border text-sm font-bold',
          isCurrent ? 'border-accent bg-accent text-accent-ink' : 'border-line text-muted',
        )}
      >
        {isDone ? <Check className="size-4" /> : number}
      </span>
      <div className="min-w-0 flex-1 pt-0.5">
        <p className={cn('wrap-anywhere', isCurrent ? 'font-semibold' : 'text-muted')}>
          <span>{title}</span>
          {isDone && <span className="sr-only"> {t('done')}</span>}
        </p>
        {children}
      </div>
    </li>
  );
}

interface CodeFormProps {
  label: string;
  submitLabel: string;
  hint?: string;
  autoFocus: boolean;
  busy: boolean;
  error: Error | null;
  onSubmit: (code: string) => void;
  /** Further buttons. */
  children: Elements;
}

function CodeForm({ label, submitLabel, hint, autoFocus, busy, error, onSubmit, children }: CodeFormProps) {
  const [code, setCode] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (code.length === CODE_LENGTH && !busy) onSubmit(code);
  };
  return (
    <form onSubmit={submit} className="mt-2 flex flex-col items-start gap-2 max-sm:-ml-10">
      <CodeInput value={code} onChange={setCode} autoFocus={autoFocus} aria-label={label} className="py-2" />
      <InlineError>{error && explain(error)}</InlineError>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" disabled={code.length !== CODE_LENGTH} busy={busy}>
          {submitLabel}
        </Button>
        {children}
      </div>
      {hint && <p className="text-sm text-muted">{hint}</p>}
    </form>
  );
}

/** A button that sends the code again, at most once a minute. */
function Resend({ sentAt, ...button }: { sentAt: number; busy: boolean; onClick: () => void }) {
  const seconds = useSecondsLeft(sentAt, 60);
  return (
    <Button variant="ghost" className="tabular-nums" disabled={seconds > 0} {...button}>
      {seconds > 0
        ? t('sendAgainIn', { seconds: String(seconds) })
        : sentAt > 0
          ? t('sendAgain')
          : t('sendTheCode')}
    </Button>
  );
}
