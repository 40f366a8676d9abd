import { addSeconds, instant, type Instant } from '#wire/instant.ts';
import type { ErrorCode } from '#wire/errors.ts';
import type { AttendeeRole, Event, Phase } from '#features/events/contract.ts';

const minute = 60;
const day = 24 * 60 * minute;

/** How far the clock of somebody's device may be behind when an event 'starts now'. */
const graceForStart = 5 * minute;

type Times = Pick<Event, 'start_time' | 'end_time'>;
type Entry = Pick<Event, 'entry_until_time' | 'end_time'>;
type State = Entry & Pick<Event, 'deleted_at'>;

export function phaseOf({ start_time, end_time }: Times, now: Instant): Phase {
  if (end_time <= now) return 'previous';
  return start_time <= now ? 'in_progress' : 'upcoming';
}

/** What the events of a phase are in the order of; each list begins with the nearest to now. */
export const timeIn = { upcoming: 'start_time', in_progress: 'end_time', previous: 'end_time' } as const;

export const nearestFirst = <Row extends Times & Pick<Event, 'id'>>(events: readonly Row[], phase: Phase) => {
  const key = (event: Row) => event[timeIn[phase]] + event.id;
  const sign = phase === 'previous' ? -1 : 1;
  return events.toSorted((a, b) => (key(a) < key(b) ? -sign : sign));
};

/** How many coming events a list at home holds: the nearest. */
export const homeEventLimit = 200;

export const hasEnded = ({ end_time }: Pick<Event, 'end_time'>, now: Instant): boolean => end_time <= now;

export const isCancelled = ({ deleted_at }: Pick<Event, 'deleted_at'>): boolean => deleted_at !== null;

/** When signing up ends: at the cut-off, and never later than the event itself. */
const closesAt = ({ entry_until_time, end_time }: Entry): Instant =>
  entry_until_time < end_time ? entry_until_time : end_time;

export const isClosed = (event: Entry, now: Instant): boolean => closesAt(event) <= now;

export type EntryBadge = 'open' | 'closes_soon' | 'closed';

export function badgeOf(event: Entry, now: Instant): EntryBadge {
  if (isClosed(event, now)) return 'closed';
  return closesAt(event) <= addSeconds(now, 2 * day) ? 'closes_soon' : 'open';
}

export type Action = 'over' | 'cancelled' | 'attend' | 'attending' | 'cancel' | 'none';

/**
 * What the button of an event offers its viewer; 'none' is for those outside the club. They are known by the missing
 * host: every event that is neither over nor cancelled has one.
 */
export function actionFor(event: State & Pick<Event, 'my_role' | 'host'>, now: Instant): Action {
  if (isClosed(event, now)) return 'over';
  if (isCancelled(event)) return 'cancelled';
  if (event.my_role === 'organiser') return 'cancel';
  if (event.my_role === 'attendee') return 'attending';
  return event.host ? 'attend' : 'none';
}

export function whyCannotAttend(event: State, now: Instant): ErrorCode | undefined {
  if (isCancelled(event)) return 'event_cancelled';
  return isClosed(event, now) ? 'event_closed' : undefined;
}

/** A host stays until the event is cancelled or the hosting passed on; what is over cannot be undone. */
export function whyCannotUnattend(
  event: Pick<Event, 'end_time'>,
  myRole: AttendeeRole | null,
  now: Instant,
): ErrorCode | undefined {
  if (myRole === 'organiser') return 'host_stays';
  return hasEnded(event, now) ? 'event_ended' : undefined;
}

/** Cancelling twice is no fault: the first time counts. */
export function whyCannotCancel(
  event: Pick<Event, 'end_time' | 'deleted_at'>,
  myRole: AttendeeRole | null,
  now: Instant,
): ErrorCode | undefined {
  if (myRole !== 'organiser') return 'not_host';
  return hasEnded(event, now) && !isCancelled(event) ? 'event_ended' : undefined;
}

export const whyCannotEdit = (event: Pick<Event, 'deleted_at'>): ErrorCode | undefined =>
  isCancelled(event) ? 'event_cancelled' : undefined;

export function whyCannotCreate({ start_time, end_time }: Times, now: Instant): ErrorCode | undefined {
  if (start_time < addSeconds(now, -graceForStart)) return 'starts_in_past';
  return end_time < start_time ? 'ends_before_start' : undefined;
}

/** What somebody outside the club learns of an event: when, where and how many; no people, no details. */
export const previewOf = (event: Event): Event => ({
  ...event,
  details: '',
  attendees: [],
  host: null,
  my_role: null,
  conflicting_events: [],
  favourite: false,
  subscribed: false,
});

/** A start belongs to an event and its end does not, so one may begin the moment another ends. */
export const overlaps = (one: Times, other: Times): boolean =>
  one.start_time < other.end_time && other.start_time < one.end_time;

/** What keeps the form of a new event from being sent: a start before now, empty required fields, or both ('form'). */
export type NewEventProblem = 'form' | 'start' | 'fields';

export function newEventProblem(
  plan: { name: string; location_name: string; start_time: Instant | undefined },
  now: Instant,
): NewEventProblem | undefined {
  const fields = plan.name.trim() === '' || plan.location_name.trim() === '';
  const start = plan.start_time === undefined || plan.start_time < now;
  if (start) return fields ? 'form' : 'start';
  return fields ? 'fields' : undefined;
}

const secondsIn = { minutes: minute, hours: 60 * minute, days: day } as const;
export type DurationUnit = keyof typeof secondsIn;

/** The last moment that still has a year of four digits, so that moments compare as text. */
const lastInstant = '9999-12-31T23:59:59.999Z';

/** A duration is elapsed time: a day is 24 hours, whatever the clocks do meanwhile. What is no number counts as 0. */
export function endOf(start: Instant, duration: number, unit: DurationUnit): Instant {
  const length = Math.max(0, duration) || 0;
  return instant(Math.min(Date.parse(start) + length * secondsIn[unit] * 1000, Date.parse(lastInstant)));
}

/** Whether a name is the IANA name of a time zone; an offset such as '+01:00' is none. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[a-z]/i.test(name) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
