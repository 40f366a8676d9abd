import { Link } from 'react-router';
import { sizesOf } from '#features/events/answers/form-rules.ts';
import type { AnswerList } from '#features/events/answers/contract.ts';
import { whyCannotCheckIn } from '#features/events/checkins/rules.ts';
import type { Event } from '#features/events/contract.ts';
import { whyCannotChangeHosts } from '#features/events/form-rules.ts';
import { hasEnded, isCancelled, isPolled } from '#features/events/rules.ts';
import { ChangeOfPlan } from '#features/events/web/ChangeOfPlan.tsx';
import { MessageButton } from '#features/updates/web/MessageButton.tsx';
import type { ClubOfUser } from '#features/users/contract.ts';
import type { Instant } from '#wire/instant.ts';
import { Button } from '#ui/Button.tsx';
import { goingInWords } from './CountsInWords.tsx';
import { NudgeMenu } from './NudgeMenu.tsx';
import { useLastVisit } from './useLastVisit.ts';
import { t } from '#features/events/answers/messages.ts';

type HeadcountProps = { event: Event; club: ClubOfUser; now: Instant };

/**
 * The numbers of answers, each with a link to its list, and what the host and planners can do about them. A host has
 * 'Check in' and 'Change of plan' in the bar and the menu instead, until the end of the event.
 */
export function Headcount({ event, club, now }: HeadcountProps) {
  const lastVisit = useLastVisit(event.id);
  const message = <MessageButton event={event} club={club} now={now} />;
  // While members vote on the time, there are no answers.
  if (isPolled(event, now)) return <div className="mt-3 empty:hidden">{message}</div>;
  const isHost = event.my_role === 'organiser';
  const canCheckIn = !whyCannotCheckIn(event, now) && (!isHost || hasEnded(event, now));
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-4">
      <nav aria-label={t('answers')} className="contents">
        {countsOf(event, now).map(([list, text]) => (
          <Link
            key={list}
            to={`/app/events/${event.slug}/answers?list=${list}`}
            className="relative inline-flex min-h-11 items-center text-sm font-semibold text-accent tabular-nums underline underline-offset-4"
          >
            <span>{text}</span>
            {isNewSince(lastVisit, event, list) && (
              <>
                <span aria-hidden className="absolute -right-2.5 top-3 size-2 rounded-full bg-accent" />
                <span className="sr-only">{t('changedSince')}</span>
              </>
            )}
          </Link>
        ))}
      </nav>
      <div className="flex flex-wrap gap-2 empty:hidden">
        <NudgeMenu event={event} now={now} />
        {message}
        {canCheckIn && (
          <Button asChild variant="secondary" size="sm">
            <Link to={`/app/events/${event.slug}/check-in`}>{t('checkIn')}</Link>
          </Button>
        )}
        {!isHost && !whyCannotChangeHosts(event, now) && (
          <ChangeOfPlan event={event} isPlanner={club.is_planner} size="sm" />
        )}
      </div>
    </div>
  );
}

/** Whether an answer in this list has changed since the last visit. */
const isNewSince = (lastVisit: Instant | null, { list_changes }: Event, list: AnswerList): boolean =>
  lastVisit !== null &&
  list !== 'silent' &&
  list !== 'unconfirmed' &&
  list !== 'unreached' &&
  (list_changes?.[list] ?? lastVisit) > lastVisit;

/** The lists with at least one member, and the list of members who are going. */
function countsOf(event: Event, now: Instant): [AnswerList, string][] {
  const { waiting_count, no_count } = event;
  const { silent, maybe, unconfirmed } = sizesOf(event);
  const asks = !isCancelled(event) && !hasEnded(event, now);
  const counts: [AnswerList, string, number][] = [
    ['going', goingInWords(event, now), Infinity],
    ['waiting', t('countWaiting', { n: waiting_count }), waiting_count],
    ['maybe', t('maybeCount', { n: maybe }), maybe],
    ['no', t('countCantGo', { n: no_count }), no_count],
    ['silent', t('silentCount', { n: silent }), silent],
    ['unconfirmed', t('unconfirmedCount', { n: unconfirmed }), asks ? unconfirmed : 0],
  ];
  return counts.flatMap(([list, text, n]) => (n > 0 ? [[list, text]] : []));
}
