import { useMutation } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { api } from '#web/api.ts';
import { useTitle } from '#web/useTitle.ts';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { EntryCard } from '#features/auth/web/EntryCard.tsx';
import { mailKinds } from '../contract.ts';
import { Rich } from '#ui/Rich.tsx';
import { kindNames, t } from '#features/notifications/messages.ts';

/** Target of the unsubscribe link in notification emails. Needs a click, because mail scanners open links too. */
const settingsLink = (text: string) => (
  <Link to="/app/settings/notifications" className="text-accent underline underline-offset-4">
    {text}
  </Link>
);

export default function UnsubscribePage() {
  useTitle(t('unsubscribe'));
  const [query] = useSearchParams();
  const token = query.get('token') ?? '';
  const kind = mailKinds.find((each) => token.split('.')[1] === `email_${each}`);
  const stop = useMutation({ mutationFn: () => api.notifications.unsubscribe({ token }) });
  return (
    <EntryCard>
      <div role="status">
        {stop.isSuccess && kind && (
          <>
            <h1 className="text-2xl font-bold">{t('youAreUnsubscribed')}</h1>
            <p className="mt-1.5 text-muted">{t('youAreUnsubscribedText', { kind: kindNames[kind] })}</p>
          </>
        )}
      </div>
      {stop.isSuccess ? (
        <Button asChild className="mt-6 w-full" size="lg">
          <Link to="/app/settings/notifications">{t('seeAllSettings')}</Link>
        </Button>
      ) : kind ? (
        <>
          <h1 className="text-2xl font-bold">{t('unsubscribeFrom', { kind: kindNames[kind] })}</h1>
          <p className="mt-1.5 text-muted">{t('unsubscribeFromText')}</p>
          {stop.isError && (
            <Banner tone="error" role="alert" className="mt-4">
              <Rich parts={t.parts('unsubscribeFailed', { link: settingsLink })} />
            </Banner>
          )}
          <Button className="mt-6 w-full" size="lg" busy={stop.isPending} onClick={() => stop.mutate()}>
            {t('unsubscribe')}
          </Button>
        </>
      ) : (
        <>
          <h1 className="text-2xl font-bold">{t('linkNotValid')}</h1>
          <p className="mt-1.5 text-muted">{t('linkNotValidText')}</p>
          <Button asChild className="mt-6 w-full" size="lg">
            <Link to="/app/settings/notifications">{t('goToTheSettings')}</Link>
          </Button>
        </>
      )}
    </EntryCard>
  );
}
