import { asJson, isoTimestamp, sql } from '#platform/db/client.ts';
import { includesDay } from '#wire/day.ts';
import { dateIn } from '#wire/wall-time.ts';
import type { Event } from '#features/events/contract.ts';

/** SQL: whether an absence may include the day of an event. The exact day depends on the zone of the event. */
export function around(event: string, absence: string) {
  const [e, a] = [sql.ref(event), sql.ref(absence)];
  return sql`${e}.start_time between ${a}.first_on - 2 and ${a}.last_on + 3`;
}

/** An event's start, and the absences of the viewer around it. */
export interface DaysAway extends Pick<Event, 'start_time' | 'time_zone'> {
  days: { first_on: string; last_on: string }[];
}

/** A `DaysAway` as JSON. */
export function absencesAround(event: string, viewer: string) {
  const e = sql.ref(event);
  return sql`json_build_object('start_time', ${isoTimestamp(`${event}.start_time`)}, 'time_zone', ${e}.time_zone, 'days', ${asJson(sql`
    select a.first_on, a.last_on from absences a
    where a.user_id = ${viewer} and ${around(event, 'a')}`)})`;
}

/** The last day of the absences on the day of the event. */
export function lastDayAway({ start_time, time_zone, days }: DaysAway): string | null {
  const day = dateIn(time_zone, start_time);
  const last = days.filter((each) => includesDay(each, day)).map((each) => each.last_on);
  return last.toSorted().at(-1) ?? null;
}
