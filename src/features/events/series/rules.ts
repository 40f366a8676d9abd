import { firstDay, includesDay, lastDay } from '#wire/day.ts';
import { addSeconds, instant, nearestInstant, type Instant } from '#wire/instant.ts';
import type { ErrorCode } from '#wire/errors.ts';
import { isTimeZone } from '#wire/time-zone.ts';
import { atWallTime, dateIn } from '#wire/wall-time.ts';
import type { Event } from '#features/events/contract.ts';
import { questionKeys, type EventFields, type EventPatch } from '#features/events/field-contract.ts';
import {
  changeBetween,
  editedSchedule,
  reopened,
  startGracePeriod,
  type Schedule,
} from '#features/events/form-rules.ts';
import type { Break, Rule, SeatsHeld, Series } from '#features/events/series/contract.ts';

/** A day on which a rule has a date, and the start of that date. */
export interface DateSlot {
  on: string;
  start_time: Instant;
}

export type Days = Pick<Break, 'first_on' | 'last_on'>;

const minute = 60_000;
const day = 24 * 60 * minute;

/** Days are counted in UTC, where each day has 24 hours. */
const dateOf = (time: number): string => instant(time).slice(0, 10);

/** The ISO number of a weekday: 1 is Monday. */
const weekdayOf = (time: number): number => new Date(time).getUTCDay() || 7;

/** The days of a rule in the n-th week or month after the first one. */
function daysIn({ freq, weekdays, month_day, nth }: Rule, first: number, after: number): number[] {
  if (freq === 'weekly') {
    const monday = first + (after * 7 + 1 - weekdayOf(first)) * day;
    return [...weekdays].sort((a, b) => a - b).map((weekday) => monday + (weekday - 1) * day);
  }
  const [year, month] = [new Date(first).getUTCFullYear(), new Date(first).getUTCMonth() + after];
  const start = Date.UTC(year, month, 1);
  const end = Date.UTC(year, month + 1, 0);
  if (freq === 'monthly_day') return [Math.min(start + ((month_day ?? 1) - 1) * day, end)];
  return weekdays.map((weekday) =>
    nth === -1
      ? end - ((weekdayOf(end) - weekday + 7) % 7) * day
      : start + (((weekday - weekdayOf(start) + 7) % 7) + ((nth ?? 1) - 1) * 7) * day,
  );
}

/**
 * Finds the last week or month that has days of the rule and is not after the week or month of `time`. Returns its
 * distance, in weeks or months, from the week or month of the first day.
 */
function periodAt({ freq, every }: Rule, first: number, time: number): number {
  const [from, to] = [new Date(first), new Date(time)];
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  const weeks = Math.floor((time - first + (weekdayOf(first) - 1) * day) / (7 * day));
  return Math.floor((freq === 'weekly' ? weeks : months) / every) * every;
}

/** The first day of a rule on or after `from`, without regard to breaks and to the number of dates. */
function dayFrom(rule: Rule, from: number): number | undefined {
  const first = Date.parse(rule.starts_on);
  const last = Date.parse(rule.ends_on === null || rule.ends_on > lastDay ? lastDay : rule.ends_on);
  const earliest = Math.max(first, from);
  if (!(earliest <= last)) return undefined;
  const period = periodAt(rule, first, earliest);
  // Each period has a day. If all days of this period are before `earliest`, those of the next period are not.
  const found = [period, period + rule.every]
    .flatMap((after) => daysIn(rule, first, after))
    .find((time) => time >= earliest);
  return found !== undefined && found <= last ? found : undefined;
}

/**
 * The days of a rule in order, from a given day. Endless unless the rule has an end, so the caller has to stop. Only a
 * rule with a number of dates, which is at most 200, has to be counted from its first date.
 */
function* daysOf(rule: Rule, breaks: readonly Days[], from = rule.starts_on): Generator<string> {
  let left = rule.count ?? Infinity;
  let next = dayFrom(rule, Date.parse(rule.count === null ? from : rule.starts_on));
  while (next !== undefined && left > 0) {
    const on = dateOf(next);
    const off = breaks.find((each) => isInBreak([each], on));
    if (!off) {
      left--;
      if (on >= from) yield on;
    }
    next = dayFrom(rule, (off ? Date.parse(off.last_on) : next) + day);
  }
}

/**
 * A rule with the same days, but with a last day instead of a number of dates, so that `dayFrom` can check a single day
 * without counting the days before it.
 */
const withoutCount = (rule: Rule, breaks: readonly Days[]): Rule =>
  rule.count === null
    ? rule
    : { ...rule, count: null, ends_on: [...daysOf(rule, breaks)].at(-1) ?? firstDay };

/**
 * The slot on a day. If a clock change skips the local time, the start moves ahead by the gap. If the local time occurs
 * twice, the first one counts.
 */
const slotOn = ({ local_time, time_zone }: Rule, on: string): DateSlot => ({
  on,
  start_time: nearestInstant(atWallTime(Date.parse(`${on}T${local_time}Z`), time_zone)),
});

/** The next dates of a rule after `since`, at most `count` of them. */
export function nextSlots(rule: Rule, breaks: readonly Days[], since: Instant, count: number): DateSlot[] {
  const from = dateIn(rule.time_zone, since);
  const slots: DateSlot[] = [];
  for (const on of daysOf(rule, breaks, from)) {
    const slot = slotOn(rule, on);
    if (slot.start_time > since) slots.push(slot);
    if (slots.length === count) break;
  }
  return slots;
}

/** The dates of the next 90 days exist as events, but at least the next three and at most the next sixty dates. */
const horizon = { seconds: 90 * 24 * 60 * 60, min: 3, max: 60 };

/** The dates after `since` that should exist as events. */
export function comingSlots(rule: Rule, breaks: readonly Days[], since: Instant): DateSlot[] {
  const end = addSeconds(since, horizon.seconds);
  return nextSlots(rule, breaks, since, horizon.max).filter(
    ({ start_time }, n) => n < horizon.min || start_time <= end,
  );
}

/** Whether a rule has dates that do not exist as events yet. */
export function hasLaterDates(rule: Rule, breaks: readonly Days[], now: Instant): boolean {
  const last = comingSlots(rule, breaks, now).at(-1);
  return last !== undefined && nextSlots(rule, breaks, last.start_time, 1).length > 0;
}

/** The breaks between two times in which the rule would have a date. */
export const breaksOfRule = <B extends Days>(
  rule: Rule,
  breaks: readonly B[],
  span: readonly [Instant, Instant],
) => {
  const [from = '', to = ''] = span.map((time) => dateIn(rule.time_zone, time));
  const uncounted = withoutCount(rule, []);
  const hasDate = ({ first_on, last_on }: Days) => {
    const next = dayFrom(uncounted, Date.parse(first_on));
    return next !== undefined && next <= Date.parse(last_on);
  };
  return breaks.filter((each) => each.last_on >= from && each.first_on <= to && hasDate(each));
};

/** The last day of a rule, null if it has no end, and its breaks within a year after `from`. */
export function spanOf<B extends Days>(rule: Rule, breaks: readonly B[], from: Instant) {
  const uncounted = withoutCount(rule, breaks);
  const yearLater = addSeconds(from, 365 * 24 * 60 * 60);
  return { lastDay: uncounted.ends_on, breaks: breaksOfRule(uncounted, breaks, [from, yearLater]) };
}

const maxBreakDays = 366;

/** A break ends on or after its first day, and lasts at most a year. */
export const isBreak = ({ first_on, last_on }: Days): boolean => {
  const days = (Date.parse(last_on) - Date.parse(first_on)) / day;
  return days >= 0 && days <= maxBreakDays;
};

export const isInBreak = (breaks: readonly Days[], on: string): boolean =>
  breaks.some((each) => includesDay(each, on));

/** A rule with the minutes from the cut-off of a date to its start. */
type TimedRule = Rule & { cutoff_minutes: number };

/** The times of a date. */
export function timesOf(
  { start_time }: DateSlot,
  { minutes, cutoff_minutes }: Pick<TimedRule, 'minutes' | 'cutoff_minutes'>,
) {
  const after = (count: number) => addSeconds(start_time, count * 60);
  return { start_time, end_time: after(minutes), entry_until_time: after(-cutoff_minutes) };
}

/** Whether a rule has all fields that its frequency needs, and no duplicates. */
function isComplete({ freq, weekdays, month_day, nth, ends_on, count, time_zone }: Rule): boolean {
  const hasDays = {
    weekly: weekdays.length > 0,
    monthly_day: month_day !== null,
    monthly_weekday: weekdays.length === 1 && nth !== null && nth !== 0,
  }[freq];
  const isTwice = new Set(weekdays).size < weekdays.length;
  return hasDays && !isTwice && (ends_on === null || count === null) && isTimeZone(time_zone);
}

/** The earliest start of a date. It is slightly in the past, because the clocks of clients can be slow. */
export const earliest = (now: Instant): Instant => addSeconds(now, -startGracePeriod);

/** Why no series can be created from a rule. */
export function whyCannotRepeat(rule: Rule, breaks: readonly Days[], now: Instant): ErrorCode | undefined {
  if (!isComplete(rule)) return 'bad_input';
  const first = firstSlot(rule);
  if (!first || (rule.ends_on !== null && rule.ends_on < rule.starts_on)) return 'bad_input';
  if (first.start_time <= earliest(now)) return 'starts_in_past';
  return whyHasNoDates(rule, breaks, now);
}

/**
 * Why a series can't change to this rule. A rule without upcoming dates is refused: the series has to be ended instead.
 */
export const whyHasNoDates = (rule: Rule, breaks: readonly Days[], now: Instant): ErrorCode | undefined =>
  isComplete(rule) && comingSlots(rule, breaks, earliest(now)).length > 0 ? undefined : 'bad_input';

const dayKeys = ['freq', 'every', 'weekdays', 'month_day', 'nth'] as const;
const timeKeys = ['local_time', 'minutes', 'time_zone', 'ends_on', 'count'] as const;

const differs = <Of extends Rule>(keys: readonly (keyof Of)[], a: Of, b: Of): boolean =>
  keys.some((key) => String(a[key]) !== String(b[key]));

/**
 * The rule after an edit of the dates from a given day. If the days change, the new rule starts in the week or month of
 * the first date that is replaced, and its number of dates does not include earlier dates. A rule with one day per
 * period may move its first date to an earlier day.
 */
export function editedRule(
  before: Rule,
  patch: { [Key in keyof Rule]?: Rule[Key] | undefined },
  from: string,
  breaks: readonly Days[],
): Rule {
  const after: Rule = { ...before, ...patch };
  if (!differs([...dayKeys, 'count'], before, after)) return after;
  const [next = from] = daysOf(before, breaks, from);
  const time = Date.parse(next);
  const first =
    after.freq === 'weekly' ? time - (weekdayOf(time) - 1) * day : Date.parse(`${next.slice(0, 7)}-01`);
  const count =
    patch.count ?? (before.count === null || patch.count === null ? null : datesFrom(before, breaks, from));
  const mayStartEarlier = before.weekdays.length < 2 && differs(dayKeys, before, after);
  const earliestStart = mayStartEarlier || before.starts_on < from ? from : before.starts_on;
  const starts_on = dateOf(first) < earliestStart ? earliestStart : dateOf(first);
  return { ...after, starts_on, count };
}

/** For a rule with a number of dates: how many of them are on or after a day. */
const datesFrom = (rule: Rule, breaks: readonly Days[], from: string): number =>
  [...daysOf(rule, breaks, from)].length;

/** An upcoming date before an edit of its series. */
export interface ComingDate {
  event: EventFields & Schedule & Pick<Event, 'id' | 'deleted_at'>;
  slot_on: string;
  /** The fields that were edited for this date alone. */
  own_fields: readonly string[];
}

interface SeriesEdit {
  fields: EventPatch;
  before: TimedRule;
  after: TimedRule;
  breaks: readonly Days[];
  /** The first day that changes. */
  from: string;
  /** Days whose dates have started, so that they cannot be used again. */
  started: readonly string[];
  /** Whether people are asked to confirm. If so, sign-up that has closed is reopened. */
  asks: boolean;
  now: Instant;
}

/**
 * The new slots of upcoming dates: the same day with the new time, or the new days in order. A slot is undefined or
 * missing if the rule has no day for that date. The result is undefined if neither days nor times change.
 */
function newSlots(dates: readonly ComingDate[], edit: SeriesEdit): (DateSlot | undefined)[] | undefined {
  const { before, after, breaks, from, started, now } = edit;
  if (!differs([...dayKeys, ...timeKeys, 'cutoff_minutes'], before, after)) return undefined;
  if (differs(dayKeys, before, after))
    return comingSlots(after, breaks, earliest(now)).filter(({ on }) => on >= from && !started.includes(on));
  const uncounted = withoutCount(after, breaks);
  return dates.map(({ slot_on: on }) => {
    const isDay = dayFrom(uncounted, Date.parse(on)) === Date.parse(on) && !isInBreak(breaks, on);
    return isDay ? slotOn(after, on) : undefined;
  });
}

/** A date does not move if any of these fields was edited for that date alone. */
const ownTimes = ['start_time', 'end_time', 'time_zone'];

/**
 * Applies an edit of a series to its upcoming dates, in order. The first date moves to the first day of the new
 * rule, and so on; surplus dates are cancelled. Fields that were edited for one date stay, a question together with its
 * choices, and cancelled dates stay cancelled.
 */
export function editDates<Coming extends ComingDate>(dates: readonly Coming[], edit: SeriesEdit) {
  const { fields, before, after, asks, now } = edit;
  const changed: { date: Coming; next: EventFields & Schedule }[] = [];
  const cancelled: Coming[] = [];
  const moves: { id: string; slot_on: string | null }[] = [];
  const slots = newSlots(dates, edit);
  for (const [n, date] of dates.entries()) {
    const { event, own_fields } = date;
    const slot = slots?.[n];
    const hasOwnTime = ownTimes.some((key) => own_fields.includes(key));
    if (differs(dayKeys, before, after)) moves.push({ id: event.id, slot_on: slot?.on ?? null });
    if (event.deleted_at) continue;
    if (slots && !slot && !hasOwnTime) {
      cancelled.push(date);
      continue;
    }
    const hasOwnQuestion = questionKeys.some((key) => own_fields.includes(key));
    const staying: readonly string[] = hasOwnQuestion ? [...own_fields, ...questionKeys] : own_fields;
    const others = Object.entries(fields).filter(([key]) => !staying.includes(key));
    const times = slot && !hasOwnTime ? { ...timesOf(slot, after), time_zone: after.time_zone } : event;
    const { entry_until_time } = own_fields.includes('entry_until_time')
      ? editedSchedule(event, { start_time: times.start_time })
      : times;
    const edited = {
      ...event,
      ...Object.fromEntries(others),
      start_time: times.start_time,
      end_time: times.end_time,
      time_zone: times.time_zone,
      entry_until_time,
    };
    const setsCutOff = differs(['cutoff_minutes'], before, after) && !own_fields.includes('entry_until_time');
    const next = asks ? { ...edited, ...reopened(event, edited, { setsCutOff, now }) } : edited;
    if (changeBetween(event, next)) changed.push({ date, next });
  }
  return { changed, cancelled, moves };
}

/** Whether the viewer has a seat on dates that others wait for. False for the host, who always has a seat. */
export const hasSeat = (
  { my_standing, is_host, events }: Pick<Series, 'my_standing' | 'is_host' | 'events'>,
  { until }: Pick<SeatsHeld, 'until'>,
): boolean =>
  my_standing?.answer === 'going' &&
  !is_host &&
  events.some(
    ({ my_answer, deleted_at, start_time, time_zone }) =>
      my_answer === 'going' && !deleted_at && dateIn(time_zone, start_time) <= until,
  );

function firstSlot(rule: Rule): DateSlot | undefined {
  const { value } = daysOf(rule, []).next() as IteratorResult<string, undefined>;
  return value === undefined ? undefined : slotOn(rule, value);
}
