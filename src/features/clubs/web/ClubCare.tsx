import { Link } from 'react-router';
import { useSyncExternalStore } from 'react';
import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { explain } from '#web/explain.ts';
import { keys } from '#web/first/session.ts';
import { localStore } from '#web/first/storage.ts';
import { queryClient, refreshUser } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useUser } from '#web/useSession.ts';
import type { Club } from '#features/clubs/contract.ts';
import type { Handover } from '#features/members/handover-contract.ts';
import { t } from '#features/members/handover-messages.ts';
import { fullName } from '#features/members/rules.ts';
import { shortDay } from '#wire/format.ts';
import { serverTime } from '#wire/server-time.ts';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';

/** An offer to hand over the club, for the two people whom it concerns. Otherwise asks the only admin for a second one. */
export function ClubCare({ club }: { club: Club }) {
  const { id: viewer } = useUser();
  const { handover } = club;
  if (handover?.to.id === viewer) return <OfferToYou club={club} offer={handover} />;
  if (handover) return <OwnOffer club={club} offer={handover} />;
  return club.needs_second_admin && <NeedsSecondAdmin club={club} />;
}

type OfferProps = { club: Club; offer: Handover };

/** Roles and offers have changed, or somebody else has changed them. */
const reload = () =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: ['club'] }),
    queryClient.invalidateQueries({ queryKey: ['membersForAdmin'] }),
    refreshUser(),
  ]);

function OfferToYou({ club, offer: { from, afterwards, until } }: OfferProps) {
  const name = fullName(from);
  const answer = useSubmit({
    mutationFn: (answer: 'accept' | 'decline') => {
      const offer = { club: club.slug, from: from.id };
      return answer === 'accept' ? api.members.acceptHandover(offer) : api.members.declineHandover(offer);
    },
    onSuccess: async (_, given) => {
      showToast({
        title: given === 'accept' ? t('offerAccepted', { club: club.club_name }) : t('offerDeclined'),
      });
      await reload();
    },
    onError: (failure) => {
      showToast({ title: t('offerNotAnswered'), text: explain(failure) });
      void reload();
    },
  });
  return (
    <Banner
      tone="accent"
      title={t('clubOfferedToYou', { name, club: club.club_name })}
      className="wrap-anywhere"
      action={
        <div className="flex gap-2 max-sm:w-full max-sm:*:grow offline:hidden">
          <Button
            size="sm"
            busy={answer.isPending && answer.variables === 'accept'}
            onClick={() => answer.mutate('accept')}
          >
            {t('accept')}
          </Button>
          <Button
            variant="secondary"
            size="sm"
            busy={answer.isPending && answer.variables === 'decline'}
            onClick={() => answer.mutate('decline')}
          >
            {t('decline')}
          </Button>
        </div>
      }
    >
      {t('clubOfferedToYouText', { name, afterwards, day: shortDay(until) })}
    </Banner>
  );
}

function OwnOffer({ club, offer: { to, until } }: OfferProps) {
  const name = fullName(to);
  const withdraw = useSubmit({
    mutationFn: () => api.members.withdrawHandover({ club: club.slug }),
    onSuccess: async () => {
      showToast({ title: t('offerWithdrawn') });
      await reload();
    },
    onError: (failure) => {
      showToast({ title: t('offerNotWithdrawn'), text: explain(failure) });
      void reload();
    },
  });
  return (
    <Banner
      title={t('ownOffer', { name, club: club.club_name })}
      className="wrap-anywhere"
      action={
        <Button
          variant="secondary"
          size="sm"
          className="offline:hidden"
          busy={withdraw.isPending}
          onClick={() => withdraw.mutate()}
        >
          {t('withdraw')}
        </Button>
      }
    >
      {t('ownOfferText', { name, day: shortDay(until) })}
    </Banner>
  );
}

/** In milliseconds: 90 days. */
const pause = 90 * 24 * 3600_000;

/** When 'Not now' was pressed, by club. The storage may be blocked or edited. */
function pressedAt(): Record<string, number> {
  try {
    return (JSON.parse(localStore.get(keys.notNow) ?? 'null') as Record<string, number> | null) ?? {};
  } catch {
    return {};
  }
}

const isPaused = (club: string) => (pressedAt()[club] ?? 0) > serverTime() - pause;

const listeners = new Set<() => void>();

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function notNow(club: string): void {
  localStore.set(keys.notNow, JSON.stringify({ ...pressedAt(), [club]: serverTime() }));
  for (const listener of listeners) listener();
}

/** Not in the HTML of the server, which cannot know whether 'Not now' was pressed in this browser. */
function NeedsSecondAdmin({ club }: { club: Club }) {
  const isHidden = useSyncExternalStore(
    subscribe,
    () => isPaused(club.id),
    () => true,
  );
  if (isHidden) return null;
  return (
    <Banner
      tone="accent"
      className="wrap-anywhere offline:hidden"
      action={
        <div className="flex flex-wrap gap-2 max-sm:w-full max-sm:*:grow">
          <Button asChild size="sm">
            <Link to={`/app/clubs/${club.slug}/members`}>{t('makeSecondAdmin')}</Link>
          </Button>
          <Button variant="secondary" size="sm" onClick={() => notNow(club.id)}>
            {t('notNow')}
          </Button>
        </div>
      }
    >
      {t('needsSecondAdmin', { club: club.club_name })}
    </Banner>
  );
}
