import { useMutation } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { api } from '#web/api.ts';
import { useTitle } from '#web/useTitle.ts';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { EntryCard } from '#web/EntryCard.tsx';
import { Rich } from '#ui/Rich.tsx';
import { t } from '#features/notifications/form-messages.ts';
import { type Setting, settingNames } from '#features/notifications/settings-contract.ts';

/** The texts about the emails of each setting. */
const texts = {
  new_event: { question: 'unsubscribeFromNewEvents', done: 'noEmailsAboutNewEvents' },
  event_updated: { question: 'unsubscribeFromChangedEvents', done: 'noEmailsAboutChangedEvents' },
  event_cancelled: { question: 'unsubscribeFromCancelledEvents', done: 'noEmailsAboutCancelledEvents' },
  event_reminder: { question: 'unsubscribeFromReminders', done: 'noEmailsAboutReminders' },
  event_message: { question: 'unsubscribeFromEventMessages', done: 'noEmailsAboutEventMessages' },
  question: { question: 'unsubscribeFromQuestions', done: 'noEmailsAboutQuestions' },
  attending: { question: 'unsubscribeFromYourSignUps', done: 'noEmailsAboutYourSignUps' },
  answered_for_you: { question: 'unsubscribeFromAnswersForYou', done: 'noEmailsAboutAnswersForYou' },
  answer_wanted: { question: 'unsubscribeFromAnswersWanted', done: 'noEmailsAboutAnswersWanted' },
  seat_given: { question: 'unsubscribeFromSeatsForYou', done: 'noEmailsAboutSeatsForYou' },
  seat_free: { question: 'unsubscribeFromFreeSeats', done: 'noEmailsAboutFreeSeats' },
  answers_changed: { question: 'unsubscribeFromLateChanges', done: 'noEmailsAboutLateChanges' },
  not_reached: { question: 'unsubscribeFromPeopleNotReached', done: 'noEmailsAboutPeopleNotReached' },
  lift_changed: { question: 'unsubscribeFromLifts', done: 'noEmailsAboutLifts' },
  club_update: { question: 'unsubscribeFromClubUpdates', done: 'noEmailsAboutClubUpdates' },
  update_important: {
    question: 'unsubscribeFromImportantUpdates',
    done: 'noEmailsAboutImportantUpdates',
  },
  member_joined: { question: 'unsubscribeFromNewMembers', done: 'noEmailsAboutNewMembers' },
  role_changed: { question: 'unsubscribeFromYourRole', done: 'noEmailsAboutYourRole' },
  member_removed: {
    question: 'unsubscribeFromClubsThatRemovedYou',
    done: 'noEmailsAboutClubsThatRemovedYou',
  },
} as const satisfies Record<Setting, Record<'question' | 'done', Parameters<typeof t>[0]>>;

const ofWeeklyEmail = { question: 'unsubscribeFromWeeklyEmail', done: 'noNewsByEmail' } as const;

/** The texts about what the link with this key switches off. Undefined if there is no such key. */
function textsFor(key: string | undefined) {
  if (key === 'weekly_email') return ofWeeklyEmail;
  const setting = settingNames.find((each) => key === `email_${each}`);
  return setting && texts[setting];
}

const settingsLink = (text: string) => (
  <Link to="/app/settings/notifications" className="text-accent underline underline-offset-4">
    {text}
  </Link>
);

/** Target of the unsubscribe link in notification emails. Needs a click, because mail scanners open links too. */
export default function UnsubscribePage() {
  useTitle(t('unsubscribe'));
  const [query] = useSearchParams();
  const token = query.get('token') ?? '';
  const kind = textsFor(token.split('.')[1]);
  const stop = useMutation({ mutationFn: () => api.notifications.unsubscribe({ token }) });
  return (
    <EntryCard>
      <div role="status">
        {stop.isSuccess && kind && (
          <>
            <h1 className="text-2xl font-bold">{t('youAreUnsubscribed')}</h1>
            <p className="mt-1.5 text-muted">{t(kind.done)}</p>
          </>
        )}
      </div>
      {stop.isSuccess ? (
        <Button asChild className="mt-6 w-full" size="lg">
          <Link to="/app/settings/notifications">{t('seeAllSettings')}</Link>
        </Button>
      ) : kind ? (
        <>
          <h1 className="text-2xl font-bold">{t(kind.question)}</h1>
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
