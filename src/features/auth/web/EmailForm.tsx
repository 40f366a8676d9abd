import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { sentence } from '#web/explain.ts';
import { canStoreLogin } from '#web/first/storage.ts';
import { loginNotStored } from '#web/StorageNotice.tsx';
import { settings, type Settings } from '#web/settings.ts';
import { Failure } from '#wire/client.ts';
import { canonicalAddress, isCanonicalAddress } from '#wire/email-address.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Field } from '#ui/Field.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { type RequestedCode, useRequestCode } from './useRequestCode.ts';
import { t } from '#features/auth/messages.ts';
import { listOf } from '#wire/messages.ts';

type EmailFormProps = { email: string | undefined; onSent: (code: RequestedCode) => void };

/** Who may create an account, in words that are the same for every address. */
function whoGetsCodes({ registration, allowedEmailDomains: domains }: Settings): string {
  if (registration === 'closed') return t('nobodyNewText');
  const text = t(registration === 'invited' ? 'onlyInvitedText' : 'signUpOrLogInText');
  if (!domains) return text;
  const endings = domains.map((domain) => `@${domain}`);
  return `${text} ${t('onlyDomains', { domains: listOf(endings, 'or') })}`;
}

/** The field is uncontrolled, because users can type into the server-rendered page before hydration. */
export function EmailForm({ email: initialEmail = '', onSent }: EmailFormProps) {
  const request = useRequestCode(onSent);
  const [isRefused, setRefused] = useState(false);
  const [isIncomplete, setIncomplete] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const field = event.currentTarget.elements.namedItem('email') as HTMLInputElement;
    const email = field.value.trim();
    // Browsers accept an address without a top-level domain, and some refuse letters other than ASCII in the domain.
    const isAddress = isCanonicalAddress(canonicalAddress(email));
    setIncomplete(!isAddress);
    request.reset();
    if (!isAddress) return field.focus();
    const canStore = canStoreLogin();
    setRefused(!canStore);
    if (canStore) request.mutate(email);
  };
  return (
    // The method keeps the address out of the URL if the form is submitted before hydration.
    <form method="dialog" noValidate onSubmit={submit} className="flex flex-col gap-5">
      <div>
        <h1 className="text-2xl font-bold">
          {settings.registration === 'closed' ? t('logIn') : t('signUpOrLogIn')}
        </h1>
        <p className="mt-1.5 text-muted">{whoGetsCodes(settings)}</p>
      </div>
      <Field
        label={t('email')}
        required
        error={isIncomplete && t('emailIncomplete', { example: t('emailPlaceholder') })}
      >
        <TextInput
          type="email"
          name="email"
          autoComplete="email"
          inputMode="email"
          autoFocus
          placeholder={t('emailPlaceholder')}
          defaultValue={initialEmail}
          onChange={() => {
            setIncomplete(false);
            request.reset();
          }}
        />
      </Field>
      <NotSaved
        title={t('codeNotSent')}
        reason={request.error && sentence(request.error)}
        // The texts of other errors already say what to do.
        advice={request.error instanceof Failure && request.error.status !== 500 ? '' : t('tryAgainShortly')}
      />
      <NotSaved title={t('codeNotSent')} reason={isRefused ? loginNotStored() : null} advice="" />
      <Button type="submit" size="lg" busy={request.isPending}>
        {t('login')}
      </Button>
      <p className="text-center text-sm text-muted">
        {t('troubleLoggingIn')}{' '}
        <Link
          className="inline-block py-3 font-semibold text-accent underline underline-offset-4"
          to={settings.supportUrl}
        >
          {t('support')}
        </Link>
      </p>
      <p className="text-center text-sm text-muted">{t('agreement')}</p>
    </form>
  );
}
