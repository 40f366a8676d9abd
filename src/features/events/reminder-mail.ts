import { daysAway } from '#wire/format.ts';
import type { Instant } from '#wire/instant.ts';
import { look } from '#wire/look.ts';
import { wallTime } from '#wire/wall-time.ts';
import type { EventForReader } from '#features/events/notice-queries.ts';

/** The hour from which a start on the same day is 'tonight'. */
const evening = 18;

/** The day of the start, as seen from now in the zone of the reader. */
export function nearDay(
  { time_zone, start_time }: Pick<EventForReader, 'time_zone' | 'start_time'>,
  now: Instant,
) {
  const { timeZone = time_zone } = look();
  const days = daysAway(start_time, now, timeZone);
  if (days === 0)
    return wallTime(Date.parse(start_time), timeZone).getUTCHours() < evening ? 'today' : 'tonight';
  return days === 1 ? 'tomorrow' : 'later';
}
