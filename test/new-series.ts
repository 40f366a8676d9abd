import type { Rule } from '#features/events/series/contract.ts';

/** A series from a far day on: every Tuesday at 19:00 UTC. */
export const newSeries = {
  name: 'Night walk',
  location_name: 'North gate',
  freq: 'weekly' as const,
  weekdays: [2],
  local_time: '19:00',
  minutes: 60,
  starts_on: '2090-01-01',
};

/** A rule: every Tuesday at 19:00 in Berlin, from 24 November 2026 on. */
export const tuesdays: Rule = {
  freq: 'weekly',
  every: 1,
  weekdays: [2],
  month_day: null,
  nth: null,
  local_time: '19:00',
  minutes: 90,
  time_zone: 'Europe/Berlin',
  starts_on: '2026-11-24',
  ends_on: null,
  count: null,
};
