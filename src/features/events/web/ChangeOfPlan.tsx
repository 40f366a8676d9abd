import { Megaphone } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import type { Event } from '#features/events/contract.ts';
import { Button, type ButtonProps } from '#ui/Button.tsx';
import { cn } from '#ui/class-names.ts';
import { t } from '#features/events/messages.ts';
import { InlineError } from '#ui/InlineError.tsx';
import { lazyPart } from '#ui/LazyPart.tsx';

export const ChangeOfPlanDialog = lazyPart(() => import('./ChangeOfPlanDialog.tsx'));

type ChangeOfPlanProps = Pick<ButtonProps, 'size' | 'className'> & { event: Event; isPlanner: boolean };

/** Lets runners move or cancel an event and notify people of the reason, in a few taps. */
export function ChangeOfPlan({ event, isPlanner, className, ...look }: ChangeOfPlanProps) {
  const [isOpen, setOpen] = useState(false);
  const network = useNeedsNetwork();
  return (
    <>
      <Button
        {...look}
        variant="secondary"
        aria-haspopup="dialog"
        className={cn('offline:text-muted!', className)}
        onClick={() => network.run(() => setOpen(true))}
      >
        <Megaphone aria-hidden />
        {t('changeOfPlan')}
      </Button>
      <InlineError className="w-full max-lg:order-first">{network.notice}</InlineError>
      {isOpen && (
        <Suspense>
          <ChangeOfPlanDialog event={event} isPlanner={isPlanner} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
