import { Bell as BellIcon, Settings, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useSubmit } from '#web/useSubmit.ts';
import type { Notification } from '#features/notifications/contract.ts';
import { Button } from '#ui/Button.tsx';
import { cn } from '#ui/class-names.ts';
import { IconButton } from '#ui/IconButton.tsx';
import { Popover, useClosePopover } from '#ui/Popover.tsx';
import { NotificationEntry } from './NotificationEntry.tsx';
import { type Inbox, remove, useInbox, useSeen } from './useInbox.ts';
import { useLive } from './useLive.ts';

const maxEntries = 9;
const notLoaded = "We couldn't load your notifications. Try again in a moment.";

/** A button with the unseen count that opens a list of the newest notifications. */
export function Bell() {
  const inbox = useInbox();
  useLive();
  const { unseen } = inbox;
  const count = unseen > maxEntries ? `${maxEntries}+` : String(unseen);
  return (
    <Popover
      label="Notifications"
      className="flex max-h-[min(500px,calc(100dvh-1rem))]! w-96 flex-col overflow-hidden!"
      trigger={
        <IconButton
          icon={BellIcon}
          label={unseen > 0 ? `Notifications, ${count} new` : 'Notifications'}
          badge={unseen > 0 ? count : undefined}
          className="offline:hidden"
        />
      }
    >
      <Dropdown inbox={inbox} />
    </Popover>
  );
}

function Dropdown({ inbox }: { inbox: Inbox }) {
  const { notifications, loading, failed } = inbox;
  const fresh = useSeen(inbox);
  const close = useClosePopover();
  return (
    <>
      <div className="flex items-center justify-between border-b border-line py-1 pr-2 pl-4">
        <h2 className="text-lg font-bold">Notifications</h2>
        <Button asChild variant="ghost" size="sm">
          <Link to="/app/settings/notifications" onClick={close}>
            <Settings aria-hidden />
            Settings
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
          <Note>{failed ? notLoaded : loading ? 'Loading notifications...' : 'No notifications yet'}</Note>
        )}
      </div>
      {notifications.length > 0 && (
        <div className="border-t border-line p-1">
          <Button asChild variant="ghost" className="w-full">
            <Link to="/app/notifications" onClick={close}>
              View all notifications
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
        label="Delete notification"
        icon={Trash2}
        className="m-1.5"
        aria-busy={removal.isPending || undefined}
        onClick={() => removal.mutate()}
      />
    </li>
  );
}
