import { isDayInRange } from '#wire/day.ts';
import { instant, type Instant } from '#wire/instant.ts';
import { dateIn, wallTime } from '#wire/wall-time.ts';
import type { Event } from '#features/events/contract.ts';
import { eventFieldKeys, type EventPatch } from '#features/events/field-contract.ts';
import { editedSchedule, type Schedule } from '#features/events/form-rules.ts';
import type { Frequency } from '#features/events/time-contract.ts';
import type { Break, Rule } from '#features/events/series/contract.ts';
import { comingSlots, editedRule, whyCannotRepeat } from '#features/events/series/rules.ts';

export const repeatChoices = [
  'never',
  'weekly',
  'biweekly',
  'monthly_day',
  'monthly_weekday',
  'custom',
] as const;
export type RepeatChoice = (typeof repeatChoices)[number];

/** How an event repeats, in its form. */
export interface Repeats {
  choice: RepeatChoice;
  /** `every`, `freq` and `weekdays` are the rule of the choice `custom`. */
  every: number;
  freq: Frequency;
  /** Null: the weekday of the start. */
  weekdays: number[] | null;
  ends: 'never' | 'on' | 'after';
  ends_on: string;
  count: number;
  /** Whether all members are going unless they say no. */
  everybody: boolean;
}

export const repeatsNever: Repeats = {
  choice: 'never',
  every: 1,
  freq: 'weekly',
  weekdays: null,
  ends: 'never',
  ends_on: '',
  count: 10,
  everybody: false,
};

interface ZonedTimes {
  start_time: Instant;
  end_time: Instant;
  time_zone: string;
}

/** The local date and time of the start of an event. */
function clockOf({ start_time, time_zone }: Pick<ZonedTimes, 'start_time' | 'time_zone'>) {
  const wall = wallTime(Date.parse(start_time), time_zone);
  const monthDay = wall.getUTCDate();
  return {
    day: instant(wall).slice(0, 10),
    time: instant(wall).slice(11, 16),
    weekday: wall.getUTCDay() || 7,
    monthDay,
    // A fifth weekday of a month is always the last one.
    nth: monthDay > 28 ? -1 : Math.ceil(monthDay / 7),
  };
}

/** The rule that a form describes, from the date and time of its start. Undefined if the event does not repeat. */
export function ruleOf(repeats: Repeats, { start_time, end_time, time_zone }: ZonedTimes): Rule | undefined {
  const { choice, ends, ends_on, count } = repeats;
  if (choice === 'never') return undefined;
  const { weekday, monthDay, nth, time } = clockOf({ start_time, time_zone });
  const { freq, every } = {
    weekly: { freq: 'weekly' as const, every: 1 },
    biweekly: { freq: 'weekly' as const, every: 2 },
    monthly_day: { freq: 'monthly_day' as const, every: 1 },
    monthly_weekday: { freq: 'monthly_weekday' as const, every: 1 },
    custom: repeats,
  }[choice];
  const isOwn = choice === 'custom' && freq === 'weekly' && repeats.weekdays !== null;
  return {
    freq,
    every,
    weekdays: freq === 'monthly_day' ? [] : isOwn ? (repeats.weekdays ?? []) : [weekday],
    month_day: freq === 'monthly_day' ? monthDay : null,
    nth: freq === 'monthly_weekday' ? nth : null,
    local_time: time,
    minutes: (Date.parse(end_time) - Date.parse(start_time)) / 60_000,
    time_zone,
    starts_on: dateIn(time_zone, start_time),
    ends_on: ends === 'on' && ends_on ? ends_on : null,
    count: ends === 'after' ? count : null,
  };
}

/** Why a form gives no dates: no weekday is chosen, or the last day is missing, too early or too late. */
export type RepeatsProblem = 'weekdays' | 'last_day' | 'year';

export function repeatsProblem(
  repeats: Repeats,
  times: ZonedTimes,
  now: Instant,
): RepeatsProblem | undefined {
  const rule = ruleOf(repeats, times);
  if (!rule) return undefined;
  if (rule.freq === 'weekly' && rule.weekdays.length === 0) return 'weekdays';
  if (repeats.ends === 'on' && repeats.ends_on && !isDayInRange(repeats.ends_on)) return 'year';
  const isOpen = repeats.ends === 'on' && !repeats.ends_on;
  return isOpen || whyCannotRepeat(rule, [], now) === 'bad_input' ? 'last_day' : undefined;
}

/** Which dates of a series change with an edit of one date. Dates that have started never change. */
export const scopes = ['this', 'later', 'all'] as const;
export type Scope = (typeof scopes)[number];

/** An edit of a series and its dates from a given day. */
export type SeriesPatch = EventPatch &
  Partial<Omit<Rule, 'starts_on'>> & { cutoff_minutes?: number; from?: string };

const minutesBetween = (from: Instant, to: Instant): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / 60_000);

/**
 * Turns the edit of one date into an edit of this and the later dates, or of all upcoming dates. Undefined if the date
 * moves to another day and the other dates can't move in the same way.
 */
export function seriesPatchOf(
  series: Rule & { breaks: readonly Break[] },
  date: Schedule & Pick<Event, 'slot_on'>,
  patch: EventPatch & Partial<Schedule>,
  scope: Exclude<Scope, 'this'>,
  now: Instant,
): SeriesPatch | undefined {
  const next = editedSchedule(date, patch);
  const [old, moved] = [clockOf(date), clockOf(next)];
  const minutes = minutesBetween(next.start_time, next.end_time);
  const cutoff_minutes = minutesBetween(next.entry_until_time, next.start_time);
  const times = {
    ...(moved.time !== old.time && { local_time: moved.time }),
    ...(next.time_zone !== date.time_zone && { time_zone: next.time_zone }),
    ...(minutes !== minutesBetween(date.start_time, date.end_time) && { minutes }),
    ...(cutoff_minutes !== minutesBetween(date.entry_until_time, date.start_time) && { cutoff_minutes }),
  };
  const fields = Object.fromEntries(
    eventFieldKeys.filter((key) => patch[key] !== undefined).map((key) => [key, patch[key]]),
  ) as EventPatch;
  const slot = date.slot_on ?? old.day;
  const days = moved.day === old.day ? {} : newDaysOf(series, moved);
  if (!days) return undefined;
  const first = moved.day < old.day && moved.day < slot ? moved.day : slot;
  const edit = { ...times, ...days, ...(scope === 'later' && { from: first }) };
  if (moved.day !== old.day && !leadsTo(series, edit, { slot, day: moved.day }, now)) return undefined;
  return { ...fields, ...edit };
}

/**
 * The fields that move a rule to another day. Undefined for a rule with several weekdays, because it is unclear which
 * of them changes.
 */
function newDaysOf(
  { freq, weekdays }: Rule,
  { weekday, monthDay, nth }: ReturnType<typeof clockOf>,
): Partial<Rule> | undefined {
  if (weekdays.length > 1) return undefined;
  return {
    weekly: { weekdays: [weekday] },
    monthly_day: { month_day: monthDay },
    monthly_weekday: { weekdays: [weekday], nth },
  }[freq];
}

/** Whether an edit of the series moves the date of a slot to this day. Dates move to the new days in order. */
function leadsTo(
  { breaks, ...series }: Rule & { breaks: readonly Break[] },
  { from: requestedFrom, ...edit }: SeriesPatch,
  { slot, day }: { slot: string; day: string },
  now: Instant,
): boolean {
  const today = dateIn(series.time_zone, now);
  const from = requestedFrom && requestedFrom > today ? requestedFrom : today;
  const slotsFrom = (rule: Rule) => comingSlots(rule, breaks, now).filter(({ on }) => on >= from);
  const at = slotsFrom(series).findIndex(({ on }) => on === slot);
  return at !== -1 && slotsFrom(editedRule(series, edit, from, breaks))[at]?.on === day;
}

/** The version of the breaks of a club for `If-Match`: a hash (FNV-1a) of the list, which has no version of its own. */
export function versionOfBreaks(breaks: readonly Break[]): number {
  const text = JSON.stringify(breaks.map(({ first_on, last_on, name }) => [first_on, last_on, name]));
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % 1_000_000_000;
}
