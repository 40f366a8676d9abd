import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Ref } from '#wire/text.ts';
import { AttendeeRole } from '#features/events/contract.ts';

/** The viewer's role in the event after the call, and the number of attendees. */
const AttendanceState = z.object({ my_role: AttendeeRole.nullable(), user_count: z.int() });

export const attendance = {
  attend: endpoint({
    method: 'POST',
    path: '/v1/events/:event/attend',
    input: z.object({ event: Ref }),
    output: AttendanceState,
    only: 200,
    needsData: true,
    summary: 'Attend an event (members)',
  }),
  unattend: endpoint({
    method: 'POST',
    path: '/v1/events/:event/unattend',
    input: z.object({ event: Ref }),
    output: AttendanceState,
    only: 200,
    needsData: true,
    summary: 'Stop attending an event; its host cannot',
  }),
  favourite: endpoint({
    method: 'POST',
    path: '/v1/events/:event/favourite',
    input: z.object({ event: Ref, favourite: z.boolean() }),
    output: z.object({ favourite: z.boolean() }),
    summary: 'Mark an event as a favourite, or no longer (members)',
  }),
  subscribe: endpoint({
    method: 'POST',
    path: '/v1/events/:event/subscribe',
    input: z.object({ event: Ref }),
    output: z.object({ subscribed: z.boolean() }),
    summary: 'Follow changes to an event without attending it (members)',
  }),
  unsubscribe: endpoint({
    method: 'POST',
    path: '/v1/events/:event/unsubscribe',
    input: z.object({ event: Ref }),
    output: z.object({ subscribed: z.boolean() }),
    summary: 'Unfollow changes to an event; always allowed',
  }),
};
