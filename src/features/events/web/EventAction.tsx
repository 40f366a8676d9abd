import { Check } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '#web/api.ts';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { notify } from '#web/copy.ts';
import { useAttendance } from '#features/attendance/web/useAttendance.ts';
import type { Event } from '#features/events/contract.ts';
import { actionFor } from '#features/events/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { Button } from '#ui/Button.tsx';
import { cn } from '#ui/class-names.ts';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { refreshEvents } from './useEvent.ts';

export type EventActionProps = {
  event: Event;
  now: Instant;
  /** Path to navigate to after the event is cancelled. */
  afterwards: string;
};

/** The button for the one action that the viewer can take on the event now, if any. */
export function EventAction({ event, now, afterwards }: EventActionProps) {
  const { attend, unattend, throttled } = useAttendance(event);
  const [asking, setAsking] = useState<'unattend' | 'cancel'>();
  const network = useNeedsNetwork();
  const close = () => setAsking(undefined);
  const action = actionFor(event, now);
  const asks = action === 'attending' || action === 'cancel';
  const button = {
    over: { label: 'Event Over', press: undefined },
    attend: { label: 'Attend Event', press: () => network.run(attend) },
    attending: { label: 'Attending', press: () => network.run(() => throttled(() => setAsking('unattend'))) },
    cancel: { label: 'Cancel Event', press: () => network.run(() => setAsking('cancel')) },
    cancelled: undefined,
    none: undefined,
  }[action];
  return (
    <>
      {button && (
        // Always in sight at the bottom edge, below the wide layout.
        <div
          data-bottom-bar
          className="max-lg:fixed max-lg:inset-x-0 max-lg:bottom-0 max-lg:z-20 max-lg:border-t max-lg:border-line max-lg:bg-surface max-lg:px-4 max-lg:pt-3 max-lg:pb-[max(0.75rem,env(safe-area-inset-bottom))] sm:max-lg:px-6"
        >
          <p role="alert" className="text-center text-sm font-semibold text-warn not-empty:mb-2">
            {network.notice}
          </p>
          {/* A single element for all actions, so that it keeps the focus when the action changes. */}
          <Button
            size={action === 'cancel' ? 'md' : 'lg'}
            variant={action === 'attend' ? 'primary' : 'secondary'}
            disabled={action === 'over'}
            aria-haspopup={asks ? 'dialog' : undefined}
            onClick={button.press}
            className={cn('w-full', action === 'cancel' && 'text-danger!')}
          >
            {action === 'attending' && <Check aria-hidden className="text-ok" />}
            {button.label}
          </Button>
        </div>
      )}
      <p role="status" className="text-center text-sm font-semibold text-ok empty:sr-only">
        {action === 'attending' && "You're going! Put it in your calendar, or tell others."}
        {action === 'cancel' && "You're hosting this event."}
      </p>
      <UnattendDialog event={event} open={asking === 'unattend'} onOpenChange={close} onConfirm={unattend} />
      <CancelDialog event={event} open={asking === 'cancel'} onOpenChange={close} afterwards={afterwards} />
    </>
  );
}

type DialogProps = { event: Event; open: boolean; onOpenChange: () => void };

function UnattendDialog({ event, onConfirm, ...dialog }: DialogProps & { onConfirm: () => void }) {
  return (
    <ConfirmDialog
      {...dialog}
      title="Stop attending?"
      text={`You will no longer be on the list of attendees of ${event.name}. You can attend again while sign-up is open.`}
      confirmLabel="Unattend"
      cancelLabel="Keep attending"
      onConfirm={() => {
        dialog.onOpenChange();
        onConfirm();
      }}
    />
  );
}

function CancelDialog({ event, afterwards, ...dialog }: DialogProps & { afterwards: string }) {
  const cancel = useCancel(event, afterwards);
  return (
    <ConfirmDialog
      {...dialog}
      title="Cancel this event?"
      text={`${event.name} will be cancelled for everybody who attends. This cannot be undone.`}
      confirmLabel="Cancel Event"
      cancelLabel="Keep event"
      danger
      busy={cancel.isPending}
      busyLabel="Cancelling"
      onConfirm={() => cancel.mutate(undefined, { onError: dialog.onOpenChange })}
    />
  );
}

function useCancel({ slug }: Event, afterwards: string) {
  const navigate = useNavigate();
  return useSubmit({
    mutationFn: () => api.events.cancel({ event: slug }),
    onSuccess: async () => {
      void refreshEvents();
      notify('eventCancelled');
      await navigate(afterwards);
    },
    onError: () => {
      void refreshEvents();
      notify('cancelFailed');
    },
  });
}
