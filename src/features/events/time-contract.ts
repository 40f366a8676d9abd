import { z } from 'zod';
import { Instant } from '#wire/instant.ts';
import { Id } from '#wire/text.ts';

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

/** A proposed time of an event, which members vote on. */
export const OpenTime = Times.extend({
  id: Id,
  yes_count: z.int(),
  if_needed_count: z.int(),
  no_count: z.int(),
  /** Whether this is the time that suits the most members. Times that have passed do not count. */
  is_best: z.boolean(),
  /** The first twenty voters: 'yes', then 'if_needed', then 'no', each in the order of voting. */
  voters: z.array(Voter),
  /** Cursor of the next voters; null if there are no more. */
  more_voters: z.string().nullable(),
  /** Null if the viewer has not voted. */
  my_vote: Vote.nullable(),
});
export type OpenTime = z.infer<typeof OpenTime>;
