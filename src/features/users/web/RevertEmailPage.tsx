import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { api } from '#web/api.ts';
import { sentence } from '#web/explain.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useTitle } from '#web/useTitle.ts';
import { EntryCard } from '#web/EntryCard.tsx';
import type { EmailChange } from '#features/users/contract.ts';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Failure } from '#wire/client.ts';
import { Rich, strong } from '#ui/Rich.tsx';
import { t } from '#features/users/messages.ts';

const isGone = (failure: Error | null) => failure instanceof Failure && failure.status === 404;

/** Target of the link in the email to the old address. Needs a click, because mail scanners open links too. */
export default function RevertEmailPage() {
  useTitle(t('changeYourEmailBack'));
  const [query] = useSearchParams();
  const token = query.get('token') ?? '';
  const change = useQuery({
    queryKey: ['emailChange', token],
    queryFn: () => api.users.emailChange({ token }),
    staleTime: 'static',
    enabled: token !== '',
  });
  const revert = useSubmit({ mutationFn: () => api.users.revertEmail({ token }) });
  const { data, error } = change;
  return (
    <EntryCard>
      <div role="status">{data && revert.isSuccess && <Reverted change={data} />}</div>
      {revert.isSuccess || !token || isGone(error) || isGone(revert.error) ? (
        <>
          {!revert.isSuccess && (
            <>
              <h1 className="text-2xl font-bold">{t('linkNotValid')}</h1>
              <p className="mt-1.5 text-muted">{t('linkNotValidText')}</p>
            </>
          )}
          <Button asChild className="mt-6 w-full" size="lg">
            <Link to="/login">{t('goToLogin')}</Link>
          </Button>
        </>
      ) : data ? (
        <>
          <Question change={data} />
          {revert.error && (
            <Banner tone="error" role="alert" className="mt-4">
              {t('revertFailed', { sentence: sentence(revert.error) })}
            </Banner>
          )}
          <Button className="mt-6 w-full" size="lg" busy={revert.isPending} onClick={() => revert.mutate()}>
            {data.is_changed ? t('changeItBack') : t('stopTheChange')}
          </Button>
        </>
      ) : error ? (
        <>
          <h1 className="text-2xl font-bold">{t('notLoaded')}</h1>
          <p className="mt-1.5 text-muted">{sentence(error)}</p>
          <Button
            className="mt-6 w-full"
            size="lg"
            busy={change.isFetching}
            onClick={() => void change.refetch()}
          >
            {t('tryAgain')}
          </Button>
        </>
      ) : (
        <div aria-hidden className="h-24 animate-pulse rounded-md bg-line" />
      )}
    </EntryCard>
  );
}

function Question({ change: { old_email, new_email, is_changed } }: { change: EmailChange }) {
  return (
    <>
      <h1 className="text-2xl font-bold">{is_changed ? t('changeBackQuestion') : t('stopChangeQuestion')}</h1>
      <p className="mt-1.5 text-muted">
        <Rich
          parts={t.parts(
            is_changed ? 'changeBackText' : 'stopChangeText',
            { b: strong },
            { old_email, new_email },
          )}
        />
      </p>
    </>
  );
}

function Reverted({ change: { old_email, is_changed } }: { change: EmailChange }) {
  return (
    <>
      <h1 className="text-2xl font-bold">{is_changed ? t('changedBack') : t('changeStopped')}</h1>
      <p className="mt-1.5 text-muted">
        <Rich parts={t.parts('revertedText', { b: strong }, { old_email })} />
      </p>
    </>
  );
}
