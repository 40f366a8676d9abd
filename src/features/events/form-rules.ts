import { isBlank } from '#wire/blank.ts';
import { addSeconds, instant, nearestInstant, type Instant } from '#wire/instant.ts';
import type { ErrorCode } from '#wire/errors.ts';
import { editedTimeZone, isTimeZone } from '#wire/time-zone.ts';
import { atWallTime, wallTime } from '#wire/wall-time.ts';
import type { ChangedFields, Event, EventChange } from '#features/events/contract.ts';
import { eventFieldKeys, type EventFields } from '#features/events/field-contract.ts';
import { hasEnded, isCancelled } from '#features/events/rules.ts';

const minute = 60;
const day = 24 * 60 * minute;

/** An event that 'starts now' may start this many seconds in the past, because client clocks can be slow. */
export const startGracePeriod = 5 * minute;

export const scheduleKeys = ['start_time', 'end_time', 'entry_until_time', 'time_zone'] as const;
export type Schedule = Pick<Event, (typeof scheduleKeys)[number]>;

/** The times after an edit. If only the start changes, the duration stays, and the cut-off moves with the start. */
export function editedSchedule(
  event: Schedule,
  patch: { [Key in keyof Schedule]?: Schedule[Key] | undefined },
): Schedule {
  const { start_time = event.start_time } = patch;
  const time_zone = editedTimeZone(event.time_zone, patch.time_zone);
  const shift = Date.parse(start_time) - Date.parse(event.start_time);
  // If the start stays, so do times outside of the limits, which an earlier release may have stored.
  const moved = (time: Instant) => (shift === 0 ? time : nearestInstant(Date.parse(time) + shift));
  const { end_time = moved(event.end_time), entry_until_time = moved(event.entry_until_time) } = patch;
  return { start_time, end_time, entry_until_time, time_zone };
}

/**
 * The times after an edit that asks members to confirm. Sign-up to an upcoming event reopens until its start if it was
 * closed before the edit, or would be closed after it. If the edit sets the cut-off, only the new cut-off decides.
 */
export function reopened(
  event: Schedule,
  next: Schedule,
  { setsCutOff, now }: { setsCutOff: boolean; now: Instant },
): Schedule {
  const wasClosed = !setsCutOff && event.entry_until_time <= now;
  const isClosed = wasClosed || next.entry_until_time <= now;
  return isClosed && next.start_time > now ? { ...next, entry_until_time: next.start_time } : next;
}

/** While an event is in progress, only its end can change. After its end, no time can. */
export function whyCannotReschedule(event: Schedule, next: Schedule, now: Instant): ErrorCode | undefined {
  if (scheduleKeys.every((key) => next[key] === event[key])) return undefined;
  if (hasEnded(event, now)) return 'event_ended';
  const hasNewStart = next.start_time !== event.start_time;
  if (event.start_time <= now) {
    if (hasNewStart) return 'event_started';
    if (next.end_time <= now) return 'ends_in_past';
  } else if (hasNewStart && next.start_time < addSeconds(now, -startGracePeriod)) return 'starts_in_past';
  if (next.end_time < next.start_time) return 'ends_before_start';
  return isTimeZone(next.time_zone) ? undefined : 'bad_input';
}

/**
 * While members vote on the times of an event, it has no answers to confirm, and only deciding the poll sets its time.
 */
export const whyTimeIsOpen = (
  event: Schedule & Pick<Event, 'polling'>,
  next: Schedule,
  asksAgain: boolean,
): ErrorCode | undefined =>
  event.polling && (asksAgain || !isSameTime(event, next)) ? 'time_open' : undefined;

/** Members choose a reply only to a question. */
export const whyCannotAsk = ({ question, choices }: Pick<EventFields, 'question' | 'choices'>) =>
  question === '' && choices.length > 0 ? 'bad_input' : undefined;

/** The question of a form. Empty choices are left out, and all choices if there is no question. */
export const askedIn = ({ question, choices }: Pick<EventFields, 'question' | 'choices'>) => ({
  question,
  choices: isBlank(question) ? [] : choices.filter((choice) => !isBlank(choice)),
});

/** Whether an earlier choice of the form is the same. */
export const isRepeated = (choices: readonly string[], at: number): boolean => {
  const choice = choices[at]?.trim();
  return Boolean(choice) && choices.slice(0, at).some((other) => other.trim() === choice);
};

/** Whether an edit changes the time or the place of the event. Members always get a notice of that. */
export const isMove = (event: EventFields & Schedule, next: EventFields & Schedule): boolean =>
  (['start_time', 'end_time', 'time_zone', 'location_name'] as const).some((key) => next[key] !== event[key]);

const maxChangedText = 300;

const cut = (value: unknown) =>
  typeof value === 'string' ? [...value].slice(0, maxChangedText).join('') : value;

const mapValues = (fields: ChangedFields, map: (value: unknown) => unknown): ChangedFields =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, map(value)]));

/** Whether two values of a field are the same. Lists with the same items are, and objects with the same entries. */
export const isSameValue = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && one !== null && inWriting(one) === inWriting(other));

const inWriting = (value: unknown): string =>
  JSON.stringify(Array.isArray(value) ? value : Object.entries(value ?? {}).sort());

/**
 * The history entry of an edit, in which long texts are cut, and the full old texts. Undefined if the edit changes
 * nothing.
 */
export function changeBetween(event: EventFields & Schedule, next: EventFields & Schedule) {
  const keys = [...eventFieldKeys, ...scheduleKeys].filter((key) => !isSameValue(next[key], event[key]));
  if (keys.length === 0) return undefined;
  const valuesOf = (of: ChangedFields): ChangedFields =>
    Object.fromEntries(keys.map((key) => [key, of[key]]));
  const [before, after] = [valuesOf(event), valuesOf(next)];
  const long = Object.entries(before).filter(([, value]) => cut(value) !== value);
  return {
    before: mapValues(before, cut),
    after: mapValues(after, cut),
    long_texts: long.length > 0 ? (Object.fromEntries(long) as ChangedFields) : null,
  };
}

/** Seconds during which a change can be undone. Emails about it are sent later: see `undoTime` in notices.ts. */
export const undoSeconds = 60;

/** Only the last change of an event can be undone, by its author. */
export function whyCannotUndo(
  { version }: Pick<Event, 'version'>,
  change: Pick<EventChange, 'kind' | 'changed_at' | 'undone_at'> & {
    actor_id: string | null;
    sequence: number;
  },
  user: string,
  now: Instant,
): ErrorCode | undefined {
  if (change.actor_id !== user) return 'not_yours';
  const isLast = change.kind === 'edit' && change.undone_at === null && change.sequence === version;
  return isLast && now < addSeconds(change.changed_at, undoSeconds) ? undefined : 'too_late';
}

/** Hosts can write about an event for 30 days after its end, even if it is cancelled. */
export const secondsToWrite = 30 * day;

export const whyCannotWrite = ({ end_time }: Pick<Event, 'end_time'>, now: Instant): ErrorCode | undefined =>
  addSeconds(end_time, secondsToWrite) <= now ? 'message_closed' : undefined;

/** The maximum number of hosts of an event. */
export const maxHosts = 6;

/** The hosts of an event stay as they were when it ended or was cancelled. */
export function whyCannotChangeHosts(
  event: Pick<Event, 'end_time' | 'deleted_at'>,
  now: Instant,
): ErrorCode | undefined {
  if (isCancelled(event)) return 'event_cancelled';
  return hasEnded(event, now) ? 'event_ended' : undefined;
}

export function whyCannotCreate(
  { start_time, end_time }: Pick<Event, 'start_time' | 'end_time'>,
  now: Instant,
): ErrorCode | undefined {
  if (start_time < addSeconds(now, -startGracePeriod)) return 'starts_in_past';
  return end_time < start_time ? 'ends_before_start' : undefined;
}

type Times = Pick<Event, 'start_time' | 'end_time'>;

const isSameTime = (one: Times, other: Times) =>
  one.start_time === other.start_time && one.end_time === other.end_time;

const byTime = (one: Times, other: Times) =>
  one.start_time.localeCompare(other.start_time) || one.end_time.localeCompare(other.end_time);

/** The times of a new event: its only time, or all times that members vote on, the earliest first. */
export function timesOfNew({
  start_time,
  end_time,
  times,
}: {
  [Key in keyof Times]?: Times[Key] | undefined;
} & { times?: readonly Times[] | undefined }): [Times, ...Times[]] | undefined {
  if (!times) return start_time && end_time ? [{ start_time, end_time }] : undefined;
  return start_time || end_time ? undefined : ([...times].sort(byTime) as [Times, ...Times[]]);
}

/** Why members cannot vote on these times. */
export function whyCannotOffer(times: readonly Times[], now: Instant): ErrorCode | undefined {
  if (times.some(({ start_time }) => start_time <= now)) return 'starts_in_past';
  if (times.some(({ start_time, end_time }) => end_time < start_time)) return 'ends_before_start';
  const isTwice = times.some((time, at) => times.slice(0, at).some((other) => isSameTime(time, other)));
  return isTwice ? 'bad_input' : undefined;
}

/** Why the form of a new event is invalid: a start in the past, empty required fields, or both ('form'). */
export type NewEventProblem = 'form' | 'start' | 'fields';

export function newEventProblem(
  input: { name: string; location_name: string; start_time: Instant | undefined },
  now: Instant,
): NewEventProblem | undefined {
  const fields = isBlank(input.name) || isBlank(input.location_name);
  const start = input.start_time === undefined || input.start_time < now;
  if (start) return fields ? 'form' : 'start';
  return fields ? 'fields' : undefined;
}

const secondsIn = { minutes: minute, hours: 60 * minute, days: day } as const;
export type DurationUnit = keyof typeof secondsIn;

/** A duration is elapsed time: a day is 24 hours, even across a daylight saving change. NaN counts as 0. */
export function endOf(start: Instant, duration: number, unit: DurationUnit): Instant {
  const length = Math.max(0, duration) || 0;
  return addSeconds(start, length * secondsIn[unit]);
}

/** The duration of an event in the largest unit that gives a whole number. */
export function durationOf({ start_time, end_time }: Pick<Event, 'start_time' | 'end_time'>) {
  const seconds = (Date.parse(end_time) - Date.parse(start_time)) / 1000;
  const fits = (unit: DurationUnit) => seconds > 0 && seconds % secondsIn[unit] === 0;
  const unit: DurationUnit = (['days', 'hours'] as const).find(fits) ?? 'minutes';
  return { duration: Math.round(seconds / secondsIn[unit]), unit };
}

/** A time is null while its input can't be read, and undefined while it is empty. */
export type TypedInstant = Instant | null | undefined;

/** The times of an event in its form. */
export interface TimesForm {
  start_time: TypedInstant;
  duration: number;
  unit: DurationUnit;
  /** The text of the end, if it can't be read. */
  unread_end?: string | undefined;
  entry_until_time: TypedInstant;
  time_zone: string;
}

export const inOtherZone = (time: TypedInstant, from: string, to: string): TypedInstant =>
  time && instant(atWallTime(wallTime(new Date(time), from), to));

/** The times of the form after a change of the time zone. The local times stay the same. */
export function formInZone({ start_time, entry_until_time, ...form }: TimesForm, time_zone: string) {
  const moved = (time: TypedInstant) => inOtherZone(time, form.time_zone, time_zone);
  return { time_zone, start_time: moved(start_time), entry_until_time: moved(entry_until_time) };
}

/** The times of the form; undefined if its start is empty or can't be read. */
export const readableTimes = ({ start_time, duration, unit, time_zone }: TimesForm) =>
  start_time ? { start_time, end_time: endOf(start_time, duration, unit), time_zone } : undefined;

export type WhenAndForWhom = Pick<Event, 'start_time' | 'time_zone' | 'section_ids'>;

/** Whether an edit of an event may change for whom absences and standing answers answer it. */
export const changesGivenAnswers = (before: WhenAndForWhom, after: WhenAndForWhom): boolean =>
  before.start_time !== after.start_time ||
  before.time_zone !== after.time_zone ||
  !isSameValue(before.section_ids, after.section_ids);
