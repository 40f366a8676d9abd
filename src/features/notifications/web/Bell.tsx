import { Bell as BellIcon } from 'lucide-react';
import { Suspense } from 'react';
import { IconButton } from '#ui/IconButton.tsx';
import { Popover } from '#ui/Popover.tsx';
import { useInbox } from './useInbox.ts';
import { useLive } from './useLive.ts';
import { t } from '#features/notifications/home-messages.ts';
import { lazyPart } from '#ui/LazyPart.tsx';

// The first load of each screen contains the bell, but not its list.
const BellList = lazyPart(() => import('./BellList.tsx'));

const maxEntries = 9;

/** A button with the unseen count that opens a list of the newest notifications. */
export function Bell() {
  const inbox = useInbox();
  useLive();
  const { unseen } = inbox;
  const count = unseen > maxEntries ? `${maxEntries}+` : String(unseen);
  return (
    <Popover
      label={t('notifications')}
      className="flex max-h-[min(500px,calc(100dvh-1rem))]! w-96 flex-col overflow-hidden!"
      trigger={
        <IconButton
          icon={BellIcon}
          label={unseen > 0 ? t('notificationsNew', { count }) : t('notifications')}
          badge={unseen > 0 ? count : undefined}
          className="offline:hidden"
        />
      }
    >
      <Suspense fallback={<p className="px-4 py-10 text-center text-muted">{t('loadingNotifications')}</p>}>
        <BellList inbox={inbox} />
      </Suspense>
    </Popover>
  );
}
