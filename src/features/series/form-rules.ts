import { instant, type Instant } from '#wire/instant.ts';
import { wallTime } from '#wire/wall-time.ts';
import type { Frequency, Rule } from '#features/series/contract.ts';
import { dateIn, whyCannotRepeat } from '#features/series/rules.ts';

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
  /** The rest of the rule, for `custom`. */
  every: number;
  freq: Frequency;
  /** Null: the weekday of the start. */
  weekdays: number[] | null;
  ends: 'never' | 'on' | 'after';
  ends_on: string;
  count: number;
  /** Whether everybody is going who does not say no. */
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

interface Times {
  start_time: Instant;
  end_time: Instant;
  time_zone: string;
}

/** The rule that a form describes, from the date and time of its start. Undefined if it does not repeat. */
export function ruleOf(repeats: Repeats, { start_time, end_time, time_zone }: Times): Rule | undefined {
  const { choice, ends, ends_on, count } = repeats;
  if (choice === 'never') return undefined;
  const wall = wallTime(Date.parse(start_time), time_zone);
  const [weekday, monthDay] = [wall.getUTCDay() || 7, wall.getUTCDate()];
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
    // The fifth one of a month is its last.
    nth: freq === 'monthly_weekday' ? (monthDay > 28 ? -1 : Math.ceil(monthDay / 7)) : null,
    local_time: instant(wall).slice(11, 16),
    minutes: (Date.parse(end_time) - Date.parse(start_time)) / 60_000,
    time_zone,
    starts_on: dateIn(time_zone, start_time),
    ends_on: ends === 'on' && ends_on ? ends_on : null,
    count: ends === 'after' ? count : null,
  };
}

/** What is wrong with a form that gives no dates: no weekday is chosen, or the last day is missing or too early. */
export type RepeatsProblem = 'weekdays' | 'last_day';

export function repeatsProblem(repeats: Repeats, times: Times, now: Instant): RepeatsProblem | undefined {
  const rule = ruleOf(repeats, times);
  if (!rule) return undefined;
  if (rule.freq === 'weekly' && rule.weekdays.length === 0) return 'weekdays';
  const isOpen = repeats.ends === 'on' && !repeats.ends_on;
  return isOpen || whyCannotRepeat(rule, [], now) === 'bad_input' ? 'last_day' : undefined;
}
