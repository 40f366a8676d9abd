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
