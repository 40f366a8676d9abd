import { Check } from 'lucide-react';
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '#web/api.ts';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { showToast } from '#web/copy.ts';
import { useAnswer } from './useAnswer.ts';
import type { Answer, Event } from '#features/events/contract.ts';
import {
  type Action,
  actionFor,
  asksToConfirm,
  hasEnded,
  isCancelled,
  isClosed,
  isFull,
} from '#features/events/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { BottomBar } from '#ui/BottomBar.tsx';
import { Button } from '#ui/Button.tsx';
import { cn } from '#ui/class-names.ts';
import { LazyConfirmDialog } from '#ui/LazyConfirmDialog.tsx';
import { UnattendDialog } from './AttendButton.tsx';
import ConfirmAnswer from './ConfirmAnswer.tsx';
import { refreshEvents } from '#features/events/web/useEvent.ts';
import { repeatText } from '#features/events/repeat-rules.ts';
import { t } from '#features/events/messages.ts';

export type EventActionProps = {
  event: Event;
  now: Instant;
  /** Path to navigate to after the event is cancelled. */
  afterwards: string;
  /** Further buttons, shown after the button of the action. */
  children?: ReactNode;
};

/** Asks the viewer to confirm their answer, or offers the actions that they can take now. */
export function EventAction(props: EventActionProps) {
  const { event, now, children } = props;
  const asks = asksToConfirm(event, now);
  const area = useRef<HTMLDivElement>(null);
  const wasAsking = useRef(asks);
  useEffect(() => {
    // The focus was on a button that has been removed.
    if (wasAsking.current && !asks) area.current?.focus();
    wasAsking.current = asks;
  }, [asks]);
  return (
    <div ref={area} tabIndex={-1} className="flex flex-col gap-3 outline-none">
      {asks && (
        <BottomBar className="flex flex-col gap-3">
          <ConfirmAnswer event={event} />
          {event.my_role !== 'organiser' && children}
        </BottomBar>
      )}
      {(!asks || event.my_role === 'organiser') && <Actions {...props} />}
    </div>
  );
}

/** The buttons to answer. If the viewer can't answer, one other button instead, such as 'Cancel Event'. */
function Actions({ event, now, afterwards, children }: EventActionProps) {
  const { answer, throttled, problem } = useAnswer(event);
  const [asking, setAsking] = useState<'maybe' | 'no' | 'cancel'>();
  const network = useNeedsNetwork();
  const close = () => setAsking(undefined);
  const action = actionFor(event, now);
  const isOpen = action === 'attend' || action === 'attending';
  const isWaiting = event.my_answer === 'waiting';
  const loses = isWaiting || event.my_role === 'attendee';
  const canWithdraw = action === 'over' && loses && isToCome(event, now);
  const asks = loses || action === 'cancel';
  const askTo = (change: 'maybe' | 'no') => throttled(() => setAsking(change));
  const choose = (change: 'maybe' | 'no') => {
    if (loses) askTo(change);
    else if (change !== event.my_answer) answer(change, t('answerNotSaved'));
  };
  const buttons: Partial<Record<Action, { label: string; press: (() => void) | undefined }>> = {
    over: { label: t('eventOver'), press: undefined },
    attend: isWaiting
      ? { label: t('leaveWaitlist'), press: () => askTo('no') }
      : { label: attendLabel(event), press: () => answer('going') },
    attending: { label: t('attending'), press: () => askTo('no') },
    cancel: { label: t('cancelEvent'), press: () => network.run(() => setAsking('cancel')) },
  };
  const button = buttons[action];
  return (
    <>
      {button && (
        <BottomBar className="flex flex-wrap gap-x-2">
          <p role="alert" className="w-full text-center text-sm font-medium text-danger not-empty:mb-2">
            {problem ?? network.notice}
          </p>
          <div
            role={isOpen ? 'group' : undefined}
            aria-label={isOpen ? t('yourAnswer') : undefined}
            className={cn(
              'gap-2',
              isOpen ? 'grid grow grid-cols-[1fr_auto_auto] lg:grid-cols-2' : 'flex',
              action === 'over' && 'grow lg:flex-wrap',
            )}
          >
            {/* A single element for all actions, so that it keeps the focus when the action changes. */}
            <Button
              size={action === 'cancel' ? 'md' : 'lg'}
              variant={
                action === 'attend' && !event.my_answer
                  ? 'filled'
                  : action === 'cancel'
                    ? 'ghost'
                    : 'secondary'
              }
              disabled={action === 'over' || (action === 'attend' && !canCome(event))}
              aria-pressed={isOpen && !isWaiting ? action === 'attending' : undefined}
              aria-haspopup={asks ? 'dialog' : undefined}
              onClick={button.press}
              className={cn(
                isOpen
                  ? cn(answerLook(event, 'going'), 'lg:col-span-2')
                  : 'offline:bg-sunken! offline:text-muted!',
                action === 'over' && 'grow px-3! max-lg:text-base! max-[23rem]:px-2! max-[23rem]:text-sm!',
                action === 'cancel' && 'px-2.5! text-sm! text-danger!',
              )}
            >
              {action === 'attending' && <Check aria-hidden />}
              {button.label}
            </Button>
            {isOpen &&
              (isWaiting ? (['maybe'] as const) : (['maybe', 'no'] as const)).map((each) => (
                <Button
                  key={each}
                  size="lg"
                  variant="secondary"
                  aria-pressed={event.my_answer === each}
                  aria-haspopup={loses ? 'dialog' : undefined}
                  onClick={() => choose(each)}
                  className={cn(answerLook(event, each), 'sm:text-base!')}
                >
                  {event.my_answer === each && <Check aria-hidden />}
                  {each === 'maybe' ? t('maybe') : t('cantGo')}
                </Button>
              ))}
            {canWithdraw && (
              <Button
                variant="ghost"
                aria-haspopup="dialog"
                onClick={() => askTo('no')}
                className="min-w-0 shrink! grow px-1.5! text-sm!"
              >
                {isWaiting ? t('leaveWaitlist') : t('cantMakeIt')}
              </Button>
            )}
          </div>
          {children}
        </BottomBar>
      )}
      <p
        role="status"
        className={cn(
          'text-center text-sm font-semibold empty:sr-only',
          event.my_role ? 'text-ok' : 'text-muted',
        )}
      >
        {stateText(event, now)}
      </p>
      {(asking === 'maybe' || asking === 'no') && (
        <Suspense>
          <UnattendDialog
            event={event}
            toMaybe={asking === 'maybe'}
            closed={canWithdraw}
            onOpenChange={close}
            onConfirm={() => (asking === 'no' ? answer('no') : answer('maybe', t('answerNotSaved')))}
          />
        </Suspense>
      )}
      <CancelDialog event={event} open={asking === 'cancel'} onOpenChange={close} afterwards={afterwards} />
    </>
  );
}

const answerLook = (event: Event, is: Answer) =>
  cn(
    'px-2! max-sm:text-sm! min-[23rem]:whitespace-nowrap sm:px-4! offline:bg-sunken! offline:text-muted!',
    event.my_answer === is && chosenLook,
    // On a phone, this label needs two lines beside the two other buttons.
    is === 'going' && isFull(event) && 'whitespace-normal! leading-tight!',
  );

const chosenLook = 'border-accent! bg-accent-soft! text-accent!';

/** Whether a viewer without a seat can get a seat or a place on the waitlist. */
const canCome = (event: Event) => event.my_answer === 'waiting' || !isFull(event) || event.waitlist;

function attendLabel(event: Event): string {
  if (!canCome(event)) return t('full');
  return isFull(event) ? t('joinWaitlist', { n: event.waiting_count }) : t('attendEvent');
}

const isToCome = (event: Event, now: Instant) => !isCancelled(event) && !hasEnded(event, now);

/** The viewer's answer in words. */
function stateText(event: Event, now: Instant): string | undefined {
  if (!event.my_answer || !isToCome(event, now)) return undefined;
  if (event.my_role === 'organiser') return t('hostingText');
  const place = event.my_place ?? event.waiting_count;
  if (isClosed(event, now)) {
    return {
      going: t('attendingClosedText'),
      waiting: t('waitingClosedText', { place }),
      maybe: t('maybeClosedText'),
      no: t('cantGoClosedText'),
    }[event.my_answer];
  }
  const { series, by_standing } = event;
  return {
    going: series && by_standing ? t('byStandingText', { words: repeatText(series) }) : t('attendingText'),
    waiting: t('waitingText', { place }),
    maybe: t('maybeText'),
    no: t('cantGoText'),
  }[event.my_answer];
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
      showToast('eventCancelled');
      await navigate(afterwards);
    },
    onError: () => {
      void refreshEvents();
      showToast('cancelFailed');
    },
  });
}
