import { useQuery } from '@tanstack/react-query';
import { BellRing } from 'lucide-react';
import { Link } from 'react-router';
import { pushQueries, pushSupport } from '#web/push.ts';
import { Button } from '#ui/Button.tsx';
import { t } from '#features/push/messages.ts';

/** A link to the settings while this browser could get notifications and does not. */
export default function PushHint({ onFollow }: { onFollow: () => void }) {
  const support = pushSupport();
  const isPermitted = support === 'ready' && Notification.permission === 'granted';
  const { data } = useQuery({ ...pushQueries.device(), enabled: isPermitted });
  const isOff = isPermitted ? data?.is_on === false : support === 'ready' || support === 'home_screen';
  if (!isOff) return null;
  return (
    <div className="-mt-6 pb-8 text-center">
      <Button asChild variant="secondary">
        <Link to="/app/settings/notifications" onClick={onFollow}>
          <BellRing aria-hidden />
          {t('getTheseHere')}
        </Link>
      </Button>
    </div>
  );
}
