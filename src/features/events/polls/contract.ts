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
    summary: 'A hundred voters of a time of an event, yes first, and where they go on (members)',
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
    summary: 'Say which times of an event suit one; replaces earlier votes (members)',
  }),
  decide: endpoint({
    method: 'POST',
    path: '/v1/events/:event/decide',
    input: z.object({ event: Ref, time: Id }),
    output: Times.extend({ slug: z.string() }),
    only: 200,
    needsData: true,
    summary: 'Fix the time of an event: votes become answers, and the members are told (admins)',
  }),
};
