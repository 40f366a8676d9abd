import { useSuspenseQuery } from '@tanstack/react-query';
import { MailX } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { forgetInvite, isJoinIntended, rememberClub, rememberJoin } from '#web/first/after-login.ts';
import { api, logOut } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { Logo } from '#web/Logo.tsx';
import { queries, queryClient, refreshUser } from '#web/queries.ts';
import { redirectToLogin } from '#web/first/session.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useSession } from '#web/useSession.ts';
import { useTitle } from '#web/useTitle.ts';
import { useFailureToast } from '#web/useFailureToast.ts';
import type { Invite } from '#features/invites/contract.ts';
import type { User } from '#features/users/contract.ts';
import { fullName } from '#features/members/rules.ts';
import { sourceSet } from '#wire/pictures.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { Cover } from '#ui/Cover.tsx';
import { dayKey, shortDay } from '#wire/format.ts';
import { serverTime } from '#wire/server-time.ts';
import { type Names, NamePrompt } from './NamePrompt.tsx';
import { t } from '#features/invites/invitation-messages.ts';

export default function InvitePage() {
  const { slug = '', invite: token = '' } = useParams();
  const { data: invite } = useSuspenseQuery(queries.invite(token));
  const { user } = useSession();
  const [accepted] = useState(() => isJoinIntended(token, user?.email));
  useTitle(t('clubInvitation'));
  return (
    <Frame>
      {invite ? (
        <Invitation slug={slug} token={token} invite={invite} accepted={accepted} />
      ) : (
        <NotFound accepted={accepted} />
      )}
    </Frame>
  );
}

function NotFound({ accepted }: { accepted: boolean }) {
  const { loggedIn } = useSession();
  useEffect(() => {
    if (accepted) forgetInvite();
  }, [accepted]);
  return (
    <div className="flex flex-col items-center px-6 py-14 text-center">
      <span className="mb-4 grid size-16 place-items-center rounded-full bg-accent-soft text-accent">
        <MailX aria-hidden className="size-7" strokeWidth={1.75} />
      </span>
      <h1 className="text-2xl font-bold">{t('inviteNotFound')}</h1>
      <p className="mt-2 text-balance text-muted">
        {accepted ? t('expiredMeanwhile') : t('inviteNotFoundText')}
      </p>
      <p className="mt-4 text-balance">{t('askForNewLink')}</p>
      <div className="mt-6 flex w-full flex-col gap-3">
        <Button asChild variant="secondary">
          <Link to="/app">{t('goHome')}</Link>
        </Button>
        {!loggedIn && (
          <Button variant="link" className="self-center" onClick={() => redirectToLogin()}>
            {t('inTheClubAlready')}
          </Button>
        )}
      </div>
    </div>
  );
}

function Frame({ children }: { children: ReactNode }) {
  const { loggedIn } = useSession();
  return (
    <div className="mx-auto flex w-full max-w-md flex-col gap-6 sm:pt-8">
      {!loggedIn && (
        <Link to="/" className="self-center rounded-md p-2">
          <Logo />
        </Link>
      )}
      <Card flush>{children}</Card>
    </div>
  );
}

type InvitationProps = {
  slug: string;
  token: string;
  invite: Invite;
  /** Whether this user has pressed 'Accept Invite' before logging in. */
  accepted: boolean;
};

function Invitation({ slug, token, invite, accepted }: InvitationProps) {
  const { club_id, club_name, profile_picture_url, profile_banner_url } = invite;
  const { user, loggedIn } = useSession();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(accepted && !user?.first_name);
  const join = useJoin(token);
  const resume = useEffectEvent(() => !asking && join.mutate({}));
  useEffect(() => {
    if (accepted) resume();
  }, [accepted]);

  const accept = () => {
    rememberClub(slug);
    if (!loggedIn) {
      rememberJoin(token);
      redirectToLogin();
    } else if (user?.first_name) join.mutate({});
    else setAsking(true);
  };
  const logInAgain = () =>
    void logOut({
      next() {
        rememberClub(slug);
        redirectToLogin();
      },
    });
  const decline = () => {
    forgetInvite();
    void navigate('/app');
  };
  return (
    <>
      <Cover seed={club_id} src={profile_banner_url} srcSet={sourceSet(profile_banner_url, 'banner')} />
      <div className="flex flex-col items-center px-6 pb-8 text-center">
        <Avatar
          square
          size="xl"
          name={club_name}
          seed={club_id}
          src={profile_picture_url}
          className="relative -mt-12 ring-4 ring-surface"
        />
        <h1 className="mt-5 text-sm font-semibold tracking-normal text-accent">{t('clubInvitation')}</h1>
        <p className="mt-1.5 text-2xl font-bold tracking-tight text-balance wrap-anywhere">
          {t('invitedTo', { club: club_name })}
        </p>
        <Facts invite={invite} />
        <div className="mt-7 flex w-full flex-col gap-3">
          <Button size="lg" busy={join.isPending && !asking} busyLabel={t('joining')} onClick={accept}>
            {t('acceptInvite')}
          </Button>
          <Button variant="secondary" onClick={decline}>
            {t('declineInvite')}
          </Button>
        </div>
        {!loggedIn && <p className="mt-4 text-sm text-muted">{t('loginFirst')}</p>}
        {user && <Account user={user} onChange={logInAgain} />}
        {join.isError && (
          <Banner tone="error" role="alert" className="mt-5 w-full text-left">
            {explain(join.error)}
          </Banner>
        )}
      </div>
      <NamePrompt
        open={asking}
        onOpenChange={setAsking}
        clubName={club_name}
        busy={join.isPending}
        onNames={(names, forgetDraft) => join.mutate({ names, forgetDraft })}
      />
    </>
  );
}

/** Names the account that joins, because people may have several, and offers to use another one. */
function Account({ user, onChange }: { user: User; onChange: () => void }) {
  const { email } = user;
  return (
    <div className="mt-4 flex flex-col items-center text-sm text-muted wrap-anywhere">
      <p>{user.first_name ? t('youAre', { name: fullName(user), email }) : t('youAreEmail', { email })}</p>
      <Button variant="link" size="sm" onClick={onChange}>
        {t('notYou')}
      </Button>
    </div>
  );
}

function Facts({ invite: { invited_by, member_count, next_event_day } }: { invite: Invite }) {
  const members = t('memberCount', { n: member_count });
  return (
    <div className="mt-4 flex flex-col gap-1 text-muted wrap-anywhere">
      <p>{invited_by ? t('invitedBy', { name: invited_by, members }) : members}</p>
      {next_event_day && (
        <p>
          {next_event_day === dayKey(serverTime())
            ? t('nextEventToday')
            : t('nextEvent', { day: shortDay(next_event_day, 'UTC') })}
        </p>
      )}
    </div>
  );
}

function useJoin(token: string) {
  const showFailure = useFailureToast();
  const navigate = useNavigate();
  return useSubmit({
    mutationFn: ({ names }: { names?: Names; forgetDraft?: () => void }) =>
      api.invites.join({ invite: token, ...names }),
    onSuccess: async ({ slug }, { forgetDraft }) => {
      forgetDraft?.();
      forgetInvite();
      await refreshUser();
      await navigate(`/app/clubs/${slug}`, { replace: true });
    },
    onError: () => {
      showFailure('joinFailed');
      // The invite may have expired or been replaced since the page was opened.
      void queryClient.invalidateQueries(queries.invite(token));
    },
  });
}
