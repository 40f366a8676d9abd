import { useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { api } from '#web/api.ts';
import { rememberArrival, takeReturnUrl } from '#web/first/after-login.ts';
import { sentence } from '#web/explain.ts';
import { beginSession } from '#web/first/session.ts';
import { canStoreLogin } from '#web/first/storage.ts';
import { loginNotStored } from '#web/StorageNotice.tsx';
import { settings } from '#web/settings.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useTitle } from '#web/useTitle.ts';
import { showToast } from '#web/copy.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Failure, NetworkFailure } from '#wire/client.ts';
import { localPath } from '../rules.ts';
import { EntryCard } from '#web/EntryCard.tsx';
import { Rich, strong } from '#ui/Rich.tsx';
import { t } from '#features/auth/messages.ts';

/** Target of the link in the login email. Needs a click, because mail scanners open links too. */
export default function ConfirmPage() {
  useTitle(t('logIn'));
  const [query] = useSearchParams();
  const email = query.get('email');
  const code = query.get('code');
  return (
    <EntryCard>
      {email && code ? (
        <Confirm email={email} code={code} returnTo={localPath(query.get('rUrl'))} />
      ) : (
        <>
          <h1 className="text-2xl font-bold">{t('linkNotValid')}</h1>
          <p className="mt-1.5 text-muted">{t('linkNotValidText')}</p>
          <Button asChild className="mt-6 w-full" size="lg">
            <Link to="/login">{t('goToLogin')}</Link>
          </Button>
        </>
      )}
    </EntryCard>
  );
}

type ConfirmProps = { email: string; code: string; returnTo: string | undefined };

function Confirm({ email, code, returnTo }: ConfirmProps) {
  const navigate = useNavigate();
  const [isRefused, setRefused] = useState(false);
  const confirm = useSubmit({
    mutationFn: async () => {
      beginSession(await api.auth.confirm({ email, code }));
      const stored = takeReturnUrl();
      await navigate(returnTo ?? stored ?? '/app', { replace: true });
    },
    onError: (failure) => {
      showToast('loginFailed');
      // The code was not used up.
      if (failure instanceof NetworkFailure) return;
      const isExpired = failure instanceof Failure && failure.error === 'wrong_code';
      if (isExpired && returnTo) rememberArrival(returnTo);
      void navigate('/', { replace: true, state: isExpired ? { expiredFor: email } : null });
    },
  });
  const unreached = confirm.error instanceof NetworkFailure ? confirm.error : undefined;
  const press = () => {
    // Otherwise the server would use up the code.
    const canStore = canStoreLogin();
    setRefused(!canStore);
    if (canStore) confirm.mutate();
  };

  return (
    <>
      <h1 className="text-2xl font-bold">{t('logInTo', { productName: settings.productName })}</h1>
      <p className="mt-1.5 text-muted">
        <Rich parts={t.parts('logInAs', { b: strong }, { email })} />
      </p>
      <Button className="mt-6 w-full" size="lg" busy={confirm.isPending} onClick={press}>
        {t('logIn')}
      </Button>
      {(isRefused || unreached) && (
        <div className="mt-6">
          <NotSaved
            title={t('codeUnchecked')}
            reason={unreached ? sentence(unreached) : loginNotStored()}
            advice=""
          />
        </div>
      )}
    </>
  );
}
