import { Link } from 'react-router';
import { useNow } from '#web/useNow.ts';
import type { Notification } from '#features/notifications/contract.ts';
import { cn } from '#ui/class-names.ts';
import { relativeTime } from '#wire/format.ts';
import { act, pathOf } from './useInbox.ts';
import { t } from '#features/notifications/messages.ts';

export type NotificationEntryProps = {
  notification: Notification;
  /** Also shows whether the notification was viewed or actioned. */
  tagged?: boolean;
  onFollow?: () => void;
  className?: string;
};

/** One notification. A click marks it as actioned and follows its link, if any. */
export function NotificationEntry({
  notification,
  tagged = false,
  onFollow,
  className,
}: NotificationEntryProps) {
  const { message, metadata, created_at, seen_at, actioned_at } = notification;
  const now = useNow();
  const path = pathOf(notification);
  const follow = () => {
    act(notification);
    onFollow?.();
  };
  const looks = cn('block min-w-0 grow text-left transition-colors hover:bg-sunken/60', className);
  const content = (
    <>
      <span className="block wrap-anywhere">{message}</span>
      {metadata.event_name && (
        <span className="block text-sm wrap-anywhere text-muted">
          {t('event', { event_name: metadata.event_name })}
        </span>
      )}
      <span className="mt-0.5 flex flex-wrap gap-x-1.5 text-sm text-muted">
        <time dateTime={created_at}>{relativeTime(created_at, now)}</time>
        {tagged && seen_at && <span>{t('viewed')}</span>}
        {tagged && actioned_at && <span>{t('actioned')}</span>}
      </span>
    </>
  );
  return path ? (
    <Link to={path} onClick={follow} className={looks}>
      {content}
    </Link>
  ) : (
    <button type="button" onClick={follow} className={looks}>
      {content}
    </button>
  );
}
