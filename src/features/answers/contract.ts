import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Instant } from '#wire/instant.ts';
import { Cursor, Id, Ref, text } from '#wire/text.ts';
import { Answer, AttendeeRole, Event } from '#features/events/contract.ts';

/** The viewer's answer after the call, and how many are going. */
const AnswerState = Event.pick({
  my_answer: true,
  my_guests: true,
  my_role: true,
  user_count: true,
  guest_count: true,
});

/** The lists of the organisers: one for each answer, and the members without one. */
export const AnswerList = z.enum([...Answer.options, 'silent']);
export type AnswerList = z.infer<typeof AnswerList>;

const Name = z.object({ first_name: z.string(), last_name: z.string() });

/** What a member answered, as the organisers see it. */
export const MemberAnswer = Name.extend({
  id: Id,
  profile_picture_url: z.string().nullable(),
  /** Null for those who are not going. */
  attendee_role: AttendeeRole.nullable(),
  guests: z.int(),
  note: z.string(),
  /** Null without an answer. */
  answered_at: Instant.nullable(),
  /** 'runner': an admin or the host answered for the member; 'standing': their standing answer to the series. */
  via: z.enum(['app', 'runner', 'standing']).nullable(),
  /** Who answered for the member, unless that account is deleted. */
  answered_by: Name.nullable(),
});
export type MemberAnswer = z.infer<typeof MemberAnswer>;

const input = {
  event: Ref,
  answer: Answer,
  /** The default is what the answer was before. */
  guests: z.int().min(0).max(9).optional(),
  note: text(200).optional(),
};

export const answers = {
  list: endpoint({
    method: 'GET',
    path: '/v1/events/:event/answers',
    input: z.object({ event: Ref, state: AnswerList.default('going'), after: Cursor.optional() }),
    output: z.object({ answers: z.array(MemberAnswer), more: z.string().nullable() }),
    summary:
      'A hundred members with one answer, in the order of their names, and where they go on (admins, host)',
  }),
  answerFor: endpoint({
    method: 'PUT',
    path: '/v1/events/:event/answers/:user',
    input: z.object({ ...input, user: Id }),
    output: Event.pick({ user_count: true, guest_count: true }).extend({
      answer: Answer,
      guests: z.int(),
      note: z.string(),
    }),
    only: 200,
    needsData: true,
    summary: 'Answer for a member, also after the cut-off; the member is told (admins, host)',
  }),
  answer: endpoint({
    method: 'PUT',
    path: '/v1/events/:event/answer',
    input: z.object(input),
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
