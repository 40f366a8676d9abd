import type { Instant } from '#wire/instant.ts';
import type { ErrorCode } from '#wire/errors.ts';
import type { Answer, Attendee, Event } from '#features/events/contract.ts';
import { hasEnded, isCancelled, isClosed } from '#features/events/rules.ts';

/** A member's answer to an event. `note` is for the organisers. */
export interface MyAnswer {
  answer: Answer;
  /** Without the member. */
  guests: number;
  note: string;
}

type Answerable = Pick<Event, 'deleted_at' | 'entry_until_time' | 'end_time' | 'guests_max'> &
  Pick<Event, 'my_role' | 'my_answer' | 'my_guests'>;

type Wish = Pick<MyAnswer, 'answer' | 'guests'>;

/** After the cut-off, members can only take back their answer or bring fewer guests. */
export function whyCannotAnswer(event: Answerable, wish: Wish, now: Instant): ErrorCode | undefined {
  const { answer, guests } = wish;
  const takesBack = answer === 'no' || (answer === event.my_answer && guests <= event.my_guests);
  return (
    whyCannotBeAnswered(event, wish, now) ?? (isClosed(event, now) && !takesBack ? 'event_closed' : undefined)
  );
}

/** Holds for organisers too, who may answer for a member after the cut-off. `event` is as the member sees it. */
export function whyCannotBeAnswered(
  event: Answerable,
  { answer, guests }: Wish,
  now: Instant,
): ErrorCode | undefined {
  if (isCancelled(event)) return 'event_cancelled';
  if (hasEnded(event, now)) return 'event_ended';
  if (event.my_role === 'organiser' && answer !== 'going') return 'host_stays';
  // Earlier answers stay when the organisers lower the limit.
  return guests > Math.max(event.guests_max, event.my_guests) ? 'too_many_guests' : undefined;
}

/** Milliseconds after a response during which further clicks are ignored. */
const repeatDelay = 1000;

/** State of the attend button; times are milliseconds of the same clock. */
export interface Pace {
  inFlight: boolean;
  answeredAt?: number;
}

/** Whether a click comes during a request or too soon after its response. */
export const isTooQuick = ({ inFlight, answeredAt = -Infinity }: Pace, now: number): boolean =>
  inFlight || now - answeredAt < repeatDelay;

type Shown = Pick<Event, 'my_role' | 'user_count'> & { attendees?: Attendee[]; faces?: Attendee[] };

/** The event, or its card, as it looks after the viewer attends or unattends (optimistic update). */
export function withAttendance<Known extends Shown>(
  event: Known,
  me: Omit<Attendee, 'attendee_role'>,
  going: boolean,
): Known {
  const withMe = (people: Attendee[]) => [
    ...people.filter((each) => each.attendee_id !== me.attendee_id),
    ...(going ? [{ ...me, attendee_role: 'attendee' as const }] : []),
  ];
  return {
    ...event,
    ...(event.attendees && { attendees: withMe(event.attendees) }),
    ...(event.faces && { faces: withMe(event.faces) }),
    user_count: event.user_count + Number(going) - Number(event.my_role !== null),
    my_role: going ? 'attendee' : null,
  };
}
