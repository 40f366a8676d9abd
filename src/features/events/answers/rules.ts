import { addSeconds, type Instant } from '#wire/instant.ts';
import type { ErrorCode } from '#wire/errors.ts';
import type { Answer, Choice } from '#features/events/choice-contract.ts';
import type { Event, EventCard } from '#features/events/contract.ts';
import type { Attendee, Face } from '#features/events/people-contract.ts';
import { hasEnded, isCancelled, isClosed, isFull } from '#features/events/rules.ts';

/** A member's answer to an event. `note` is for the host and the planners of the club. */
export interface MyAnswer {
  answer: Answer;
  /** The number of guests, without the member. */
  guests: number;
  note: string;
  /** The reply to the question of the event. */
  reply: string;
  /** Whether others on the waitlist may get a seat first while the party does not fit. */
  lets_pass: boolean;
}

type Answerable = Pick<Event, 'deleted_at' | 'entry_until_time' | 'end_time' | 'guests_max' | 'polling'> &
  Pick<Event, 'my_role' | 'my_answer' | 'my_guests'>;

/** The answer that a member asks for. */
export interface AnswerRequest extends Pick<MyAnswer, 'guests'> {
  answer: Choice;
}

/** The whole answer that a member asks for. */
export interface OwnAnswer extends MyAnswer {
  answer: Choice;
}

type Before = Pick<Event, 'my_guests' | 'my_note' | 'my_reply' | 'my_lets_pass'>;

/** Omitted fields keep their current value. */
export const requestOf = (
  event: Before,
  {
    answer,
    guests = event.my_guests,
    note = event.my_note,
    reply = event.my_reply,
    lets_pass = event.my_lets_pass,
  }: Pick<OwnAnswer, 'answer'> & { [Key in keyof MyAnswer]?: MyAnswer[Key] | undefined },
): OwnAnswer => ({ answer, guests: answer === 'no' ? 0 : guests, note, reply, lets_pass });

/** After the cut-off, members can only say no, confirm their answer or bring fewer guests. */
export function whyCannotAnswer(
  event: Answerable,
  request: AnswerRequest,
  now: Instant,
): ErrorCode | undefined {
  const { answer, guests } = request;
  const isSame = answer === (event.my_answer === 'waiting' ? 'going' : event.my_answer);
  const takesBack = answer === 'no' || (isSame && guests <= event.my_guests);
  return (
    whyCannotBeAnswered(event, request, now) ??
    (isClosed(event, now) && !takesBack ? 'event_closed' : undefined)
  );
}

/** An empty reply removes the earlier one. Replies that are no choice any more stay until the member gives another. */
export function whyCannotReply(
  { question, choices }: Pick<Event, 'question' | 'choices'>,
  reply: string | undefined,
): ErrorCode | undefined {
  if (reply === undefined) return undefined;
  if (question === '') return 'bad_input';
  return reply !== '' && choices.length > 0 && !choices.includes(reply) ? 'no_such_choice' : undefined;
}

/** Seconds before the start from which hosts are told about changes. */
const lateSpan = 24 * 60 * 60;

/** Whether the hosts of an event are told about changes at once: a day before the start, or after the cut-off. */
export const isLate = (
  event: Pick<Event, 'start_time' | 'end_time' | 'entry_until_time' | 'deleted_at'>,
  now: Instant,
): boolean =>
  !isCancelled(event) &&
  !hasEnded(event, now) &&
  (isClosed(event, now) || addSeconds(event.start_time, -lateSpan) <= now);

/** What hosts are told about an answer. The note is a text, or its hash. */
export interface StateOfAnswer extends Pick<MyAnswer, 'guests' | 'note'> {
  answer: Answer | null;
}

export const lateChanges = ['no', 'maybe', 'fewer', 'note'] as const;
export type LateChange = (typeof lateChanges)[number];

/** The changes of an answer that hosts are told about: of a member who was going, or of a note. */
export function lateChangesOf(before: StateOfAnswer, after: StateOfAnswer): LateChange[] {
  const wasGoing = before.answer === 'going';
  const changes: LateChange[] = [];
  if (wasGoing && (after.answer === 'no' || after.answer === 'maybe')) changes.push(after.answer);
  if (wasGoing && after.answer === 'going' && after.guests < before.guests) changes.push('fewer');
  if (after.note !== '' && after.note !== before.note) changes.push('note');
  return changes;
}

/** A party on the waitlist. */
export interface Waiting {
  user_id: string;
  guests: number;
  lets_pass: boolean;
}

/**
 * The members of the waitlist who get the free seats, in order. `free` is null if seats are not limited. If the first
 * party in the queue does not fit, nobody behind it moves up, unless that party allows it.
 */
export function whoMovesUp(waitlist: readonly Waiting[], free: number | null): string[] {
  let left = free ?? Infinity;
  const seated: string[] = [];
  for (const { user_id, guests, lets_pass } of waitlist) {
    if (1 + guests <= left) {
      left -= 1 + guests;
      seated.push(user_id);
    } else if (!lets_pass) break;
  }
  return seated;
}

/** An answer that no person gives: it comes from a standing answer or an absence. Null takes the answer back. */
export interface GivenAnswer extends Pick<MyAnswer, 'guests'> {
  event_id: string;
  user_id: string;
  answer: Answer | null;
  place: number | null;
  via: 'standing' | 'away';
}

/**
 * The restrictions that apply even if a runner answers for a member. Runners may do so after the cut-off too. `event`
 * is as the member sees it.
 */
export function whyCannotBeAnswered(
  event: Answerable,
  { answer, guests }: AnswerRequest,
  now: Instant,
): ErrorCode | undefined {
  if (isCancelled(event)) return 'event_cancelled';
  if (hasEnded(event, now)) return 'event_ended';
  if (event.polling) return 'time_open';
  if (event.my_role === 'organiser' && answer !== 'going') return 'host_stays';
  // Earlier answers stay when a planner lowers the limit.
  return guests > Math.max(event.guests_max, event.my_guests) ? 'too_many_guests' : undefined;
}

/** Milliseconds after a response during which further clicks are ignored. */
const repeatDelay = 1000;

/** State of the buttons to answer; times are milliseconds of the same clock. */
export interface Pace {
  inFlight: boolean;
  answeredAt?: number;
}

/** Whether a click comes during a request or too soon after its response. */
export const isTooQuick = ({ inFlight, answeredAt = -Infinity }: Pace, now: number): boolean =>
  inFlight || now - answeredAt < repeatDelay;

/**
 * The event, or its card, after the viewer's answer (optimistic update). On a full event, the viewer joins the
 * waitlist. A card does not contain the number of the viewer's guests.
 */
export function withAnswer<Known extends Event | EventCard>(
  event: Known,
  me: Omit<Face, 'attendee_role'>,
  request: Answer | null,
  guests?: number,
): Known {
  const shown: Event | EventCard = event;
  const waits = request === 'going' && event.my_answer !== 'going' && isFull(event);
  const answer = waits ? 'waiting' : request;
  const isGoing = answer === 'going';
  const change = (to: Answer | null) => Number(answer === to) - Number(event.my_answer === to);
  const isMe = ({ attendee_id }: Face) => attendee_id === me.attendee_id;
  /** A viewer who is already listed keeps their role and position. */
  const withMe = <Person extends Face>(people: readonly Person[], entry: Person, isIn: boolean): Person[] => {
    if (!isIn) return people.filter((person) => !isMe(person));
    if (!people.some(isMe)) return [...people, entry];
    return people.map((person) =>
      isMe(person) ? { ...entry, attendee_role: person.attendee_role } : person,
    );
  };
  const face: Face = { ...me, attendee_role: 'attendee' };
  return {
    ...event,
    my_answer: answer,
    must_confirm: false,
    my_role: isGoing ? (event.my_role ?? 'attendee') : null,
    user_count: event.user_count + change('going'),
    waiting_count: event.waiting_count + change('waiting'),
    ...('faces' in shown ? { faces: withMe(shown.faces, face, isGoing) } : withDetails(shown)),
  };

  function withDetails(page: Event): Partial<Event> {
    const my_guests = answer && answer !== 'no' ? (guests ?? page.my_guests) : 0;
    const withMyParty = (people: readonly Attendee[], isIn: boolean) =>
      withMe(people, { ...face, guests: my_guests }, isIn);
    return {
      my_guests,
      attendees: withMyParty(page.attendees, isGoing),
      guest_count:
        page.guest_count + (isGoing ? my_guests : 0) - (page.my_answer === 'going' ? page.my_guests : 0),
      my_place: answer === 'waiting' ? (page.my_place ?? page.waiting_count + 1) : null,
      waiting: withMyParty(page.waiting, answer === 'waiting'),
      maybe: withMyParty(page.maybe, answer === 'maybe'),
      maybe_count: page.maybe_count + change('maybe'),
      no_count: page.no_count + change('no'),
      silent_count: page.silent_count + (page.is_for_me ? change(null) : 0),
    };
  }
}
