import { useMutation } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { api } from '#web/api.ts';
import { useTitle } from '#web/useTitle.ts';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { EntryCard } from '#features/auth/web/EntryCard.tsx';
import { mailKinds } from '../contract.ts';
import { kindNames } from '../rules.ts';

/** Target of the unsubscribe link in notification emails. Needs a click, because mail scanners open links too. */
export default function UnsubscribePage() {
  useTitle('Unsubscribe');
  const [query] = useSearchParams();
  const token = query.get('token') ?? '';
  const kind = mailKinds.find((each) => token.split('.')[1] === `email_${each}`);
  const stop = useMutation({ mutationFn: () => api.notifications.unsubscribe({ token }) });
  return (
    <EntryCard>
      <div role="status">
        {stop.isSuccess && kind && (
          <>
            <h1 className="text-2xl font-bold">You are unsubscribed</h1>
            <p className="mt-1.5 text-muted">
              You won't get emails about {kindNames[kind]} any more. Essential emails are still sent.
            </p>
          </>
        )}
      </div>
      {stop.isSuccess ? (
        <Button asChild className="mt-6 w-full" size="lg">
          <Link to="/app/settings/notifications">See all settings</Link>
        </Button>
      ) : kind ? (
        <>
          <h1 className="text-2xl font-bold">Unsubscribe from emails about {kindNames[kind]}?</h1>
          <p className="mt-1.5 text-muted">Your other emails stay as they are. No login needed.</p>
          {stop.isError && (
            <Banner tone="warn" role="alert" className="mt-4">
              Something went wrong. Try again, or choose your emails in the{' '}
              <Link to="/app/settings/notifications" className="text-accent underline underline-offset-4">
                settings
              </Link>
              .
            </Banner>
          )}
          <Button className="mt-6 w-full" size="lg" busy={stop.isPending} onClick={() => stop.mutate()}>
            Unsubscribe
          </Button>
        </>
      ) : (
        <>
          <h1 className="text-2xl font-bold">This link is not valid</h1>
          <p className="mt-1.5 text-muted">
            Part of it is missing. You can choose your emails in the settings.
          </p>
          <Button asChild className="mt-6 w-full" size="lg">
            <Link to="/app/settings/notifications">Go to the settings</Link>
          </Button>
        </>
      )}
    </EntryCard>
  );
}
