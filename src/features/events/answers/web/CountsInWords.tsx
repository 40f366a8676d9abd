import type { Event } from '#features/events/contract.ts';
import { hasEnded, isCancelled, isFull } from '#features/events/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { t } from '#features/events/answers/messages.ts';

type CountsInWordsProps = { event: Event; now: Instant; isRunner?: boolean };

/**
 * The numbers of members who are going, of their guests, and of members with another answer or without an answer.
 * Outsiders get only the first number. Runners see the other numbers in the headcount instead.
 */
export function CountsInWords({ event, now, isRunner = false }: CountsInWordsProps) {
  const { waiting_count, no_count, silent_count } = event;
  const over = hasEnded(event, now);
  const others = [
    waiting_count > 0 && t('countWaiting', { n: waiting_count }),
    no_count > 0 && t('countCantGo', { n: no_count }),
    silent_count > 0 && t('countSilent', { n: silent_count }),
  ].filter(Boolean);
  return (
    <>
      <p>{goingInWords(event, now)}</p>
      {!over && !isCancelled(event) && <Seats event={event} isRunner={isRunner} />}
      {!over && !isRunner && !isCancelled(event) && (
        <p className="mt-1 text-sm text-muted empty:hidden">{others.join(' · ')}</p>
      )}
    </>
  );
}

/** How full the event is. Runners see numbers; other members see whether there is a seat for them. */
function Seats({ event, isRunner }: { event: Event; isRunner: boolean }) {
  const { capacity, user_count, guest_count, seats_left } = event;
  if (!capacity) return null;
  if (isRunner) return <p>{t('seatsTaken', { taken: user_count + guest_count, n: capacity })}</p>;
  return <p>{isFull(event) ? t('full') : t('seatsLeft', { n: seats_left ?? 0 })}</p>;
}

/** '31 going + 4 guests', or how many were going or went. */
export function goingInWords(event: Event, now: Instant): string {
  const text = isCancelled(event) ? 'countWasGoing' : hasEnded(event, now) ? 'countWent' : 'countGoing';
  return t(text, { n: event.user_count, guests: event.guest_count });
}
