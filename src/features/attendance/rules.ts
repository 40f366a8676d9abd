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

type Shown = Pick<Event, 'my_role' | 'user_count'> & { attendees?: Attendee[]; faces?: Attendee[] };

/** The event, or its card, as it looks after the viewer attends or unattends (optimistic update). */
export function withAttendance<Known extends Shown>(
  event: Known,
  me: Omit<Attendee, 'attendee_role'>,
  going: boolean,
): Known {
  const withMe = (people: Attendee[]) => [
    ...people.filter((each) => each.attendee_id !== me.attendee_id),
    ...(going ? [{ ...me, attendee_role: 'attendee' as const }] : []),
  ];
  return {
    ...event,
    ...(event.attendees && { attendees: withMe(event.attendees) }),
    ...(event.faces && { faces: withMe(event.faces) }),
    user_count: event.user_count + Number(going) - Number(event.my_role !== null),
    my_role: going ? 'attendee' : null,
  };
}
