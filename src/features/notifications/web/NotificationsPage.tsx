import { Settings } from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { useSubmit } from '#web/useSubmit.ts';
import { useTitle } from '#web/useTitle.ts';
import { showToast } from '#web/copy.ts';
import type { Notification } from '#features/notifications/contract.ts';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { cn } from '#ui/class-names.ts';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { NotificationEntry } from './NotificationEntry.tsx';
import { clear, reload, useInbox, useSeen } from './useInbox.ts';
import { t } from '#features/notifications/messages.ts';

export default function NotificationsPage() {
  const inbox = useInbox();
  const { notifications, loading, failed } = inbox;
  const back = useStepBack();
  useTitle(t('allNotifications'));
  useSeen(inbox);
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader
        title={t('allNotifications')}
        back={<BackButton onClick={back} />}
        actions={
          <>
            <Button asChild variant="ghost">
              <Link to="/app/settings/notifications">
                <Settings aria-hidden />
                {t('settings')}
              </Link>
            </Button>
            {notifications.length > 0 && <ClearAll />}
          </>
        }
      />
      {failed && notifications.length === 0 ? (
        <NotLoaded title={t('notLoaded')} retry={() => void reload()}>
          {t('notLoadedText')}
        </NotLoaded>
      ) : loading ? (
        <p role="status" className="py-12 text-center text-muted">
          {t('loadingNotifications')}
        </p>
      ) : notifications.length === 0 ? (
        <EmptyState icon="boat" title={t('noNotificationsYet')} text={t('noNotificationsYetText')} />
      ) : (
        <List notifications={notifications} />
      )}
    </div>
  );
}

/** Goes back one history entry, even if that leaves the app, or to the home page if there is no earlier entry. */
function useStepBack(): () => void {
  const navigate = useNavigate();
  return () => void (history.length > 1 ? navigate(-1) : navigate('/app', { replace: true }));
}

function List({ notifications }: { notifications: readonly Notification[] }) {
  return (
    <Card asChild flush>
      <ul className="divide-y divide-line">
        {notifications.map((one) => (
          <li
            key={one.id}
            className={cn(
              'flex border-l-4',
              one.actioned_at ? 'border-l-transparent' : 'border-l-fresh bg-fresh-soft',
            )}
          >
            <NotificationEntry notification={one} tagged className="px-4 py-3.5 sm:px-5" />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function ClearAll() {
  const [open, setOpen] = useState(false);
  const clearing = useSubmit({
    mutationFn: clear,
    onSuccess: () => showToast('notificationsCleared'),
    onError: () => showToast('clearingFailed'),
    onSettled: () => setOpen(false),
  });
  return (
    <>
      <Button variant="secondary" onClick={() => setOpen(true)}>
        {t('clearAll')}
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title={t('clearAllNotifications')}
        text={t('clearAllNotificationsText')}
        confirmLabel={t('clearAll')}
        onConfirm={() => clearing.mutate()}
        danger
        busy={clearing.isPending}
        busyLabel={t('clearing')}
      />
    </>
  );
}
