import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Id, Ref } from '#wire/text.ts';
import { Event } from '#features/events/contract.ts';
import { Face } from '#features/events/people-contract.ts';

/** The hosts of an event after the call, the first host first. */
const Hosts = z.object({ hosts: z.array(Face) });

export const hosts = {
  handOver: endpoint({
    method: 'PUT',
    path: '/v1/events/:event/host',
    input: z.object({ event: Ref, user_id: Id }),
    output: Event.pick({ host: true, my_role: true }),
    only: 200,
    needsData: true,
    errors: ['not_member', 'not_runner', 'event_cancelled', 'event_ended', 'too_often'],
    summary:
      'Make a member the first host of an event; the former first host stays going (planners, first host)',
  }),
  add: endpoint({
    method: 'PUT',
    path: '/v1/events/:event/hosts/:user',
    input: z.object({ event: Ref, user: Id }),
    output: Hosts,
    only: 200,
    needsData: true,
    errors: ['not_member', 'not_runner', 'event_cancelled', 'event_ended', 'too_many_hosts', 'too_often'],
    summary: 'Make a member one of up to six hosts of an event (planners, first host)',
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/v1/events/:event/hosts/:user',
    input: z.object({ event: Ref, user: Id }),
    output: Hosts,
    only: 200,
    needsData: true,
    errors: ['not_member', 'not_runner', 'event_cancelled', 'event_ended', 'last_host', 'too_often'],
    summary: 'Remove a host of an event, who stays going (planners, first host, the host themselves)',
  }),
};
