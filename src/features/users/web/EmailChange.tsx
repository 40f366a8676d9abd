import { Check } from 'lucide-react';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { queries, queryClient } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { notify } from '#web/copy.ts';
import { useRequestCode } from '#features/auth/web/useRequestCode.ts';
import { useSecondsLeft } from '#features/auth/web/useSecondsLeft.ts';
import type { User } from '#features/users/contract.ts';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { cn } from '#ui/class-names.ts';
import { CODE_LENGTH, CodeInput } from '#ui/CodeInput.tsx';

/** A change of the email whose first step is open. */
export interface RequestedEmail {
  email: string;
  /** When the code for it was sent to the current address, in milliseconds. */
  sentAt?: number;
}

interface EmailChangeProps {
  user: User;
  requested: RequestedEmail | undefined;
  onChange: (requested: RequestedEmail | undefined) => void;
  onDone: () => void;
}

/** The two steps of a change of the email: a code from the current address, then one from the new address. */
export function EmailChange({ user, requested, onChange, onDone }: EmailChangeProps) {
  const title = useId();
  // Not when the page is opened with a step that was left open.
  const [isContinued, setIsContinued] = useState(false);
  const next = requested?.email ?? user.pending_email;
  const request = useRequestCode(() => next && onChange({ email: next, sentAt: Date.now() }));
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
          Change your email
        </h2>
        <p className="mt-1 text-muted">
          To <strong className="font-semibold wrap-anywhere text-ink">{next}</strong>. Until both steps are
          done you log in with <span className="wrap-anywhere">{user.email}</span>.
        </p>
        <ol className="mt-4 flex flex-col gap-4">
          <Step number={1} isDone={isProven} title={<>Enter the code sent to {user.email}</>}>
            {requested && (
              <CodeForm
                label="Code sent to your current email"
                submitLabel="Continue"
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
                  Cancel
                </Button>
              </CodeForm>
            )}
          </Step>
          <Step number={2} title={<>Enter the code sent to {next}</>} isWaiting={!isProven}>
            {isProven && (
              <CodeForm
                label="Code sent to your new email"
                submitLabel="Change email"
                autoFocus={isContinued}
                busy={confirm.isPending}
                error={confirm.error}
                hint="It works for 10 minutes. The link in the same email works too. Nothing there? Check your spam folder, and the address."
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
                  Start again
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
  notify({
    title: 'Your email is changed',
    text: `You log in with ${email} from now on. Other devices are logged out.`,
  });
  void queryClient.invalidateQueries(queries.sessions());
}

interface StepProps {
  number: number;
  title: ReactNode;
  isDone?: boolean;
  isWaiting?: boolean;
  children: ReactNode;
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
          {title}
          {isDone && <span className="sr-only"> (done)</span>}
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
  children: ReactNode;
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
      {error && (
        <p role="alert" className="text-sm font-medium text-danger">
          {explain(error)}
        </p>
      )}
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

/** Sends the code again, once a minute at most. */
function Resend({ sentAt, ...button }: { sentAt: number; busy: boolean; onClick: () => void }) {
  const seconds = useSecondsLeft(sentAt, 60);
  return (
    <Button variant="ghost" className="tabular-nums" disabled={seconds > 0} {...button}>
      {seconds > 0 ? `Send again (${seconds}s)` : sentAt > 0 ? 'Send again' : 'Send the code'}
    </Button>
  );
}
