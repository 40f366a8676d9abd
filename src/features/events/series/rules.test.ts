import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';
import { firstDay, lastDay } from '#wire/day.ts';
import { firstInstant, instant, lastInstant, type Instant } from '#wire/instant.ts';
import type { Rule } from '#features/events/series/contract.ts';
import {
  breaksOfRule,
  comingSlots,
  nextSlots,
  timesOf,
  whyCannotRepeat,
} from '#features/events/series/rules.ts';
import * as rules from '#features/events/series/rules.ts';
import { atWallTime } from '#wire/wall-time.ts';
import { shortestRun } from '#test/hostile-text.ts';
import { tuesdays } from '#test/new-series.ts';

/** The dates of a rule from one day to another, both included. */
const slotsOf = (rule: Rule, breaks: readonly rules.Days[], from: string, to: string) => {
  const start = atWallTime(Date.parse(from), rule.time_zone).getTime();
  return nextSlots(rule, breaks, instant(start - 1), 1000).filter(({ on }) => on <= to);
};

const onDay = (month_day: number): Partial<Rule> => ({ freq: 'monthly_day', weekdays: [], month_day });
const onWeekday = (nth: number, weekday: number): Partial<Rule> => ({
  freq: 'monthly_weekday',
  weekdays: [weekday],
  nth,
});
const daysOf = (part: Partial<Rule>, from: string, to: string) =>
  slotsOf({ ...tuesdays, ...part }, [], from, to).map(({ on }) => on.slice(2));

describe('slotsOf', () => {
  test.each<[string, Partial<Rule>, string, string, string]>([
    ['every week', {}, '2026-11-01', '2026-12-10', '26-11-24 26-12-01 26-12-08'],
    [
      'begins on the first such weekday',
      { starts_on: '2026-11-25' },
      '2026-11-01',
      '2026-12-10',
      '26-12-01 26-12-08',
    ],
    [
      'several weekdays in order',
      { weekdays: [5, 2] },
      '2026-11-01',
      '2026-12-05',
      '26-11-24 26-11-27 26-12-01 26-12-04',
    ],
    [
      'every two weeks, counted from the week of the start',
      { every: 2, weekdays: [1, 4], starts_on: '2026-11-25' },
      '2026-11-01',
      '2026-12-12',
      '26-11-26 26-12-07 26-12-10',
    ],
    [
      'Sunday is the last day of its week',
      { every: 2, weekdays: [7], starts_on: '2026-11-23' },
      '2026-11-01',
      '2026-12-15',
      '26-11-29 26-12-13',
    ],
    ['monthly on the 24th', onDay(24), '2026-11-01', '2027-01-31', '26-11-24 26-12-24 27-01-24'],
    [
      'the 31st is the last day of a shorter month',
      onDay(31),
      '2027-01-01',
      '2027-04-30',
      '27-01-31 27-02-28 27-03-31 27-04-30',
    ],
    [
      'the 30th of February is its last day, in a leap year too',
      onDay(30),
      '2028-02-01',
      '2028-03-31',
      '28-02-29 28-03-30',
    ],
    [
      '29 February every twelve months',
      { ...onDay(29), every: 12, starts_on: '2028-02-29' },
      '2028-01-01',
      '2033-01-01',
      '28-02-29 29-02-28 30-02-28 31-02-28 32-02-29',
    ],
    [
      'every three months',
      { ...onDay(24), every: 3 },
      '2026-11-01',
      '2027-06-01',
      '26-11-24 27-02-24 27-05-24',
    ],
    ['the fourth Tuesday', onWeekday(4, 2), '2026-11-01', '2027-01-31', '26-11-24 26-12-22 27-01-26'],
    ['the first Monday', onWeekday(1, 1), '2026-11-01', '2027-02-10', '26-12-07 27-01-04 27-02-01'],
    [
      'the last Tuesday, which is the fourth or the fifth',
      onWeekday(-1, 2),
      '2026-11-01',
      '2027-03-31',
      '26-11-24 26-12-29 27-01-26 27-02-23 27-03-30',
    ],
    ['the last Sunday', onWeekday(-1, 7), '2026-11-01', '2027-01-31', '26-11-29 26-12-27 27-01-31'],
    [
      'until the last day of the rule, inclusive',
      { ends_on: '2026-12-08' },
      '2026-11-01',
      '2027-12-31',
      '26-11-24 26-12-01 26-12-08',
    ],
    ['a number of dates', { count: 2 }, '2026-11-01', '2027-12-31', '26-11-24 26-12-01'],
    [
      'a number of dates, counted from the first',
      { count: 3 },
      '2026-12-01',
      '2027-12-31',
      '26-12-01 26-12-08',
    ],
    ['no dates without a weekday', { weekdays: [] }, '2026-11-01', '2027-12-31', ''],
  ])('%s [SERIES-03]', (_, part, from, to, expected) => {
    expect(daysOf(part, from, to).join(' ')).toBe(expected);
  });

  test('days in a break have no dates, and do not count towards the number of dates', () => {
    const breaks = [
      { first_on: '2026-12-01', last_on: '2026-12-01' },
      { first_on: '2026-12-09', last_on: '2026-12-22' },
    ];
    const slots = slotsOf({ ...tuesdays, count: 3 }, breaks, '2026-11-01', '2027-12-31');
    expect(slots.map(({ on }) => on)).toEqual(['2026-11-24', '2026-12-08', '2026-12-29']);
  });

  test.each<[string, Partial<Rule>, Instant[]]>([
    [
      'stay at their local time when daylight saving time ends',
      { starts_on: '2026-10-20', count: 2 },
      ['2026-10-20T17:00:00.000Z', '2026-10-27T18:00:00.000Z'],
    ],
    [
      'in a skipped hour move ahead by that hour',
      { starts_on: '2027-03-28', weekdays: [7], local_time: '02:30', count: 2 },
      ['2027-03-28T01:30:00.000Z', '2027-04-04T00:30:00.000Z'],
    ],
    [
      'in a repeated hour are the first of the two',
      { starts_on: '2026-10-25', weekdays: [7], local_time: '02:30', count: 1 },
      ['2026-10-25T00:30:00.000Z'],
    ],
    [
      'move ahead by half an hour on Lord Howe Island',
      {
        starts_on: '2026-10-04',
        weekdays: [7],
        local_time: '02:15',
        count: 1,
        time_zone: 'Australia/Lord_Howe',
      },
      ['2026-10-03T15:45:00.000Z'],
    ],
  ])('times %s [SERIES-04 SERIES-05]', (_, part, expected) => {
    const slots = slotsOf({ ...tuesdays, ...part }, [], '2026-01-01', '2028-01-01');
    expect(slots.map(({ start_time }) => start_time)).toEqual(expected);
  });
});

const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca'];

/** The dates of a rule, computed day by day with another calendar library. */
function expectedSlots(rule: Rule, to: string) {
  const start = Temporal.PlainDate.from(rule.starts_on);
  const monday = start.subtract({ days: start.dayOfWeek - 1 });
  const slots = [];
  for (let date = start; date.toString() <= to; date = date.add({ days: 1 })) {
    const months = (date.year - start.year) * 12 + date.month - start.month;
    const nth = Math.ceil(date.day / 7);
    const isLast = date.day + 7 > date.daysInMonth;
    const isDate = {
      weekly:
        rule.weekdays.includes(date.dayOfWeek) && Math.floor(date.since(monday).days / 7) % rule.every === 0,
      monthly_day: months % rule.every === 0 && date.day === Math.min(rule.month_day ?? 0, date.daysInMonth),
      monthly_weekday:
        months % rule.every === 0 &&
        date.dayOfWeek === rule.weekdays[0] &&
        (rule.nth === -1 ? isLast : nth === rule.nth),
    }[rule.freq];
    if (!isDate) continue;
    const local = date.toPlainDateTime(Temporal.PlainTime.from(rule.local_time));
    const { epochMilliseconds } = local.toZonedDateTime(rule.time_zone, { disambiguation: 'compatible' });
    slots.push({ on: date.toString(), start_time: instant(epochMilliseconds) });
  }
  return slots;
}

const anyRule: fc.Arbitrary<Rule> = fc
  .record({
    freq: fc.constantFrom('weekly' as const, 'monthly_day' as const, 'monthly_weekday' as const),
    every: fc.integer({ min: 1, max: 12 }),
    weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
    month_day: fc.integer({ min: 1, max: 31 }),
    nth: fc.constantFrom(-1, 1, 2, 3, 4),
    // Half of the hours are among those that clocks skip or repeat.
    hour: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 23 })),
    minute: fc.integer({ min: 0, max: 59 }),
    time_zone: fc.constantFrom(...zones),
    day: fc.integer({ min: 0, max: 1500 }),
  })
  .map(({ hour, minute, day, ...rule }) => ({
    ...tuesdays,
    ...rule,
    weekdays: rule.freq === 'monthly_weekday' ? rule.weekdays.slice(0, 1) : rule.weekdays,
    local_time: `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`,
    starts_on: Temporal.PlainDate.from('2025-12-01').add({ days: day }).toString(),
  }));

test('slotsOf: equals an independent computation, across clock changes and leap days [SERIES-03 SERIES-05]', () => {
  fc.assert(
    fc.property(anyRule, fc.integer({ min: 0, max: 500 }), (rule, days) => {
      const to = Temporal.PlainDate.from(rule.starts_on).add({ days }).toString();
      expect(slotsOf(rule, [], rule.starts_on, to)).toEqual(expectedSlots(rule, to));
    }),
    { numRuns: 400 },
  );
});

test('slotsOf: equals the independent computation for every day and quarter of an hour around clock changes [SERIES-05]', () => {
  for (const [time_zone, starts_on] of [
    ['Europe/Berlin', '2027-03-26'],
    ['Europe/Berlin', '2026-10-23'],
    ['America/New_York', '2027-03-12'],
    ['America/New_York', '2026-10-30'],
    ['Australia/Lord_Howe', '2027-04-02'],
    ['Australia/Lord_Howe', '2026-10-02'],
    ['Africa/Casablanca', '2027-02-05'],
    ['Africa/Casablanca', '2027-03-12'],
  ] as const)
    for (let quarter = 0; quarter < 16; quarter++) {
      const local_time = `0${Math.floor(quarter / 4)}:${String((quarter % 4) * 15).padStart(2, '0')}`;
      const rule = { ...tuesdays, weekdays: [1, 2, 3, 4, 5, 6, 7], time_zone, starts_on, local_time };
      const to = Temporal.PlainDate.from(starts_on).add({ days: 5 }).toString();
      expect(slotsOf(rule, [], starts_on, to)).toEqual(expectedSlots(rule, to));
    }
});

const now = '2026-11-24T12:00:00.000Z';

test.each<[string, Partial<Rule>, number, string]>([
  ['all dates of the next 90 days', {}, 13, '2027-02-16'],
  ['at least three dates', onDay(24), 3, '2027-01-24'],
  ['at least three dates, however rare', { ...onDay(24), every: 12 }, 3, '2028-11-24'],
  ['at most sixty dates', { weekdays: [1, 2, 3, 4, 5, 6, 7] }, 60, '2027-01-22'],
  ['fewer dates if the rule ends', { count: 2 }, 2, '2026-12-01'],
  ['no dates after the end of the rule', { starts_on: '2026-10-06', ends_on: '2026-11-23' }, 0, ''],
])('horizon: %s [SERIES-06]', (_, part, count, last) => {
  const slots = comingSlots({ ...tuesdays, ...part }, [], now);
  expect([slots.length, slots.at(-1)?.on ?? '']).toEqual([count, last]);
});

test.each<[string, Partial<Rule>, string]>([
  ['five dates, however rare', { ...onDay(24), every: 12 }, '26-11-24 27-11-24 28-11-24 29-11-24 30-11-24'],
  ['five dates, however late', { starts_on: '2027-06-08' }, '27-06-08 27-06-15 27-06-22 27-06-29 27-07-06'],
  ['fewer dates if the rule ends', { count: 2 }, '26-11-24 26-12-01'],
])('nextSlots: %s [SERIES-07]', (_, part, expected) => {
  const slots = nextSlots({ ...tuesdays, ...part }, [], now, 5);
  expect(slots.map(({ on }) => on.slice(2)).join(' ')).toBe(expected);
});

test('horizon: begins after the given time', () => {
  const [before, at] = ['2026-11-24T17:59:59.000Z', '2026-11-24T18:00:00.000Z'].map(
    (since) => comingSlots(tuesdays, [], since)[0]?.on,
  );
  expect([before, at]).toEqual(['2026-11-24', '2026-12-01']);
});

test.each<[string, Partial<Rule>, string | undefined]>([
  ['a rule with dates', {}, undefined],
  ['weekly without a weekday', { weekdays: [] }, 'bad_input'],
  ['a weekday twice', { weekdays: [2, 2] }, 'bad_input'],
  ['monthly without a day', { ...onDay(1), month_day: null }, 'bad_input'],
  ['monthly on two weekdays', { ...onWeekday(1, 2), weekdays: [2, 3] }, 'bad_input'],
  ['monthly on the zeroth weekday', onWeekday(0, 2), 'bad_input'],
  ['an end before the start', { ends_on: '2026-11-23' }, 'bad_input'],
  ['an end before the first date', { weekdays: [1], ends_on: '2026-11-29' }, 'bad_input'],
  ['two ends', { ends_on: '2027-11-23', count: 3 }, 'bad_input'],
  ['an unknown time zone', { time_zone: 'Mars/Olympus' }, 'bad_input'],
  ['a start in the past', { starts_on: '2026-11-17' }, 'starts_in_past'],
  ['a start four minutes ago', { local_time: '12:56' }, undefined],
  ['a start five minutes ago', { local_time: '12:55' }, 'starts_in_past'],
])('whyCannotRepeat: for %s, the error is $2 [SERIES-02]', (_, part, code) => {
  expect(whyCannotRepeat({ ...tuesdays, ...part }, [], now)).toBe(code);
});

test('whyCannotRepeat: bad_input if all dates are in a break [SERIES-02]', () => {
  const breaks = [{ first_on: '2026-11-01', last_on: '2026-12-31' }];
  expect(whyCannotRepeat({ ...tuesdays, count: 4 }, breaks, now)).toBeUndefined();
  expect(whyCannotRepeat({ ...tuesdays, ends_on: '2026-12-31' }, breaks, now)).toBe('bad_input');
});

test('breaksOfRule: returns the breaks in the time span on whose days the rule would have a date', () => {
  const [monday, tuesday, past, later] = [
    { first_on: '2026-11-30', last_on: '2026-11-30' },
    { first_on: '2026-12-01', last_on: '2026-12-03' },
    { first_on: '2026-11-10', last_on: '2026-11-20' },
    { first_on: '2027-06-01', last_on: '2027-06-30' },
  ] as const;
  const all = [monday, tuesday, past, later];
  expect(breaksOfRule(tuesdays, all, [now, '2027-02-16T18:00:00.000Z'])).toEqual([tuesday]);
});

test('timesOf: duration and cut-off are elapsed time [SERIES-04]', () => {
  // Clocks are turned back on this night.
  const slot = { on: '2026-10-24', start_time: '2026-10-24T22:00:00.000Z' };
  expect(timesOf(slot, { minutes: 600, cutoff_minutes: 60 })).toEqual({
    start_time: slot.start_time,
    end_time: '2026-10-25T08:00:00.000Z',
    entry_until_time: '2026-10-24T21:00:00.000Z',
  });
});

describe('the limits of the schemas', () => {
  type Timed = Rule & { cutoff_minutes: number };
  const weekdays = [1, 2, 3, 4, 5, 6, 7];
  const kinds: Partial<Rule>[] = [
    { freq: 'weekly', weekdays },
    { freq: 'weekly', weekdays: [7] },
    { freq: 'weekly', weekdays: [] },
    { freq: 'monthly_day', weekdays: [], month_day: 31 },
    { freq: 'monthly_weekday', weekdays: [7], nth: -1 },
    { freq: 'monthly_weekday', weekdays: [1], nth: 4 },
  ];
  /** Days of earlier releases may be in other years. */
  const days = ['0001-01-01', firstDay, '2026-11-24', lastDay, '9999-12-31'] as const;
  const ends = [{}, { count: 200 }, { ends_on: firstDay }, { ends_on: lastDay }, { ends_on: '9999-12-31' }];
  const extremes: Timed[] = kinds.flatMap((kind) =>
    days.flatMap((starts_on) =>
      [1, 12].flatMap((every) =>
        ends.map((end) => ({
          ...tuesdays,
          cutoff_minutes: -525_600,
          minutes: 525_600,
          ...kind,
          starts_on,
          every,
          ...end,
        })),
      ),
    ),
  );
  const breaksOf = [
    [],
    Array.from({ length: 50 }, (_, nth) => ({
      first_on: `${2026 + nth}-01-01`,
      last_on: `${2026 + nth}-12-31`,
    })),
    [
      { first_on: '0001-01-01', last_on: '0001-12-31' },
      { first_on: '9999-01-01', last_on: '9999-12-31' },
    ],
  ];
  const times = [firstInstant, '2026-11-23T09:00:00.000Z', lastInstant];

  const daily = { ...tuesdays, weekdays, starts_on: firstDay };
  const dates = Array.from({ length: 60 }, (_, nth) => ({
    event: {
      ...timesOf(
        { on: '', start_time: '2200-11-01T18:00:00.000Z' },
        { minutes: 525_600, cutoff_minutes: 525_600 },
      ),
      time_zone: 'Europe/Berlin',
    } as never,
    slot_on: nth === 0 ? firstDay : lastDay,
    own_fields: [],
  }));

  /** Each exported function, called with the limits. */
  const calls: Record<keyof typeof rules, (rule: Timed, breaks: (typeof breaksOf)[number]) => unknown> = {
    nextSlots: (rule, breaks) => rules.nextSlots(rule, breaks, firstInstant, 60),
    comingSlots: (rule, breaks) => rules.comingSlots(rule, breaks, lastInstant),
    hasLaterDates: (rule, breaks) => rules.hasLaterDates(rule, breaks, lastInstant),
    breaksOfRule: (rule, breaks) => rules.breaksOfRule(rule, breaks, [firstInstant, lastInstant]),
    spanOf: (rule, breaks) => rules.spanOf(rule, breaks, '2026-11-23T09:00:00.000Z'),
    isInBreak: (_, breaks) => days.map((on) => rules.isInBreak(breaks, on)),
    isBreak: (_, breaks) => breaks.map(rules.isBreak),
    timesOf: (rule) => rules.timesOf({ on: lastDay, start_time: lastInstant }, rule),
    earliest: () => times.map(rules.earliest),
    whyCannotRepeat: (rule, breaks) => rules.whyCannotRepeat(rule, breaks, '2026-11-23T09:00:00.000Z'),
    whyHasNoDates: (rule, breaks) => rules.whyHasNoDates(rule, breaks, firstInstant),
    editedRule: (rule, breaks) => rules.editedRule(rule, { weekdays: [1, 2], every: 12 }, lastDay, breaks),
    editDates: (after, breaks) =>
      rules.editDates(dates, {
        fields: {},
        before: { ...daily, cutoff_minutes: 0 },
        after,
        breaks,
        from: firstDay,
        started: [],
        asks: true,
        now: '2026-11-23T09:00:00.000Z',
      }),
    hasSeat: ({ time_zone }) => {
      const date = { my_answer: 'going', deleted_at: null, start_time: lastInstant, time_zone } as never;
      const my_standing = { answer: 'going' as const, guests: 0, dates: 0 };
      const series = { my_standing, is_host: false, events: Array.from({ length: 200 }, () => date) };
      return rules.hasSeat(series, { until: firstDay });
    },
  };

  test.each(Object.keys(calls) as (keyof typeof rules)[])(
    '%s: takes less than 20 ms for all of these limits [T43]',
    (name) => {
      for (const rule of extremes)
        for (const breaks of breaksOf) {
          const took = shortestRun(() => calls[name](rule, breaks), 20);
          if (took >= 20) expect.fail(`${took} ms for ${JSON.stringify({ rule, breaks: breaks.length })}`);
        }
    },
  );
});

test('breaks of earlier releases, in years that are bad input now, are skipped [T43]', () => {
  const every = { ...tuesdays, weekdays: [1, 2, 3, 4, 5, 6, 7] };
  const breaks = [
    { first_on: '0001-01-01', last_on: '0001-12-31' },
    { first_on: '2026-11-25', last_on: '9999-12-31' },
  ];
  expect(slotsOf(every, breaks, '2026-11-01', '9999-12-31').map(({ on }) => on)).toEqual(['2026-11-24']);
  expect(breaksOfRule(every, breaks, ['2026-11-01T00:00:00.000Z', lastInstant])).toEqual([breaks[1]]);
});
