import { addSeconds, instant, type Instant } from '#wire/instant.ts';
import type { ErrorCode } from '#wire/errors.ts';
import {
  emptyEventFields,
  isRescheduled,
  memberFieldKeys,
  type AttendeeRole,
  type Event,
  type EventFields,
  type Phase,
} from '#features/events/contract.ts';

const minute = 60;
const day = 24 * 60 * minute;

/** An event that 'starts now' may start this many seconds in the past, because client clocks can be slow. */
const startGracePeriod = 5 * minute;

type Times = Pick<Event, 'start_time' | 'end_time'>;
type Entry = Pick<Event, 'entry_until_time' | 'end_time'>;
type State = Entry & Pick<Event, 'deleted_at'>;

export function phaseOf({ start_time, end_time }: Times, now: Instant): Phase {
  if (end_time <= now) return 'previous';
  return start_time <= now ? 'in_progress' : 'upcoming';
}

/** The column by which a phase is sorted. Each list begins with the event nearest to now. */
export const timeIn = { upcoming: 'start_time', in_progress: 'end_time', previous: 'end_time' } as const;

export const nearestFirst = <Row extends Times & Pick<Event, 'id'>>(events: readonly Row[], phase: Phase) => {
  const key = (event: Row) => event[timeIn[phase]] + event.id;
  const sign = phase === 'previous' ? -1 : 1;
  return events.toSorted((a, b) => (key(a) < key(b) ? -sign : sign));
};

/** Maximum number of upcoming events in a list on the home page. */
export const homeEventLimit = 200;

export const hasEnded = ({ end_time }: Pick<Event, 'end_time'>, now: Instant): boolean => end_time <= now;

export const isCancelled = ({ deleted_at }: Pick<Event, 'deleted_at'>): boolean => deleted_at !== null;

/** Sign-up closes at the cut-off, or at the end of the event if that is earlier. */
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
 * The action that the button of an event offers to its viewer. Outsiders get 'none'; they are recognised by the missing
 * host, because every event that is neither over nor cancelled has one.
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

/** A host must cancel the event or hand it over. After the end, attendance is final. */
export function whyCannotUnattend(
  event: Pick<Event, 'end_time'>,
  myRole: AttendeeRole | null,
  now: Instant,
): ErrorCode | undefined {
  if (myRole === 'organiser') return 'host_stays';
  return hasEnded(event, now) ? 'event_ended' : undefined;
}

/** Cancelling twice is allowed; the first cancellation counts. */
export function whyCannotCancel(
  event: Pick<Event, 'end_time' | 'deleted_at'>,
  myRole: AttendeeRole | null,
  now: Instant,
): ErrorCode | undefined {
  if (myRole !== 'organiser') return 'not_host';
  return hasEnded(event, now) && !isCancelled(event) ? 'event_ended' : undefined;
}

export const scheduleKeys = ['start_time', 'end_time', 'entry_until_time', 'time_zone'] as const;
export type Schedule = Pick<Event, (typeof scheduleKeys)[number]>;

/** The times after an edit. A new start alone keeps the duration, and moves the cut-off along. */
export function editedSchedule(
  event: Schedule,
  patch: { [Key in keyof Schedule]?: Schedule[Key] | undefined },
): Schedule {
  const { start_time = event.start_time, time_zone = event.time_zone } = patch;
  const shift = Date.parse(start_time) - Date.parse(event.start_time);
  const moved = (time: Instant) => instant(Math.min(Date.parse(time) + shift, Date.parse(lastInstant)));
  const { end_time = moved(event.end_time), entry_until_time = moved(event.entry_until_time) } = patch;
  return { start_time, end_time, entry_until_time, time_zone };
}

/** While an event is in progress only its end can change, and after its end no time. */
export function whyCannotReschedule(event: Schedule, next: Schedule, now: Instant): ErrorCode | undefined {
  if (!isRescheduled(event, next) && event.entry_until_time === next.entry_until_time) return undefined;
  if (hasEnded(event, now)) return 'event_ended';
  const hasNewStart = next.start_time !== event.start_time;
  if (event.start_time <= now) {
    if (hasNewStart) return 'event_started';
    if (next.end_time <= now) return 'ends_in_past';
  } else if (hasNewStart && next.start_time < addSeconds(now, -startGracePeriod)) return 'starts_in_past';
  if (next.end_time < next.start_time) return 'ends_before_start';
  return isTimeZone(next.time_zone) ? undefined : 'bad_input';
}

export const whyCannotEdit = (event: Pick<Event, 'deleted_at'>): ErrorCode | undefined =>
  isCancelled(event) ? 'event_cancelled' : undefined;

export function whyCannotCreate({ start_time, end_time }: Times, now: Instant): ErrorCode | undefined {
  if (start_time < addSeconds(now, -startGracePeriod)) return 'starts_in_past';
  return end_time < start_time ? 'ends_before_start' : undefined;
}

/** Empties the fields that only members may read. */
export const withoutMemberFields = <Shown extends EventFields>(event: Shown): Shown => ({
  ...event,
  ...Object.fromEntries(memberFieldKeys.map((key) => [key, emptyEventFields[key]])),
});

/** The event as outsiders see it: when, where and how many attend, without people or details. */
export const previewOf = (event: Event): Event => ({
  ...withoutMemberFields(event),
  attendees: [],
  guest_count: 0,
  maybe: [],
  no_count: 0,
  silent_count: 0,
  host: null,
  my_role: null,
  my_answer: null,
  my_guests: 0,
  my_note: '',
  conflicting_events: [],
  favourite: false,
  subscribed: false,
});

/** Intervals are half-open: an event may start exactly when another one ends. */
export const overlaps = (one: Times, other: Times): boolean =>
  one.start_time < other.end_time && other.start_time < one.end_time;

/** Why the form of a new event is invalid: a start in the past, empty required fields, or both ('form'). */
export type NewEventProblem = 'form' | 'start' | 'fields';

export function newEventProblem(
  input: { name: string; location_name: string; start_time: Instant | undefined },
  now: Instant,
): NewEventProblem | undefined {
  const fields = input.name.trim() === '' || input.location_name.trim() === '';
  const start = input.start_time === undefined || input.start_time < now;
  if (start) return fields ? 'form' : 'start';
  return fields ? 'fields' : undefined;
}

const secondsIn = { minutes: minute, hours: 60 * minute, days: day } as const;
export type DurationUnit = keyof typeof secondsIn;

/** The last instant with a four-digit year. Longer years would break the comparison of instants as strings. */
const lastInstant = '9999-12-31T23:59:59.999Z';

/** A duration is elapsed time: a day is 24 hours, even across a daylight saving change. NaN counts as 0. */
export function endOf(start: Instant, duration: number, unit: DurationUnit): Instant {
  const length = Math.max(0, duration) || 0;
  return instant(Math.min(Date.parse(start) + length * secondsIn[unit] * 1000, Date.parse(lastInstant)));
}

/** The duration of an event in the largest unit without a fraction. */
export function durationOf({ start_time, end_time }: Pick<Event, 'start_time' | 'end_time'>) {
  const seconds = (Date.parse(end_time) - Date.parse(start_time)) / 1000;
  const fits = (unit: DurationUnit) => seconds > 0 && seconds % secondsIn[unit] === 0;
  const unit: DurationUnit = (['days', 'hours'] as const).find(fits) ?? 'minutes';
  return { duration: Math.round(seconds / secondsIn[unit]), unit };
}

/** Accepts IANA names of time zones; rejects offsets such as '+01:00', which Intl would accept. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[a-z]/i.test(name) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
