import type { LinkedAnswer } from '#features/events/answers/contract.ts';
import { eventDayAndTime, eventTimes, fullDate } from '#wire/format.ts';
import { look } from '#wire/look.ts';
import type { ErrorCode } from '#wire/errors.ts';
import { repeatInSentence } from '#features/events/repeat-rules.ts';
import { t as errorText } from '#wire/error-messages.ts';
import { t } from '#app/web/pages/answer/messages.ts';

/** The page shows the event and a form, or why there is nothing to answer. `problem` is an error code, or 'offline'. */
export type AnswerView = AnswerForm | { problem: string };

export interface AnswerForm {
  link: LinkedAnswer;
  /** The answer to preselect, if the member may give it. Defaults to the current answer. */
  marked?: unknown;
  /** Whether the answer was just saved or taken back. */
  isSaved?: boolean;
  /** Whether the saved answer is the standing answer to the series. */
  isEvery?: boolean;
  /** The token that takes the saved answer back. */
  undo?: string;
  /** Why the answer was not saved, or not taken back. */
  failure?: { code: ErrorCode; isUndo: boolean };
}

export interface Problem {
  title: string;
  text: string;
  /** Whether a retry may succeed. */
  passes: boolean;
}

const notValid = () => ({ title: t('linkNotValid'), text: t('linkNotValidText'), passes: false });

const problems = (): Record<string, Problem> => ({
  not_found: notValid(),
  bad_input: notValid(),
  event_ended: { title: t('over'), text: t('overText'), passes: false },
  event_cancelled: { title: t('cancelled'), text: t('cancelledText'), passes: false },
  too_often: { title: t('tooOften'), text: t('tooOftenText'), passes: true },
  offline: { title: t('offline'), text: t('offlineText'), passes: true },
});

export const problemInWords = (code: string): Problem =>
  problems()[code] ?? { title: t('broken'), text: t('brokenText'), passes: true };

export const failureInWords = ({ code, isUndo }: NonNullable<AnswerForm['failure']>): string =>
  t(isUndo ? 'notTakenBack' : 'notSaved', {
    reason: code === 'changed_meanwhile' ? t('cannotTakeBack') : errorText(code),
  });

/** The day and the times, as in the email. */
export function timesInWords(event: LinkedAnswer): [day: string, times: string] {
  const { timeZone = event.time_zone } = look();
  return [fullDate(event.start_time, timeZone), eventTimes(event)];
}

/** The choice that led to the current answer: a member on the waitlist chose 'going'. */
export const choiceOf = ({ my_answer }: LinkedAnswer) => (my_answer === 'waiting' ? 'going' : my_answer);

/** The current answer, and why the member cannot give other answers. */
export function stateInWords(link: LinkedAnswer): string {
  const { closed, choices, my_answer, my_role } = link;
  if (my_role === 'organiser') return t('hosting');
  if (closed && my_answer === 'no') return t('closedAfterNo');
  if (closed) return my_answer && choices.includes('no') ? t('closedForMore') : t('closed');
  if (my_answer === 'waiting') return t('nowWaiting', { n: link.my_place ?? 1 });
  const now = my_answer
    ? { going: t('nowGoing'), maybe: t('nowMaybe'), no: t('nowNo') }[my_answer]
    : t('noAnswerYet');
  return my_answer === 'going' ? now : `${now} ${seatsInWords(link)}`.trim();
}

/** How full the event is, if its seats are limited. */
function seatsInWords({ seats_left, waiting_count, choices }: LinkedAnswer): string {
  if (!choices.includes('going')) return t('fullWithoutWaitlist');
  if (seats_left === 0 || waiting_count > 0) return t('full', { n: waiting_count });
  return seats_left === null ? '' : t('seatsLeft', { n: seats_left });
}

/** Whether the page offers to answer all dates of the series. */
export const offersSeries = ({ repeats, my_standing, my_role }: LinkedAnswer): boolean =>
  repeats !== null && my_standing !== 'going' && my_role !== 'organiser';

/** With `isEvery`, the standing answer, and the answer to this date if it is not 'going'. */
export function savedInWords(link: LinkedAnswer, isEvery = false): string {
  const { name: event, my_answer, my_guests: n, start_time, time_zone, repeats } = link;
  if (isEvery && repeats && link.my_standing === 'going') {
    const every = t('savedEvery', { event, repeats: repeatInSentence(repeats) });
    return my_answer === 'going' || !my_answer ? every : `${every} ${savedInWords(link)}`;
  }
  const values = { event, when: eventDayAndTime(start_time, time_zone) };
  if (my_answer === 'going')
    return n > 0 ? t('savedGoingWithGuests', { ...values, n }) : t('savedGoing', values);
  if (my_answer === 'waiting') return t('savedWaiting', { ...values, n: link.my_place ?? 1 });
  return my_answer ? t(my_answer === 'no' ? 'savedNo' : 'savedMaybe', values) : t('savedNone');
}
