import { groupBy } from '#wire/group-by.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import type { ErrorCode } from '#wire/errors.ts';
import type { Event, Phase } from '#features/events/contract.ts';
import type { AttendeeRole } from '#features/events/people-contract.ts';

const minute = 60;
const day = 24 * 60 * minute;

type Times = Pick<Event, 'start_time' | 'end_time'>;
type Entry = Pick<Event, 'entry_until_time' | 'end_time'>;
type State = Entry & Pick<Event, 'deleted_at'>;

export function phaseOf({ start_time, end_time }: Times, now: Instant): Phase {
  if (end_time <= now) return 'previous';
  return start_time <= now ? 'in_progress' : 'upcoming';
}

/** The column by which the events of a phase are sorted. Each list begins with the event nearest to now. */
export const timeColumns = { upcoming: 'start_time', in_progress: 'end_time', previous: 'end_time' } as const;

export const nearestFirst = <Row extends Times & Pick<Event, 'id'>>(events: readonly Row[], phase: Phase) => {
  const key = (event: Row) => event[timeColumns[phase]] + event.id;
  const sign = phase === 'previous' ? -1 : 1;
  return [...events].sort((a, b) => (key(a) < key(b) ? -sign : sign));
};

/** Maximum number of upcoming events in a list on the home page. */
export const homeEventLimit = 200;

export const hasEnded = ({ end_time }: Pick<Event, 'end_time'>, now: Instant): boolean => end_time <= now;

export const isCancelled = ({ deleted_at }: Pick<Event, 'deleted_at'>): boolean => deleted_at !== null;

/** Whether the viewer hosts the event. Nobody hosts a cancelled event. */
export const isHosting = (event: Pick<Event, 'my_role' | 'deleted_at'>): boolean =>
  event.my_role === 'organiser' && !isCancelled(event);

/** Whether members vote on the times of an event. */
export const isPolled = (event: State & Pick<Event, 'polling'>, now: Instant): boolean =>
  event.polling && !isCancelled(event) && !hasEnded(event, now);

/** Sign-up closes at the cut-off, or at the end of the event if that is earlier. */
const closesAt = ({ entry_until_time, end_time }: Entry): Instant =>
  entry_until_time < end_time ? entry_until_time : end_time;

export const isClosed = (event: Entry, now: Instant): boolean => closesAt(event) <= now;

export type EntryBadge = 'open' | 'closes_soon' | 'closed';

export function badgeOf(event: Entry, now: Instant): EntryBadge {
  if (isClosed(event, now)) return 'closed';
  return closesAt(event) <= addSeconds(now, 2 * day) ? 'closes_soon' : 'open';
}

export type Action = 'over' | 'cancelled' | 'attend' | 'attending' | 'cancel' | 'vote' | 'none';

/**
 * The action that the button of an event offers to its viewer. Outsiders get 'none'. They are recognised by the missing
 * host: members see the host of every event that is neither over nor cancelled.
 */
export function actionFor(event: State & Pick<Event, 'my_role' | 'host' | 'polling'>, now: Instant): Action {
  const polled = isPolled(event, now);
  if (isClosed(event, now) && !polled) return 'over';
  if (isCancelled(event)) return 'cancelled';
  if (event.my_role === 'organiser') return 'cancel';
  if (polled && event.host) return 'vote';
  if (event.my_role === 'attendee') return 'attending';
  return event.host ? 'attend' : 'none';
}

export function whyCannotAttend(event: State & Pick<Event, 'polling'>, now: Instant): ErrorCode | undefined {
  if (isCancelled(event)) return 'event_cancelled';
  if (isPolled(event, now)) return 'time_open';
  return isClosed(event, now) ? 'event_closed' : undefined;
}

/** A host cannot stop attending: they cancel the event or hand it over. After the end, attendance is final. */
export function whyCannotUnattend(
  event: Pick<Event, 'end_time' | 'polling'>,
  myRole: AttendeeRole | null,
  now: Instant,
): ErrorCode | undefined {
  if (myRole === 'organiser') return 'host_stays';
  if (hasEnded(event, now)) return 'event_ended';
  return event.polling ? 'time_open' : undefined;
}

/** Cancelling again is allowed, and keeps the time of the first cancellation. */
export function whyCannotCancel(
  event: Pick<Event, 'end_time' | 'deleted_at'>,
  myRole: AttendeeRole | null,
  now: Instant,
): ErrorCode | undefined {
  if (myRole !== 'organiser') return 'not_host';
  return hasEnded(event, now) && !isCancelled(event) ? 'event_ended' : undefined;
}

/** The old times, which people may still expect after a change. Undefined from `until` on, or if cancelled. */
export const timesBefore = (
  { moved_from, deleted_at }: Pick<Event, 'moved_from' | 'deleted_at'>,
  now: Instant,
) => (moved_from && deleted_at === null && now < moved_from.until ? moved_from : undefined);

/** Whether members who want to come have to wait for a seat. */
export const isFull = ({ seats_left, waiting_count }: Pick<Event, 'seats_left' | 'waiting_count'>): boolean =>
  seats_left === 0 || waiting_count > 0;

/** Whether the viewer has to confirm their earlier answer. */
export const asksToConfirm = (
  event: Pick<Event, 'must_confirm' | 'end_time' | 'deleted_at'>,
  now: Instant,
): boolean => event.must_confirm && !hasEnded(event, now) && !isCancelled(event);

export const whyCannotEdit = (event: Pick<Event, 'deleted_at'>): ErrorCode | undefined =>
  isCancelled(event) ? 'event_cancelled' : undefined;

/** Intervals are half-open: an event may start exactly when another one ends. */
export const overlaps = (one: Times, other: Times): boolean =>
  one.start_time < other.end_time && other.start_time < one.end_time;

/** An event, and its series, if it has one. */
interface InSeries {
  slug: string;
  series: { slug: string } | null;
}

/** Groups events in the given order. All dates of a series are one group, at the position of the first date. */
export const foldSeries = <Card extends InSeries>(events: readonly Card[]): [Card, ...Card[]][] => [
  ...(groupBy(events, ({ series, slug }) => series?.slug ?? slug).values() as Iterable<[Card, ...Card[]]>),
];

/**
 * Sorts events by their start. All dates of a series stay together, at the position of the next date. The API lists
 * that date first.
 */
export const inOrder = <Card extends InSeries & Pick<Event, 'start_time'>>(
  events: readonly Card[],
  order: 'soonest' | 'furthest',
): Card[] =>
  foldSeries(events)
    .sort(([a], [b]) => a.start_time.localeCompare(b.start_time) * (order === 'soonest' ? 1 : -1))
    .flat();

/** The maximum number of rows in the lists of open events on the home page. A series with all its dates is one row. */
/** How many people are missing in all, and how many of each section, in the order of the sections. */
export interface Shortage {
  people: number;
  sections: { id: string; name: string; missing: number }[];
}

/**
 * Who is missing at an event that needs some number of people; undefined if it needs none. Guests count in all, and not
 * in sections.
 */
export function shortageOf({
  needed,
  user_count,
  guest_count,
  section_counts,
}: Pick<Event, 'needed' | 'user_count' | 'guest_count' | 'section_counts'>): Shortage | undefined {
  if (Object.keys(needed).length === 0) return undefined;
  return {
    people: Math.max(0, (needed['all'] ?? 0) - user_count - guest_count),
    sections: section_counts
      .map(({ id, name, going }) => ({ id, name, missing: (needed[id] ?? 0) - going }))
      .filter(({ missing }) => missing > 0),
  };
}

/** Whether nobody is missing. */
export const isEnough = ({ people, sections }: Shortage): boolean => people === 0 && sections.length === 0;

const openRows = { unanswered: 5, others: 6 };

type OpenEvent = InSeries &
  State &
  Pick<
    Event,
    'id' | 'start_time' | 'polling' | 'my_role' | 'my_answer' | 'must_confirm' | 'has_voted' | 'is_for_me'
  >;

/**
 * Whether the viewer is asked to vote on the times of an event, and has not done so. Nobody asks the host, who comes
 * anyway, and members whom the event is not for.
 */
export const asksToVote = (
  event: State & Pick<Event, 'polling' | 'my_role' | 'has_voted' | 'is_for_me'>,
  now: Instant,
): boolean =>
  isPolled(event, now) &&
  !isClosed(event, now) &&
  !event.has_voted &&
  event.is_for_me &&
  event.my_role !== 'organiser';

/**
 * Splits the events of the home page into those that the viewer has to answer, confirm or vote on, and others that they
 * may attend.
 */
export function openEvents<Card extends OpenEvent>(
  events: readonly Card[],
  now: Instant,
): { unanswered: Card[]; others: Card[] } {
  const isOpen = (event: Card) => whyCannotAttend(event, now) === undefined && event.my_role !== 'organiser';
  const sorted = inOrder(events, 'soonest');
  const toAnswer = foldSeries(
    sorted.filter(
      (event) =>
        asksToConfirm(event, now) ||
        asksToVote(event, now) ||
        (isOpen(event) && !event.my_answer && event.is_for_me),
    ),
  );
  const unanswered = toAnswer.slice(0, openRows.unanswered).flat();
  const shown = new Set(unanswered);
  const open = foldSeries(
    sorted.filter((event) => {
      const { my_answer } = event;
      return isOpen(event) && (!my_answer || my_answer === 'maybe') && !shown.has(event);
    }),
  );
  return { unanswered, others: open.slice(0, openRows.others).flat() };
}
