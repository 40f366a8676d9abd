import { z } from 'zod';

/** The answer of a member to an event. 'waiting': on the waitlist. */
export const Answer = z.enum(['going', 'waiting', 'maybe', 'no']);
export type Answer = z.infer<typeof Answer>;

/** The answer that a member asks for. If no seat is free, members who choose 'going' join the waitlist. */
export const Choice = Answer.exclude(['waiting']);
export type Choice = z.infer<typeof Choice>;

/** What a link in an email can mark: an answer to the event, or 'going' to every date of its series. */
export const LinkChoice = z.enum([...Choice.options, 'every']);
export type LinkChoice = z.infer<typeof LinkChoice>;
