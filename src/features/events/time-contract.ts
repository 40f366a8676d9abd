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

/** Weekly on some weekdays, monthly on a day such as the 24th, or monthly on a weekday such as the last Tuesday. */
export const Frequency = z.enum(['weekly', 'monthly_day', 'monthly_weekday']);
export type Frequency = z.infer<typeof Frequency>;

/** The days of a series. */
export const Recurrence = z.object({
  freq: Frequency,
  /** The interval in weeks or months. */
  every: z.int().min(1).max(12),
  /** ISO numbers: 1 is Monday. */
  weekdays: z.array(z.int().min(1).max(7)).max(7),
  /** In a month without that day, the date is on the last day. */
  month_day: z.int().min(1).max(31).nullable(),
  /** Which of these weekdays in the month: the first to fourth, or the last one (-1). */
  nth: z
    .int()
    .min(-1)
    .max(4)
    .refine((nth) => nth !== 0, 'must not be 0')
    .nullable(),
});
export type Recurrence = z.infer<typeof Recurrence>;

/** Why a change has not reached somebody: every email about it was refused or failed, or one is still to be sent. */
export const WhyUnreached = z.enum(['not_delivered', 'on_its_way']);
export type WhyUnreached = z.infer<typeof WhyUnreached>;

/** The kinds of changes that calendars show. A member's calendar shows them after its next fetch. */
export const CalendarChange = z.enum(['time', 'place', 'cancelled']);
