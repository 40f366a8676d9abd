import { Mail } from 'lucide-react';
import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { explain } from '#web/explain.ts';
import { settings } from '#web/settings.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useUser } from '#web/useSession.ts';
import { Button } from '#ui/Button.tsx';
import { InvitationsByMail } from './InvitationsByMail.tsx';
import type { CalendarFeed } from './useFeed.ts';
import { t } from '#features/calendar/link-messages.ts';

type OnAndroidProps = { feed: CalendarFeed; onUse: (() => void) | undefined };

/** What works on Android, where Google Calendar cannot subscribe to a link. */
export function OnAndroid({ feed, onUse }: OnAndroidProps) {
  const { email } = useUser();
  const send = useSubmit({
    mutationFn: () => api.calendar.emailLink(feed.kind === 'club' ? { club_id: feed.club_id } : {}),
    onSuccess() {
      onUse?.();
      showToast({ title: t('linkEmailed'), text: t('linkEmailedText', { email }) });
    },
    onError: (failure) => showToast({ title: t('linkNotEmailed'), text: explain(failure) }),
  });
  return (
    <>
      <div className="flex flex-col gap-3 rounded-lg bg-accent-soft p-4">
        <p className="text-sm">{t('onAndroidText')}</p>
        <Button busy={send.isPending} busyLabel={t('emailing')} onClick={() => send.mutate()}>
          <Mail aria-hidden />
          {t('emailMeTheLink')}
        </Button>
      </div>
      {settings.mailsInvitations && <InvitationsByMail />}
      <div className="text-sm">
        <p className="font-semibold">{t('addOnce')}</p>
        <p className="text-muted">{t('addOnceText')}</p>
      </div>
    </>
  );
}
