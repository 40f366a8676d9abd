import type { Attendee, Event } from '#features/events/contract.ts';

/** How long a viewer waits after one answer before the next click counts, in milliseconds. */
const repeatDelay = 1000;

/** The pace of somebody who attends and unattends; moments are milliseconds of one clock. */
export interface Pace {
  inFlight: boolean;
  answeredAt?: number;
}

/** Whether a click comes while a request is under way, or too soon after its answer. */
export const isTooQuick = ({ inFlight, answeredAt = -Infinity }: Pace, now: number): boolean =>
  inFlight || now - answeredAt < repeatDelay;

/** The event as it will look once the viewer attends it, or does no more. */
export function withAttendance(event: Event, me: Omit<Attendee, 'attendee_role'>, going: boolean): Event {
  const others = event.attendees.filter((each) => each.attendee_id !== me.attendee_id);
  const attendees = going ? [...others, { ...me, attendee_role: 'attendee' as const }] : others;
  const change = attendees.length - event.attendees.length;
  return { ...event, attendees, user_count: event.user_count + change, my_role: going ? 'attendee' : null };
}
