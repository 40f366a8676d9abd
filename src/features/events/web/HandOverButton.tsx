import { Suspense, useState } from 'react';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import type { Event } from '#features/events/contract.ts';
import { Button } from '#ui/Button.tsx';
import { t } from '#features/events/messages.ts';
import { lazyPart } from '#ui/LazyPart.tsx';

export const HandOverDialog = lazyPart(() => import('./HandOverDialog.tsx'));

/** Lets an admin take over as host. The host hands over from the menu. */
export function HandOverButton({ event }: { event: Event }) {
  const [isOpen, setOpen] = useState(false);
  const network = useNeedsNetwork();
  return (
    <>
      <Button
        variant="link"
        size="sm"
        aria-haspopup="dialog"
        className="-my-1 px-0! offline:text-muted!"
        onClick={() => network.run(() => setOpen(true))}
      >
        {t('takeOver')}
      </Button>
      {network.notice && (
        <p role="alert" className="text-sm font-medium text-danger">
          {network.notice}
        </p>
      )}
      {isOpen && (
        <Suspense>
          <HandOverDialog event={event} onOpenChange={setOpen} />
        </Suspense>
      )}
    </>
  );
}
