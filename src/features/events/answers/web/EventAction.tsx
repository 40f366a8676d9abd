import { Check } from 'lucide-react';
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { AnswerDetails } from './AnswerDetails.tsx';
import { useAnswer } from './useAnswer.ts';
import type { Answer } from '#features/events/choice-contract.ts';
import type { Event } from '#features/events/contract.ts';
import {
  type Action,
  actionFor,
  asksToConfirm,
  hasEnded,
  isCancelled,
  isClosed,
  isFull,
  isHosting,
} from '#features/events/rules.ts';
import type { ClubOfUser } from '#features/users/contract.ts';
import { shortDate } from '#wire/format.ts';
import type { Instant } from '#wire/instant.ts';
import { BottomBar } from '#ui/BottomBar.tsx';
import { Button } from '#ui/Button.tsx';
import { cn } from '#ui/class-names.ts';
import { UnattendDialog } from './AttendButton.tsx';
import ConfirmAnswer from './ConfirmAnswer.tsx';
import { InlineError } from '#ui/InlineError.tsx';
import { lazyPart } from '#ui/LazyPart.tsx';
import { AfterHydration } from '#web/AfterHydration.tsx';
import { HostAction } from './LazyRunnerParts.tsx';
import { repeatText } from '#features/events/repeat-rules.ts';
import { t as ofAnswers } from '#features/events/answers/messages.ts';
import { t } from '#features/events/messages.ts';

const EveryDate = lazyPart(() => import('./EveryDate.tsx').then((module) => ({ default: module.EveryDate })));

export type EventActionProps = {
  event: Event;
  now: Instant;
  /** The club of the event if the viewer is a member. */
  club: ClubOfUser | undefined;
  /** The button that shares the event, for the bar of the host. */
  children: ReactNode;
};

/** Asks the viewer to confirm their answer, or offers what they can do now: the answers, or the action of the host. */
export function EventAction({ event, now, club, children }: EventActionProps) {
  const asks = asksToConfirm(event, now);
  const area = useRef<HTMLDivElement>(null);
  const wasAsking = useRef(asks);
  useEffect(() => {
    // The focus was on a button that has been removed.
    if (wasAsking.current && !asks) area.current?.focus();
    wasAsking.current = asks;
  }, [asks]);
  const { my_answer } = event;
  const lastAnswer = useRef(my_answer);
  const isPressed = useRef(false);
  useEffect(() => {
    if (my_answer === lastAnswer.current) return;
    lastAnswer.current = my_answer;
    // On a phone, the bar would cover the guests and the note that belong to the new answer.
    if (isPressed.current) area.current?.scrollIntoView?.({ block: 'nearest' });
    isPressed.current = false;
  }, [my_answer]);
  return (
    <div
      ref={area}
      tabIndex={-1}
      onClickCapture={() => (isPressed.current = true)}
      className="flex flex-col gap-3 outline-none"
    >
      {club && isHosting(event) ? (
        <Suspense>
          <HostAction event={event} club={club} now={now}>
            {children}
          </HostAction>
        </Suspense>
      ) : asks ? (
        <BottomBar>
          <ConfirmAnswer event={event} />
        </BottomBar>
      ) : (
        <Actions event={event} now={now} />
      )}
      {club && <AnswerDetails event={event} now={now} />}
    </div>
  );
}

/** The buttons to answer. If the viewer can't answer, one other button instead, such as 'Event Over'. */
function Actions({ event, now }: Pick<EventActionProps, 'event' | 'now'>) {
  const { answer, throttled, problem } = useAnswer(event);
  const [asking, setAsking] = useState<'maybe' | 'no'>();
  const [hasAttended, setHasAttended] = useState(false);
  const close = () => setAsking(undefined);
  const action = actionFor(event, now);
  const isOpen = action === 'attend' || action === 'attending';
  const isWaiting = event.my_answer === 'waiting';
  const loses = isWaiting || event.my_role === 'attendee';
  const canWithdraw = action === 'over' && loses && isToCome(event, now);
  const askTo = (change: 'maybe' | 'no') => throttled(() => setAsking(change));
  const choose = (change: 'maybe' | 'no') => {
    if (loses) askTo(change);
    // Repeating the answer of an absence makes it an answer of one's own.
    else if (change !== event.my_answer || event.away_until) answer(change, t('answerNotSaved'));
  };
  const attend = () => {
    answer('going');
    setHasAttended(true);
  };
  const buttons: Partial<Record<Action, { label: string; press: (() => void) | undefined }>> = {
    over: { label: t('eventOver'), press: undefined },
    attend: isWaiting
      ? { label: t('leaveWaitlist'), press: () => askTo('no') }
      : { label: attendLabel(event), press: attend },
    attending: { label: t('attending'), press: () => askTo('no') },
  };
  const button = buttons[action];
  return (
    <>
      {button && (
        <BottomBar className="@container flex flex-wrap gap-x-2">
          <InlineError className="w-full text-center mb-2">{problem}</InlineError>
          <AboveButtons event={event} now={now} hasAttended={hasAttended} onAttend={attend} />
          <div
            role={isOpen ? 'group' : undefined}
            aria-label={isOpen ? t('yourAnswer') : undefined}
            className={cn(
              'grow gap-2',
              isOpen && !isWaiting
                ? 'grid grid-cols-[1fr_auto_auto] lg:grid-cols-2 @max-[20.5rem]:grid-cols-2'
                : 'flex justify-center @max-[20.5rem]:flex-wrap',
              action === 'over' && 'lg:flex-wrap',
            )}
          >
            {/* A single element for all actions, so that it keeps the focus when the action changes. */}
            <Button
              size="lg"
              variant={isWaiting ? 'ghost' : action === 'attend' && !event.my_answer ? 'filled' : 'secondary'}
              disabled={action === 'over' || (action === 'attend' && !canCome(event))}
              aria-pressed={isOpen && !isWaiting ? action === 'attending' : undefined}
              aria-haspopup={loses ? 'dialog' : undefined}
              onClick={button.press}
              className={cn(
                isOpen
                  ? cn(
                      answerLook(event, 'going'),
                      !isWaiting && 'lg:col-span-2 @max-[20.5rem]:col-span-2',
                      isWaiting && 'text-base!',
                    )
                  : 'offline:bg-sunken! offline:text-muted!',
                action === 'over' && 'grow px-3! max-lg:text-base! max-[23rem]:px-2! max-[23rem]:text-sm!',
              )}
            >
              {action === 'attending' && <Check aria-hidden />}
              <span>{button.label}</span>
            </Button>
            {isOpen &&
              (isWaiting ? (['maybe'] as const) : (['maybe', 'no'] as const)).map((each) => (
                <Button
                  key={each}
                  size="lg"
                  variant={isWaiting ? 'ghost' : 'secondary'}
                  aria-pressed={event.my_answer === each}
                  aria-haspopup={loses ? 'dialog' : undefined}
                  onClick={() => choose(each)}
                  className={cn(answerLook(event, each), 'sm:text-base!')}
                >
                  {event.my_answer === each && <Check aria-hidden />}
                  <span>{labelOf(each, event)}</span>
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
        </BottomBar>
      )}
      <p
        role="status"
        className={cn(
          'text-center text-sm font-semibold empty:sr-only',
          event.my_role ? 'text-ok' : 'text-muted',
          isWaiting && 'lg:order-first',
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
    </>
  );
}

type AboveButtonsProps = Pick<EventActionProps, 'event' | 'now'> & {
  /** Whether the viewer has pressed 'Attend Event' on this page. */
  hasAttended: boolean;
  onAttend: () => void;
};

function AboveButtons({ event, now, hasAttended, onAttend }: AboveButtonsProps) {
  const { my_answer, series, by_standing, away_until } = event;
  if (isByAbsence(event) && away_until && isToCome(event, now))
    return (
      <div className="mb-2 flex w-full flex-wrap items-center justify-between gap-x-2">
        <p className="text-sm font-semibold">{t('awayUntil', { day: shortDate(away_until, 'UTC') })}</p>
        {actionFor(event, now) === 'attend' && canCome(event) && (
          <Button variant="link" size="sm" onClick={onAttend} className="-mx-1">
            {t('comeAnyway')}
          </Button>
        )}
      </div>
    );
  if (my_answer === 'going' && series && hasAttended && !by_standing)
    return (
      <AfterHydration>
        <EveryDate event={event} series={series} />
      </AfterHydration>
    );
  if (my_answer !== 'waiting' || !isToCome(event, now)) return null;
  return (
    <p className="mb-1 w-full text-center font-semibold lg:hidden">
      {t('waitingPlace', { place: placeOf(event) })}
    </p>
  );
}

/** Whether an absence gave the answer. */
const isByAbsence = ({ my_answer, away_until }: Event) => my_answer === 'no' && Boolean(away_until);

const labelOf = (answer: 'maybe' | 'no', { my_answer }: Event) =>
  answer === 'maybe' ? t('maybe') : my_answer === 'no' ? ofAnswers('no') : t('cantGo');

const answerLook = (event: Event, is: Answer) =>
  cn(
    'px-[min(0.5rem,2.2vw)]! max-sm:text-sm! max-sm:[&_svg]:size-[1em]! min-[23rem]:whitespace-nowrap sm:px-4! offline:bg-sunken! offline:text-muted!',
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

const placeOf = ({ my_place, waiting_count }: Event) => my_place ?? waiting_count;

/** The viewer's answer in words. */
function stateText(event: Event, now: Instant): string | undefined {
  if (!event.my_answer || isByAbsence(event) || !isToCome(event, now)) return undefined;
  const place = placeOf(event);
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
