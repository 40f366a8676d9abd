import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { useSubmit } from '#web/useSubmit.ts';
import type { Event } from '#features/events/contract.ts';
import { Button } from '#ui/Button.tsx';
import { InlineError } from '#ui/InlineError.tsx';
import { LazyConfirmDialog } from '#ui/LazyConfirmDialog.tsx';
import { refreshEvents } from './useEvent.ts';
import { t } from '#features/events/messages.ts';

type CancelEventProps = {
  event: Event;
  /** Path to navigate to after the event is cancelled. */
  afterwards: string;
};

/** Lets the host cancel the event after a confirmation. */
export function CancelEvent({ event, afterwards }: CancelEventProps) {
  const [isOpen, setOpen] = useState(false);
  const network = useNeedsNetwork();
  const cancel = useCancel(event, afterwards);
  const close = () => setOpen(false);
  return (
    <div className="pl-8">
      <Button
        variant="link"
        size="sm"
        aria-haspopup="dialog"
        className="px-0! text-danger! offline:text-muted!"
        onClick={() => network.run(() => setOpen(true))}
      >
        {t('cancelEvent')}
      </Button>
      <InlineError>{network.notice}</InlineError>
      <LazyConfirmDialog
        open={isOpen}
        onOpenChange={close}
        title={t('cancelThisEvent')}
        text={t('cancelThisEventText', { name: event.name })}
        confirmLabel={t('cancelEvent')}
        cancelLabel={t('keepEvent')}
        danger
        busy={cancel.isPending}
        busyLabel={t('cancelling')}
        onConfirm={() => cancel.mutate(undefined, { onError: close })}
      />
    </div>
  );
}

function useCancel({ slug }: Event, afterwards: string) {
  const navigate = useNavigate();
  return useSubmit({
    mutationFn: () => api.events.cancel({ event: slug }),
    onSuccess: async () => {
      void refreshEvents();
      showToast('eventCancelled');
      await navigate(afterwards);
    },
    onError: () => {
      void refreshEvents();
      showToast('cancelFailed');
    },
  });
}
