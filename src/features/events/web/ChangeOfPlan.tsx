import { Megaphone } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import type { Event } from '#features/events/contract.ts';
import { Button } from '#ui/Button.tsx';
import { t } from '#features/events/messages.ts';

const ChangeOfPlanDialog = lazy(() => import('./ChangeOfPlanDialog.tsx'));

type ChangeOfPlanProps = { event: Event; isAdmin: boolean };

/** Lets runners move or cancel an event and notify people of the reason, in a few taps. */
export function ChangeOfPlan({ event, isAdmin }: ChangeOfPlanProps) {
  const [isOpen, setOpen] = useState(false);
  const network = useNeedsNetwork();
  return (
    <>
      <Button
        variant="secondary"
        size="sm"
        aria-haspopup="dialog"
        className="offline:text-muted!"
        onClick={() => network.run(() => setOpen(true))}
      >
        <Megaphone aria-hidden />
        {t('changeOfPlan')}
      </Button>
      {network.notice && (
        <p role="alert" className="text-sm font-medium text-danger">
          {network.notice}
        </p>
      )}
      {isOpen && (
        <Suspense>
          <ChangeOfPlanDialog event={event} isAdmin={isAdmin} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
