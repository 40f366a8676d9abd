import type { Event } from '#features/events/contract.ts';
import { hasEnded, isCancelled, isFull } from '#features/events/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { Section } from '#ui/Section.tsx';
import { AttendeeList } from './AttendeeList.tsx';
import { t } from '#features/events/answers/messages.ts';

type AnswersProps = { event: Event; now: Instant };

/** The people who are going, waiting for a seat, or undecided. */
export function AnswerLists({ event, now }: AnswersProps) {
  const { slug, attendees, waiting, maybe } = event;
  const cancelled = isCancelled(event);
  const over = hasEnded(event, now);
  return (
    <>
      <Section
        title={cancelled ? t('whoWasGoing') : over ? t('whoWent') : t('going')}
        count={event.user_count}
      >
        <AttendeeList
          label={t('attendees')}
          event={slug}
          answer="going"
          attendees={attendees}
          from={event.more_attendees}
        />
      </Section>
      {waiting.length > 0 && !cancelled && !over && (
        <Section title={t('waiting')} count={event.waiting_count}>
          <AttendeeList
            label={t('waiting')}
            event={slug}
            answer="waiting"
            attendees={waiting}
            from={event.more_waiting}
            isNumbered
          />
        </Section>
      )}
      {maybe.length > 0 && !cancelled && !over && (
        <Section title={t('maybe')} count={event.maybe_count}>
          <AttendeeList
            label={t('maybe')}
            event={slug}
            answer="maybe"
            attendees={maybe}
            from={event.more_maybe}
          />
        </Section>
      )}
    </>
  );
}

/**
 * The numbers of members who are going, of their guests, and of members with another answer or without an answer.
 * Outsiders get only the first number. Runners see the other numbers in the headcount instead.
 */
export function CountsInWords({ event, now, isRunner = false }: AnswersProps & { isRunner?: boolean }) {
  const { user_count, guest_count, waiting_count, no_count, silent_count } = event;
  const over = hasEnded(event, now);
  const count = isCancelled(event) ? 'countWasGoing' : over ? 'countWent' : 'countGoing';
  const others = [
    waiting_count > 0 && t('countWaiting', { n: waiting_count }),
    no_count > 0 && t('countCantGo', { n: no_count }),
    silent_count > 0 && t('countSilent', { n: silent_count }),
  ].filter(Boolean);
  return (
    <>
      <p>{t(count, { n: user_count, guests: guest_count })}</p>
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
