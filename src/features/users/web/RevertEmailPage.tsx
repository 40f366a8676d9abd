import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { api } from '#web/api.ts';
import { sentence } from '#web/explain.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useTitle } from '#web/useTitle.ts';
import { EntryCard } from '#features/auth/web/EntryCard.tsx';
import type { EmailChange } from '#features/users/contract.ts';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Failure } from '#wire/client.ts';

const isGone = (failure: Error | null) => failure instanceof Failure && failure.status === 404;

/** Target of the link in the email to the old address. Needs a click, because mail scanners open links too. */
export default function RevertEmailPage() {
  useTitle('Change your email back');
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
              <h1 className="text-2xl font-bold">This link is not valid</h1>
              <p className="mt-1.5 text-muted">
                It was used already, more than seven days have passed, or a part of it is missing.
              </p>
            </>
          )}
          <Button asChild className="mt-6 w-full" size="lg">
            <Link to="/login">Go to login</Link>
          </Button>
        </>
      ) : data ? (
        <>
          <Question change={data} />
          {revert.error && (
            <Banner tone="warn" role="alert" className="mt-4">
              That did not work. {sentence(revert.error)}
            </Banner>
          )}
          <Button className="mt-6 w-full" size="lg" busy={revert.isPending} onClick={() => revert.mutate()}>
            {data.is_changed ? 'Change it back' : 'Stop the change'}
          </Button>
        </>
      ) : error ? (
        <>
          <h1 className="text-2xl font-bold">This did not load</h1>
          <p className="mt-1.5 text-muted">{sentence(error)}</p>
          <Button
            className="mt-6 w-full"
            size="lg"
            busy={change.isFetching}
            onClick={() => void change.refetch()}
          >
            Try again
          </Button>
        </>
      ) : (
        <div aria-hidden className="h-24 animate-pulse rounded-md bg-line" />
      )}
    </EntryCard>
  );
}

const Email = ({ children }: { children: string }) => (
  <strong className="font-semibold wrap-anywhere text-ink">{children}</strong>
);

function Question({ change: { old_email, new_email, is_changed } }: { change: EmailChange }) {
  return (
    <>
      <h1 className="text-2xl font-bold">
        {is_changed ? 'Change your email back?' : 'Stop the change of your email?'}
      </h1>
      <p className="mt-1.5 text-muted">
        {is_changed
          ? 'The email of your account was changed from '
          : 'Someone asked to change the email of your account from '}
        <Email>{old_email}</Email> to <Email>{new_email}</Email>.{' '}
        {is_changed ? 'We change it back' : 'We stop that'} and log out every device. You don’t need to log in
        for this.
      </p>
    </>
  );
}

function Reverted({ change: { old_email, is_changed } }: { change: EmailChange }) {
  return (
    <>
      <h1 className="text-2xl font-bold">
        {is_changed ? 'Your email is changed back' : 'The change is stopped'}
      </h1>
      <p className="mt-1.5 text-muted">
        You log in with <Email>{old_email}</Email>. Every device is logged out.
      </p>
    </>
  );
}
