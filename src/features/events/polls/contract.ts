import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Instant } from '#wire/instant.ts';
import { Cursor, Id, Ref } from '#wire/text.ts';

// Imports nothing of events, whose contract imports this.

export const Times = z.object({ start_time: Instant, end_time: Instant });

/** Whether a time suits a member. */
export const Vote = z.enum(['yes', 'if_needed', 'no']);
export type Vote = z.infer<typeof Vote>;

export const Voter = z.object({
  attendee_id: Id,
  first_name: z.string(),
  last_name: z.string(),
  profile_picture_url: z.string().nullable(),
  vote: Vote,
});
export type Voter = z.infer<typeof Voter>;

/** A time that an event may have. */
export const OpenTime = Times.extend({
  id: Id,
  yes_count: z.int(),
  if_needed_count: z.int(),
  no_count: z.int(),
  /** Whether it suits the most members of all times to come. */
  is_best: z.boolean(),
  /** The first twenty: those who said yes, then the others, each in the order of voting. */
  voters: z.array(Voter),
  /** Cursor of the next voters; null if there are no others. */
  more_voters: z.string().nullable(),
  /** Null if the viewer has not voted. */
  my_vote: Vote.nullable(),
});
export type OpenTime = z.infer<typeof OpenTime>;

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
      /** One for each time that has not passed. */
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
