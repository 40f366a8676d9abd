import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Ref, text } from '#wire/text.ts';
import { Answer, Event } from '#features/events/contract.ts';

/** The viewer's answer after the call, and how many are going. */
const AnswerState = Event.pick({
  my_answer: true,
  my_guests: true,
  my_role: true,
  user_count: true,
  guest_count: true,
});

export const answers = {
  answer: endpoint({
    method: 'PUT',
    path: '/v1/events/:event/answer',
    input: z.object({
      event: Ref,
      answer: Answer,
      /** The default is what the member said before. */
      guests: z.int().min(0).max(9).optional(),
      note: text(200).optional(),
    }),
    output: AnswerState,
    needsData: true,
    summary: 'Say whether one comes to an event, with how many guests, and why (members)',
  }),
  attend: endpoint({
    method: 'POST',
    path: '/v1/events/:event/attend',
    input: z.object({ event: Ref }),
    output: AnswerState,
    only: 200,
    needsData: true,
    summary: 'Answer that one is going to an event (members)',
  }),
  unattend: endpoint({
    method: 'POST',
    path: '/v1/events/:event/unattend',
    input: z.object({ event: Ref }),
    output: AnswerState,
    only: 200,
    needsData: true,
    summary: "Answer that one can't go to an event; its host cannot",
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
