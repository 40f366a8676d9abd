import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Cursor, Id, Ref } from '#wire/text.ts';
import { OpenTime, Times, Vote, Voter } from '#features/events/time-contract.ts';

export const polls = {
  voters: endpoint({
    method: 'GET',
    path: '/v1/events/:event/times/:time/voters',
    input: z.object({ event: Ref, time: Id, after: Cursor.optional() }),
    output: z.object({ voters: z.array(Voter), more: z.string().nullable() }),
    errors: ['not_member'],
    summary:
      'A page of 100 voters on one time of an event, first those who voted yes, and the cursor of the next page (members)',
  }),
  vote: endpoint({
    method: 'PUT',
    path: '/v1/events/:event/votes',
    input: z.object({
      event: Ref,
      /** One vote for each time that has not passed. */
      votes: z
        .array(z.object({ time: Id, vote: Vote }))
        .min(1)
        .max(12),
    }),
    output: z.object({ times: z.array(OpenTime) }),
    only: 200,
    needsData: true,
    errors: ['not_member', 'event_cancelled', 'event_closed'],
    summary: 'Vote on the times of an event; replaces earlier votes of the user (members)',
  }),
  decide: endpoint({
    method: 'POST',
    path: '/v1/events/:event/decide',
    input: z.object({ event: Ref, time: Id }),
    output: Times.extend({ slug: z.string() }),
    only: 200,
    needsData: true,
    errors: ['not_admin', 'not_member', 'starts_in_past', 'event_cancelled', 'event_ended', 'time_fixed'],
    summary: 'Fix the time of an event: votes become answers, and the members get a notice (planners)',
  }),
};
