import { z } from 'zod';
import { Instant } from '#wire/instant.ts';
import { Id } from '#wire/text.ts';
import { PersonName } from '#features/events/people-contract.ts';

/** The limits as numbers, for the forms. */
export const maxQuestionLength = 500;
export const maxAnswerLength = 1000;

/** A question of a member to the hosts of an event. */
export const Question = z.object({
  id: Id,
  question: z.string(),
  asked_at: Instant,
  /** '' while nobody has answered. */
  answer: z.string(),
  answered_at: Instant.nullable(),
  /** Whether all members of the club see the question with its answer. */
  shared: z.boolean(),
  /** Incremented by every answer. */
  version: z.int(),
  is_mine: z.boolean(),
  /** For hosts and planners. */
  author: PersonName.nullable(),
});
export type Question = z.infer<typeof Question>;
