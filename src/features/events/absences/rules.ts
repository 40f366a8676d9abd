import { includesDay } from '#wire/day.ts';
import type { AnswerRequest, GivenAnswer } from '#features/events/answers/rules.ts';
import type { Answer } from '#features/events/choice-contract.ts';
import { isFor } from '#features/sections/rules.ts';

/** The number of absences that a user can have at a time. */
export const maxAbsences = 20;

/** A member's answer to every date of a series. */
export interface Standing {
  user_id: string;
  answer: 'going' | 'no';
  guests: number;
  /** The sections of the member. */
  section_ids: readonly string[];
}

/** Days on which a member is away. */
export interface DaysAway extends Pick<Standing, 'user_id' | 'section_ids'> {
  first_on: string;
  last_on: string;
}

/** An answer of a member to an event. */
export interface CurrentAnswer {
  user_id: string;
  answer: Answer;
  guests: number;
  place: number | null;
  via: string;
  /** Whether a person gave this answer, so that it comes neither from a standing answer nor from an absence. */
  is_own: boolean;
}

/** A coming event, with the current answers of the members whose answers are computed. */
export interface EventToAnswer {
  event_id: string;
  section_ids: readonly string[];
  /** The day of its start, in its time zone. */
  on: string;
  capacity: number | null;
  waitlist: boolean;
  guests_max: number;
  is_closed: boolean;
  /** The number of seats taken by members who are going and their guests. */
  taken: number;
  /** The last place on the waitlist; 0 if nobody is waiting. */
  last_place: number;
  answers: readonly CurrentAnswer[];
  /** Absences around the day of its start. */
  away: readonly DaysAway[];
}

/** The number of earlier dates that decide whose turn it is. */
export const turns = 12;

/** A change of a given answer. */
export interface Given extends GivenAnswer {
  /** The answer before it. Undefined if there was none. */
  before: CurrentAnswer | undefined;
}

interface Request extends AnswerRequest, Pick<Given, 'user_id' | 'via'> {
  answer: 'going' | 'no';
}

/**
 * What members request without answering themselves, those who are away first. A change of sections takes no seat and no
 * place on the waitlist away, so an event that is not for a member any more keeps them.
 */
function* requestsFor(
  event: EventToAnswer,
  standing: readonly Standing[],
  answered: ReadonlyMap<string, CurrentAnswer>,
): Generator<Request> {
  const isAway = new Set<string>();
  for (const days of event.away) {
    const concerns = isFor(event.section_ids, days.section_ids) || answered.has(days.user_id);
    if (!concerns || !includesDay(days, event.on) || isAway.has(days.user_id)) continue;
    isAway.add(days.user_id);
    yield { user_id: days.user_id, answer: 'no', guests: 0, via: 'away' };
  }
  for (const { user_id, answer, guests, section_ids } of standing) {
    if (isAway.has(user_id)) continue;
    const old = answered.get(user_id);
    if (isFor(event.section_ids, section_ids)) yield { user_id, answer, guests, via: 'standing' };
    else if (answer === 'going' && old && old.answer !== 'no')
      yield { user_id, answer, guests: old.guests, via: 'standing' };
  }
}

/**
 * The answers to an event that are given, changed or taken back. Own answers stay. After the cut-off, given answers only
 * become 'no', or end with the standing answer that gave them. A standing answer gives none where all seats are taken
 * and there is no waitlist.
 */
function changesOf(event: EventToAnswer, standing: readonly Standing[]): Given[] {
  const answered = new Map(event.answers.map((answer) => [answer.user_id, answer]));
  let free = event.capacity === null ? Infinity : event.capacity - event.taken;
  let last = event.last_place;
  const requested = new Set<string>();
  const takeBack = (before: CurrentAnswer): Given[] =>
    before.is_own || (event.is_closed && before.answer === 'no')
      ? []
      : [
          {
            event_id: event.event_id,
            user_id: before.user_id,
            answer: null,
            guests: 0,
            place: null,
            via: 'standing',
            before,
          },
        ];
  const changes = [...requestsFor(event, standing, answered)].flatMap((request): Given[] => {
    const { user_id, via } = request;
    requested.add(user_id);
    const before = answered.get(user_id);
    if (before?.is_own || (request.answer === 'going' && event.is_closed)) return [];
    const given = { event_id: event.event_id, user_id, via, before, place: null };
    if (request.answer === 'no')
      return before?.answer === 'no' && before.via === via ? [] : [{ ...given, answer: 'no', guests: 0 }];
    const isGoing = before?.answer === 'going';
    const guests = Math.min(request.guests, event.guests_max);
    if (before && before.answer !== 'no' && before.guests === guests) return [];
    const more = guests + 1 - (isGoing ? before.guests + 1 : 0);
    const fits = more <= Math.max(free, 0) && (isGoing || last === 0);
    if (!fits && isGoing) return [];
    if (!fits && !event.waitlist) return before ? takeBack(before) : [];
    if (fits) {
      free -= more;
      return [{ ...given, answer: 'going', guests }];
    }
    const place = before?.place && guests < before.guests ? before.place : ++last;
    return [{ ...given, answer: 'waiting', guests, place }];
  });
  const ended = event.answers.filter(({ user_id }) => !requested.has(user_id));
  return [...changes, ...ended.flatMap(takeBack)];
}

/**
 * What absences and standing answers answer to coming events, in chronological order: the changes for each event.
 * `standing` are the standing answers to the series of these events. Limited seats go first to the members who had a
 * seat on the fewest of the previous `turns` dates, so that members take turns. If they tie, the oldest standing answer
 * comes first. `earlier` lists who had a seat on the dates before the first of `events`. Answers that members gave
 * themselves stay, even if they have more guests than are allowed now.
 */
export function* givenAnswers(
  events: readonly EventToAnswer[],
  standing: readonly Standing[],
  earlier: readonly (readonly string[])[],
): Generator<Given[]> {
  const seated = [...earlier];
  for (const event of events) {
    const counts = new Map<string, number>();
    for (const user of seated.slice(-turns).flat()) counts.set(user, (counts.get(user) ?? 0) + 1);
    const count = ({ user_id }: Standing) => counts.get(user_id) ?? 0;
    const changes = changesOf(
      event,
      [...standing].sort((a, b) => count(a) - count(b)),
    );
    const changed = new Map(changes.map(({ user_id, answer }) => [user_id, answer]));
    const isSeated = ({ user_id, answer }: { user_id: string; answer: Answer | null }) =>
      (changed.has(user_id) ? changed.get(user_id) : answer) === 'going';
    seated.push([...new Set([...event.answers, ...changes].filter(isSeated).map(({ user_id }) => user_id))]);
    yield changes;
  }
}
