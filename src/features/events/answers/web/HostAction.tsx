import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { hostAction } from '#features/events/checkins/rules.ts';
import type { Event } from '#features/events/contract.ts';
import { asksToConfirm, hasEnded } from '#features/events/rules.ts';
import { ChangeOfPlan } from '#features/events/web/ChangeOfPlan.tsx';
import { EventMenu } from './EventMenu.tsx';
import type { ClubOfUser } from '#features/users/contract.ts';
import type { Instant } from '#wire/instant.ts';
import { barButton, BottomBar } from '#ui/BottomBar.tsx';
import { Button } from '#ui/Button.tsx';
import ConfirmAnswer from './ConfirmAnswer.tsx';
import { t } from '#features/events/messages.ts';

type HostActionProps = {
  event: Event;
  club: ClubOfUser;
  now: Instant;
  /** The button that shares the event. */
  children: ReactNode;
};

/** What the host of an event does next, with the rarer actions in a menu. Cancelling is never under the thumb. */
export function HostAction({ event, club, now, children }: HostActionProps) {
  const action = hostAction(event, now);
  return (
    <>
      <BottomBar className="flex flex-wrap items-center gap-2">
        {asksToConfirm(event, now) && (
          <div className="w-full">
            <ConfirmAnswer event={event} />
          </div>
        )}
        {action === 'check_in' && (
          <Button asChild className={barButton}>
            <Link to={`/app/events/${event.slug}/check-in`}>{t('checkIn')}</Link>
          </Button>
        )}
        {action === 'change_of_plan' && (
          <ChangeOfPlan event={event} isPlanner={club.is_planner} className={barButton} />
        )}
        {action === 'over' && <EventOver />}
        <span className="contents">{children}</span>
        <EventMenu event={event} club={club} now={now} inBar className="lg:hidden" />
      </BottomBar>
      {!hasEnded(event, now) && (
        <p role="status" className="text-center text-sm font-semibold text-ok">
          {t('hostingText')}
        </p>
      )}
    </>
  );
}

export const EventOver = () => (
  <Button variant="secondary" disabled className={barButton}>
    {t('eventOver')}
  </Button>
);
