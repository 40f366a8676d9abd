import type { Attendee, Event } from '#features/events/contract.ts';

/** Milliseconds after a response during which further clicks are ignored. */
const repeatDelay = 1000;

/** State of the attend button; times are milliseconds of the same clock. */
export interface Pace {
  inFlight: boolean;
  answeredAt?: number;
}

/** Whether a click comes during a request or too soon after its response. */
export const isTooQuick = ({ inFlight, answeredAt = -Infinity }: Pace, now: number): boolean =>
  inFlight || now - answeredAt < repeatDelay;

/** The event as it looks after the viewer attends or unattends (optimistic update). */
export function withAttendance(event: Event, me: Omit<Attendee, 'attendee_role'>, going: boolean): Event {
  const others = event.attendees.filter((each) => each.attendee_id !== me.attendee_id);
  const attendees = going ? [...others, { ...me, attendee_role: 'attendee' as const }] : others;
  const delta = attendees.length - event.attendees.length;
  return { ...event, attendees, user_count: event.user_count + delta, my_role: going ? 'attendee' : null };
}
