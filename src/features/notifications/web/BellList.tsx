import { Settings, Trash2 } from 'lucide-react';
import { type ReactNode, Suspense } from 'react';
import { Link } from 'react-router';
import { useSubmit } from '#web/useSubmit.ts';
import type { Notification } from '#features/notifications/contract.ts';
import { Button } from '#ui/Button.tsx';
import { cn } from '#ui/class-names.ts';
import { IconButton } from '#ui/IconButton.tsx';
import { useClosePopover } from '#ui/Popover.tsx';
import { NotificationEntry } from './NotificationEntry.tsx';
import { type Inbox, remove, useSeen } from './useInbox.ts';
import { lazyPart } from '#ui/LazyPart.tsx';
import { settings } from '#web/settings.ts';
import { withTexts } from '#web/with-texts.ts';
import { t } from '#features/notifications/messages.ts';

const PushHint = lazyPart(() => withTexts(import('#features/push/web/PushHint.tsx')));

const notLoaded = () => t('bellNotLoaded');

/** The newest notifications. All are marked as seen when it opens. */
export default function BellList({ inbox }: { inbox: Inbox }) {
  const { notifications, loading, failed } = inbox;
  const fresh = useSeen(inbox);
  const close = useClosePopover();
  return (
    <>
      <div className="flex flex-wrap items-center border-b border-line py-1 pr-2 pl-4">
        <h2 className="py-1.5 text-lg font-bold">{t('notifications')}</h2>
        <Button asChild variant="ghost" size="sm" className="ml-auto px-2!">
          <Link to="/app/settings/notifications" onClick={close}>
            <Settings aria-hidden />
            {t('settings')}
          </Link>
        </Button>
      </div>
      <div tabIndex={-1} className="min-h-0 grow overflow-y-auto overscroll-contain outline-none">
        {notifications.length > 0 ? (
          <ul className="divide-y divide-line">
            {notifications.map((one) => (
              <Row key={one.id} notification={one} fresh={!one.seen_at || fresh.has(one.id)} />
            ))}
          </ul>
        ) : (
          <Note>{failed ? notLoaded() : loading ? t('loadingNotifications') : t('noNotificationsYet')}</Note>
        )}
        {notifications.length === 0 && !loading && settings.hasPush && (
          <Suspense>
            <PushHint onFollow={close} />
          </Suspense>
        )}
      </div>
      {notifications.length > 0 && (
        <div className="border-t border-line p-1">
          <Button asChild variant="ghost" className="w-full">
            <Link to="/app/notifications" onClick={close}>
              {t('viewAllNotifications')}
            </Link>
          </Button>
        </div>
      )}
    </>
  );
}

const Note = ({ children }: { children: ReactNode }) => (
  <p className="px-4 py-10 text-center text-muted">{children}</p>
);

function Row({ notification, fresh }: { notification: Notification; fresh: boolean }) {
  const close = useClosePopover();
  const removal = useSubmit({ mutationFn: () => remove(notification) });
  return (
    <li className={cn('flex items-start', fresh && 'bg-fresh-soft')}>
      <NotificationEntry notification={notification} onFollow={close} className="py-3 pl-4" />
      <IconButton
        label={t('deleteNotification')}
        icon={Trash2}
        className="m-1.5"
        aria-busy={removal.isPending || undefined}
        onClick={() => removal.mutate()}
      />
    </li>
  );
}
