import { expect, test } from 'vitest';
import type { Schedule } from '#features/events/form-rules.ts';
import type { Break, Rule } from '#features/events/series/contract.ts';
import { seriesPatchOf } from '#features/events/series/form-rules.ts';
import { tuesdays as rule } from '#test/new-series.ts';

const tuesdays: Rule & { breaks: Break[] } = { ...rule, breaks: [] };
const now = '2026-11-23T12:00:00.000Z';

/** The second date of the series. */
const date = {
  start_time: '2026-12-01T18:00:00.000Z',
  end_time: '2026-12-01T19:30:00.000Z',
  entry_until_time: '2026-12-01T18:00:00.000Z',
  time_zone: 'Europe/Berlin',
  slot_on: '2026-12-01',
};
/** A start on this day of December, at this hour in Berlin. */
const at = (day: number, hour = 19) => ({
  start_time: `2026-12-0${day}T${hour - 1}:00:00.000Z`,
});

test.each<[what: string, patch: Partial<Schedule>, later: object]>([
  ['another time of day', at(1, 20), { local_time: '20:00' }],
  ['another duration', { end_time: '2026-12-01T20:00:00.000Z' }, { minutes: 120 }],
  ['another cut-off', { entry_until_time: '2026-12-01T16:00:00.000Z' }, { cutoff_minutes: 120 }],
  [
    'another time zone with the same local time',
    { ...at(1, 20), time_zone: 'Europe/London' },
    { time_zone: 'Europe/London' },
  ],
  ['a later weekday', at(3), { weekdays: [4] }],
  ['a later weekday at another time', at(3, 20), { weekdays: [4], local_time: '20:00' }],
])('seriesPatchOf: %s changes the rule [SERIES-10]', (_, patch, rule) => {
  const all = { name: 'Night run', ...patch };
  expect(seriesPatchOf(tuesdays, date, all, 'later', now)).toEqual({
    name: 'Night run',
    from: '2026-12-01',
    ...rule,
  });
  expect(seriesPatchOf(tuesdays, date, all, 'all', now)).toEqual({ name: 'Night run', ...rule });
});

test('seriesPatchOf: a date that moves to an earlier day changes the series from that day [SERIES-10]', () => {
  const monday = { start_time: '2026-11-30T18:00:00.000Z' };
  expect(seriesPatchOf(tuesdays, date, monday, 'later', now)).toEqual({ from: '2026-11-30', weekdays: [1] });
  // The first date moves to a day before the start of the series.
  const first = {
    ...date,
    start_time: '2026-11-24T18:00:00.000Z',
    end_time: '2026-11-24T19:30:00.000Z',
    slot_on: '2026-11-24',
  };
  const earlier = '2026-11-20T12:00:00.000Z';
  const patch = { start_time: '2026-11-23T18:00:00.000Z' };
  expect(seriesPatchOf(tuesdays, first, patch, 'all', earlier)).toEqual({ weekdays: [1] });
});

const monthly = (part: Partial<Rule>) => ({ ...tuesdays, starts_on: '2026-12-01', ...part });

test.each<[what: string, rule: Partial<Rule>, day: number, edit: object | undefined]>([
  ['changes the day of the month', { freq: 'monthly_day', weekdays: [], month_day: 1 }, 4, { month_day: 4 }],
  ['changes the weekday of the month', { freq: 'monthly_weekday', nth: 1 }, 9, { weekdays: [3], nth: 2 }],
  ['is not possible for a series on several weekdays', { weekdays: [2, 4] }, 3, undefined],
  ['a week later is not possible for a weekly series', {}, 8, undefined],
])('seriesPatchOf: a new day %s [SERIES-10]', (_, rule, day, edit) => {
  const later = seriesPatchOf(monthly(rule), date, at(day), 'later', now);
  expect(later).toEqual(edit && { ...edit, from: '2026-12-01' });
});

test('seriesPatchOf: an edit of a date that was moved applies from its day in the rule, and does not change the days of the rule [SERIES-10]', () => {
  const moved = { ...date, ...at(2), end_time: '2026-12-02T19:30:00.000Z' };
  const patch = { location_name: 'Hall' };
  expect(seriesPatchOf(tuesdays, moved, patch, 'later', now)).toEqual({ ...patch, from: '2026-12-01' });
});

test('seriesPatchOf: undefined if a break or the end of the series keeps the date from its new day [SERIES-10]', () => {
  const breaks = [{ first_on: '2026-12-03', last_on: '2026-12-03', name: 'Fair' }];
  expect(seriesPatchOf({ ...tuesdays, breaks }, date, at(3), 'later', now)).toBeUndefined();
  expect(seriesPatchOf({ ...tuesdays, ends_on: '2026-12-02' }, date, at(3), 'later', now)).toBeUndefined();
});
