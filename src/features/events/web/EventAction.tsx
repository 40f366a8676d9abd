import { Check } from 'lucide-react';
import { type ReactNode, Suspense, useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '#web/api.ts';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { notify } from '#web/copy.ts';
import { useAttendance } from '#features/attendance/web/useAttendance.ts';
import type { Event } from '#features/events/contract.ts';
import { actionFor } from '#features/events/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { BottomBar } from '#ui/BottomBar.tsx';
import { Button } from '#ui/Button.tsx';
import { cn } from '#ui/class-names.ts';
import { LazyConfirmDialog } from '#ui/LazyConfirmDialog.tsx';
import { UnattendDialog } from './AttendButton.tsx';
import { refreshEvents } from './useEvent.ts';
import { t } from '#features/events/messages.ts';

export type EventActionProps = {
  event: Event;
  now: Instant;
  /** Path to navigate to after the event is cancelled. */
  afterwards: string;
  /** More buttons. */
  children?: ReactNode;
};

/** The button for the one action that the viewer can take on the event now, if any. */
export function EventAction({ event, now, afterwards, children }: EventActionProps) {
  const { attend, unattend, throttled, problem } = useAttendance(event);
  const [asking, setAsking] = useState<'unattend' | 'cancel'>();
  const network = useNeedsNetwork();
  const close = () => setAsking(undefined);
  const action = actionFor(event, now);
  const asks = action === 'attending' || action === 'cancel';
  const button = {
    over: { label: t('eventOver'), press: undefined },
    attend: { label: t('attendEvent'), press: attend },
    attending: { label: t('attending'), press: () => throttled(() => setAsking('unattend')) },
    cancel: { label: t('cancelEvent'), press: () => network.run(() => setAsking('cancel')) },
    cancelled: undefined,
    none: undefined,
  }[action];
  return (
    <>
      {button && (
        <BottomBar className="flex flex-wrap gap-x-2">
          <p role="alert" className="w-full text-center text-sm font-medium text-danger not-empty:mb-2">
            {problem ?? network.notice}
          </p>
          {/* A single element for all actions, so that it keeps the focus when the action changes. */}
          <Button
            size={action === 'cancel' ? 'md' : 'lg'}
            variant={action === 'attend' ? 'primary' : action === 'cancel' ? 'ghost' : 'secondary'}
            disabled={action === 'over'}
            aria-haspopup={asks ? 'dialog' : undefined}
            onClick={button.press}
            className={cn(
              'offline:bg-sunken! offline:text-muted!',
              action === 'cancel' ? 'px-2.5! text-sm! text-danger!' : 'w-full',
            )}
          >
            {action === 'attending' && <Check aria-hidden className="text-ok" />}
            {button.label}
          </Button>
          {children}
        </BottomBar>
      )}
      <p role="status" className="text-center text-sm font-semibold text-ok empty:sr-only">
        {action === 'attending' && t('attendingText')}
        {action === 'cancel' && t('hostingText')}
      </p>
      {asking === 'unattend' && (
        <Suspense>
          <UnattendDialog event={event} onOpenChange={close} onConfirm={unattend} />
        </Suspense>
      )}
      <CancelDialog event={event} open={asking === 'cancel'} onOpenChange={close} afterwards={afterwards} />
    </>
  );
}

type DialogProps = { event: Event; open: boolean; onOpenChange: () => void };

function CancelDialog({ event, afterwards, ...dialog }: DialogProps & { afterwards: string }) {
  const cancel = useCancel(event, afterwards);
  return (
    <LazyConfirmDialog
      {...dialog}
      title={t('cancelThisEvent')}
      text={t('cancelThisEventText', { name: event.name })}
      confirmLabel={t('cancelEvent')}
      cancelLabel={t('keepEvent')}
      danger
      busy={cancel.isPending}
      busyLabel={t('cancelling')}
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
