import type { Recurrence } from '#features/events/time-contract.ts';
import type { Rule } from '#features/events/series/contract.ts';

/** The days of a series: every Tuesday. */
export const weekly: Recurrence = { freq: 'weekly', every: 1, weekdays: [2], month_day: null, nth: null };

/** A series that starts in the far future: every Tuesday at 19:00 UTC. */
export const newSeries = {
  name: 'Night walk',
  location_name: 'North gate',
  freq: 'weekly' as const,
  weekdays: [2],
  local_time: '19:00',
  minutes: 60,
  starts_on: '2090-01-01',
};

/** A rule that starts on 24 November 2026: every Tuesday at 19:00 in Berlin. */
export const tuesdays: Rule = {
  ...weekly,
  local_time: '19:00',
  minutes: 90,
  time_zone: 'Europe/Berlin',
  starts_on: '2026-11-24',
  ends_on: null,
  count: null,
};
