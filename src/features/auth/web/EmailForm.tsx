import type { FormEvent } from 'react';
import { Link } from 'react-router';
import { settings } from '#web/settings.ts';
import { Button } from '#ui/Button.tsx';
import { Field } from '#ui/Field.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { type SentCode, useRequestCode } from './useRequestCode.ts';

type EmailFormProps = { email: string | undefined; onSent: (code: SentCode) => void };

/** The field is uncontrolled, because users can type into the server-rendered page before hydration. */
export function EmailForm({ email: initialEmail = '', onSent }: EmailFormProps) {
  const request = useRequestCode(onSent);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    request.mutate(String(new FormData(event.currentTarget).get('email')).trim());
  };
  return (
    // The method keeps the address out of the URL if the form is submitted before hydration.
    <form method="dialog" onSubmit={submit} className="flex flex-col gap-5">
      <div>
        <h1 className="text-2xl font-bold">Sign up or log in</h1>
        <p className="mt-1.5 text-muted">We'll email you a code. No password needed.</p>
      </div>
      <Field label="Email" required>
        <TextInput
          type="email"
          name="email"
          autoComplete="email"
          inputMode="email"
          autoFocus
          placeholder="you@example.com"
          defaultValue={initialEmail}
        />
      </Field>
      <Button type="submit" size="lg" busy={request.isPending}>
        Login
      </Button>
      <p className="text-center text-sm text-muted">
        Trouble logging in?{' '}
        <Link
          className="inline-block py-3 font-semibold text-accent underline underline-offset-4"
          to={settings.supportUrl}
        >
          Support
        </Link>
      </p>
    </form>
  );
}
