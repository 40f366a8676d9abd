import type { ErrorCode } from '#wire/errors.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import type { AnswerRequest } from '#features/events/answers/rules.ts';
import type { Answer } from '#features/events/choice-contract.ts';
import type { Event } from '#features/events/contract.ts';
import type { NudgedList } from '#features/notifications/contract.ts';
import { hasEnded, isCancelled, isClosed, isFull } from '#features/events/rules.ts';

export const maxNudges = 3;
const secondsBetweenNudges = 24 * 60 * 60;

type Nudged = Pick<Event, 'nudged'>;

/** How often the members on a list were nudged, and when they were last nudged. */
export const nudgesOf = ({ nudged }: Nudged, list: NudgedList) =>
  // An event that the previous release stored for offline use lacks the lists.
  (nudged as Nudged['nudged'] | undefined)?.find((each) => each.list === list);

/**
 * When runners may nudge the members on a list again; '' if they have not been nudged yet. `whyCannotNudge` checks the
 * number of nudges.
 */
export function nextNudgeAt(event: Nudged, list: NudgedList): Instant {
  const last = nudgesOf(event, list);
  return last ? addSeconds(last.last_at, secondsBetweenNudges) : '';
}

/** Nudging is off once sign-up has closed. */
export function whyCannotNudge(
  event: Nudged & Pick<Event, 'deleted_at' | 'entry_until_time' | 'end_time' | 'polling'>,
  list: NudgedList,
  now: Instant,
): ErrorCode | undefined {
  if (isCancelled(event)) return 'event_cancelled';
  if (hasEnded(event, now)) return 'event_ended';
  if (event.polling) return 'time_open';
  if (isClosed(event, now)) return 'event_closed';
  if ((nudgesOf(event, list)?.times ?? 0) >= maxNudges) return 'nudged_enough';
  return nextNudgeAt(event, list) > now ? 'nudged_lately' : undefined;
}

/** The seats of an event, and the seats that the member already has. */
type Seats = Pick<Event, 'capacity' | 'waitlist' | 'user_count' | 'guest_count' | 'waiting_count'> &
  Pick<Event, 'my_answer' | 'my_guests'>;

/** How many more seats a request takes than the member has. */
const moreSeats = ({ my_answer, my_guests }: Seats, { answer, guests }: AnswerRequest): number =>
  answer === 'going' ? 1 + guests - (my_answer === 'going' ? 1 + my_guests : 0) : 0;

const isFree = ({ capacity, user_count, guest_count }: Seats, seats: number): boolean =>
  seats <= 0 || capacity === null || user_count + guest_count + seats <= capacity;

/**
 * The answer that results from a request. Members who want to come join the waitlist, unless their party fits and
 * nobody else is waiting.
 */
export function answerTo(event: Seats, request: AnswerRequest): Answer {
  if (request.answer !== 'going' || event.my_answer === 'going') return request.answer;
  const isNext = event.my_answer !== 'waiting' && event.waiting_count === 0;
  return isNext && isFree(event, moreSeats(event, request)) ? 'going' : 'waiting';
}

/** Why a member gets neither a seat nor a place on the waitlist. */
export function whyNoSeat(event: Seats, request: AnswerRequest): ErrorCode | undefined {
  const more = moreSeats(event, request);
  if (event.my_answer === 'going')
    return more > 0 && !(isFree(event, more) && event.waiting_count === 0) ? 'no_seats_left' : undefined;
  const joins = answerTo(event, request) === 'waiting' && event.my_answer !== 'waiting';
  return joins && !event.waitlist ? 'event_full' : undefined;
}

/**
 * Whether a runner who answers for a member has to give seats beyond the capacity. Runners may ignore the waitlist.
 */
export const needsExtraSeats = (event: Seats, request: AnswerRequest): boolean =>
  !isFree(event, moreSeats(event, request));

/**
 * The maximum number of guests that a member may bring. Members keep their guests when a planner lowers the limit, and
 * after the cut-off. Members who are going may add guests only if there are free seats that nobody waits for.
 */
export function guestsLimit(
  event: Pick<Event, 'entry_until_time' | 'end_time' | 'guests_max'> &
    Pick<Event, 'my_answer' | 'my_guests' | 'seats_left' | 'waiting_count'>,
  now: Instant,
): number {
  const { my_answer, my_guests, seats_left } = event;
  if (isClosed(event, now)) return my_guests;
  const more = my_answer !== 'going' ? Infinity : isFull(event) ? 0 : (seats_left ?? Infinity);
  return Math.max(Math.min(event.guests_max, my_guests + more), my_guests);
}

/** How many members are asked to confirm when an event changes. */
export const mayCome = ({
  user_count,
  waiting_count,
  maybe_count,
}: Pick<Event, 'user_count' | 'waiting_count' | 'maybe_count'>): number =>
  user_count + waiting_count + maybe_count;

type Listed = Parameters<typeof mayCome>[0] &
  Pick<Event, 'silent_count' | 'confirmed_count' | 'my_answer' | 'must_confirm' | 'is_for_me'>;

/** How many members are on each list. */
export const sizesOf = (event: Listed): Record<NudgedList, number> => ({
  silent: event.silent_count,
  maybe: event.maybe_count,
  unconfirmed: event.confirmed_count === null ? 0 : mayCome(event) - event.confirmed_count,
});

/** How many members a nudge of each list reaches. It never reaches the viewer. */
export function reachOf(event: Listed): Record<NudgedList, number> {
  const { silent, maybe, unconfirmed } = sizesOf(event);
  return {
    silent: silent - Number(event.is_for_me && event.my_answer === null),
    maybe: maybe - Number(event.my_answer === 'maybe'),
    unconfirmed: unconfirmed - Number(event.must_confirm),
  };
}
