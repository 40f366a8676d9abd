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
