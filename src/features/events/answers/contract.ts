import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Instant } from '#wire/instant.ts';
import { Cursor, Id, Ref, singleLine, text } from '#wire/text.ts';
import { Answer, Choice, LinkChoice } from '#features/events/choice-contract.ts';
import { Event } from '#features/events/contract.ts';
import { Attendee, AttendeeRole, PersonName } from '#features/events/people-contract.ts';
import { Recurrence, WhyUnreached } from '#features/events/time-contract.ts';
import { ListFile } from '#features/members/contract.ts';
import { nudgedLists } from '#features/notifications/contract.ts';
import { Reader } from '#features/users/contract.ts';

/** The viewer's answer and the counts of the event, after the call. */
export const AnswerState = Event.pick({
  my_answer: true,
  my_guests: true,
  my_place: true,
  my_role: true,
  must_confirm: true,
  user_count: true,
  guest_count: true,
  seats_left: true,
  waiting_count: true,
});

/** The response to an answer of the viewer. */
export const SavedAnswer = AnswerState.extend({
  /** The token that undoes this answer. It is accepted for a minute. Null if the call changed nothing. */
  undo_answer: z.string().nullable(),
});
export type SavedAnswer = z.infer<typeof SavedAnswer>;

/**
 * The lists that runners (the hosts and the club's planners) see: one for each answer, one of members without an answer,
 * one of members who have to confirm their answer, and one of members whom the last new time, new place or cancellation has not
 * reached.
 */
export const AnswerList = z.enum([...Answer.options, 'silent', 'unconfirmed', 'unreached']);
export type AnswerList = z.infer<typeof AnswerList>;

/** What a member answered, as the runners see it. */
export const MemberAnswer = PersonName.extend({
  id: Id,
  profile_picture_url: z.string().nullable(),
  /** Null for members who are not going. */
  attendee_role: AttendeeRole.nullable(),
  /** The sections of the club that the member belongs to. */
  section_ids: z.array(Id),
  guests: z.int(),
  note: z.string(),
  /** The reply to the question of the event. Empty without a question, and for members who do not come. */
  reply: z.string(),
  /** The rank on the waitlist. */
  place: z.int().nullable(),
  /** Whether others on the waitlist may get a seat first while this party does not fit. */
  lets_pass: z.boolean(),
  /** Whether a runner gave the member seats beyond the capacity. */
  over: z.boolean(),
  /** Null if the member has not answered. */
  answered_at: Instant.nullable(),
  /** When the answer, the guests, the note or the reply last changed. */
  changed_at: Instant.nullable(),
  /**
   * 'link': by a link in an email. 'runner': a planner or a host answered for the member. 'standing': their standing
   * answer to the series.
   */
  via: z.enum(['app', 'link', 'runner', 'standing']).nullable(),
  /** The runner who answered for the member. Null if nobody did, or if the runner's account is deleted. */
  answered_by: PersonName.nullable(),
  /** Why the last change has not reached the member, in the list of those. */
  why: WhyUnreached.nullable(),
  /** Whether the viewer may see the phone of the member. */
  can_call: z.boolean(),
});
export type MemberAnswer = z.infer<typeof MemberAnswer>;

/** What an answer link shows: the event and the member's answer, but no data of other people. */
export const LinkedAnswer = Event.pick({
  slug: true,
  name: true,
  owner_club_id: true,
  club_name: true,
  location_name: true,
  start_time: true,
  end_time: true,
  time_zone: true,
  my_role: true,
  my_answer: true,
  my_guests: true,
  my_place: true,
  seats_left: true,
  waiting_count: true,
}).extend({
  /** The first name of the member. */
  first_name: z.string(),
  /** The answers that the member may give now. */
  choices: z.array(Choice),
  /** How the event repeats. Null if it is not a date of a running series. */
  repeats: Recurrence.nullable(),
  /** The member's standing answer to the series. Null if there is none. */
  my_standing: z.enum(['going', 'no']).nullable(),
  /** The maximum number of guests that the member may bring now. */
  guests_max: z.int(),
  closed: z.boolean(),
  reader: Reader,
});
export type LinkedAnswer = z.infer<typeof LinkedAnswer>;

const Token = text(200).min(1);

const input = {
  event: Ref,
  answer: Choice,
  /** The default is the current number of guests. */
  guests: z.int().min(0).max(9).optional(),
  note: text(200).optional(),
  /** The reply to the question of the event: one of its choices, or any text if it has none. */
  reply: singleLine(200).optional(),
  /** Whether others on the waitlist may get a seat first while the party does not fit. */
  lets_pass: z.boolean().optional(),
};

/** Why the answer of a member can be refused, whether or not they are logged in. */
const ownAnswerErrors = [
  'too_many_guests',
  'host_stays',
  'event_cancelled',
  'event_closed',
  'event_ended',
  'time_open',
  'event_full',
  'no_seats_left',
] as const;

export const answers = {
  people: endpoint({
    method: 'GET',
    path: '/v1/events/:event/people',
    input: z.object({
      event: Ref,
      answer: Answer.exclude(['no']).default('going'),
      after: Cursor.optional(),
    }),
    output: z.object({ people: z.array(Attendee), more: z.string().nullable() }),
    errors: ['not_member'],
    summary:
      'A page of 100 people with the answer going, waiting or maybe, in the order of the event page, and the cursor of the next page (members)',
  }),
  list: endpoint({
    method: 'GET',
    path: '/v1/events/:event/answers',
    input: z.object({
      event: Ref,
      state: AnswerList.default('going'),
      /** Only the members of this section. */
      section: Id.optional(),
      after: Cursor.optional(),
    }),
    output: z.object({ answers: z.array(MemberAnswer), more: z.string().nullable() }),
    errors: ['not_member', 'not_runner'],
    summary:
      'A page of 100 members with one answer, without an answer or not reached by the last change, by place on the waitlist or by name, and the cursor of the next page (planners, hosts)',
  }),
  export: endpoint({
    method: 'POST',
    path: '/v1/events/:event/answers/export',
    input: z.object({ event: Ref }),
    output: ListFile,
    only: 200,
    needsData: true,
    maxWait: 0,
    unstored: true,
    errors: ['not_member', 'not_runner'],
    summary:
      'The answers of all members and of others who answered as a file in the language of the user, at most ten lists per person and hour (planners, host)',
  }),
  answerFor: endpoint({
    method: 'PUT',
    path: '/v1/events/:event/answers/:user',
    input: z.object({ ...input, user: Id, over: z.boolean().default(false) }),
    output: Event.pick({
      user_count: true,
      guest_count: true,
      seats_left: true,
      waiting_count: true,
    }).extend({
      answer: Answer,
      guests: z.int(),
      note: z.string(),
    }),
    only: 200,
    needsData: true,
    errors: [
      'not_member',
      'not_runner',
      'no_such_choice',
      'too_many_guests',
      'host_stays',
      'event_cancelled',
      'event_ended',
      'time_open',
      'event_full',
    ],
    summary:
      'Answer for a member, even after the cut-off and, with `over`, beyond the capacity; the member gets a notice (planners, hosts)',
  }),
  answer: endpoint({
    method: 'PUT',
    path: '/v1/events/:event/answer',
    input: z.object(input),
    output: SavedAnswer,
    needsData: true,
    errors: ['not_member', 'no_such_choice', ...ownAnswerErrors],
    summary: 'Answer an event, with a number of guests, a note and a reply to its question (members)',
  }),
  attend: endpoint({
    method: 'POST',
    path: '/v1/events/:event/attend',
    input: z.object({ event: Ref }),
    output: AnswerState,
    only: 200,
    needsData: true,
    errors: ['not_member', 'event_cancelled', 'event_closed', 'time_open', 'event_full', 'no_seats_left'],
    summary: 'Answer that the user is going to an event; joins the waitlist if no seat is free (members)',
  }),
  unattend: endpoint({
    method: 'POST',
    path: '/v1/events/:event/unattend',
    input: z.object({ event: Ref }),
    output: AnswerState,
    only: 200,
    needsData: true,
    errors: ['not_member', 'host_stays', 'event_ended', 'time_open'],
    summary: "Answer that the user can't go to an event (members who are no hosts)",
  }),
  undoAnswer: endpoint({
    method: 'POST',
    path: '/v1/events/:event/answer/undo',
    input: z.object({ event: Ref, undo: text(500).min(1) }),
    output: AnswerState,
    only: 200,
    needsData: true,
    errors: ['not_member', ...ownAnswerErrors, 'changed_meanwhile'],
    summary:
      "Undo the user's answer whose response contained this token, within a minute and unless it has changed since (members)",
  }),
  ofLink: endpoint({
    method: 'GET',
    path: '/v1/answer-links/:token',
    input: z.object({ token: Token }),
    output: LinkedAnswer,
    who: 'anyone',
    errors: ['event_cancelled', 'event_ended', 'time_open'],
    summary: 'The event and the current answer that a link in an email is about; changes nothing',
  }),
  answerByLink: endpoint({
    method: 'POST',
    path: '/v1/answer-links/:token',
    input: z.object({
      token: Token,
      /** 'every': the standing answer 'going' to the series of the event. */
      answer: LinkChoice.optional(),
      guests: input.guests,
      /** Undoes the answer whose response contained this token. Sent instead of `answer`. */
      undo: text(500).optional(),
    }),
    output: LinkedAnswer.extend({
      /** The token that undoes this answer. It is accepted for a minute. */
      undo: z.string().nullable(),
    }),
    who: 'anyone',
    only: 200,
    needsData: true,
    errors: [...ownAnswerErrors, 'series_ended', 'changed_meanwhile'],
    summary:
      'Answer the event or all dates of its series for the member to whom the link was sent, or undo that answer',
  }),
  replaceLinks: endpoint({
    method: 'POST',
    path: '/v1/users/answer-links/reset',
    input: z.object({}),
    output: z.null(),
    only: 200,
    summary: 'Invalidate the answer links in all emails that the user has got so far',
  }),
  nudge: endpoint({
    method: 'POST',
    path: '/v1/events/:event/nudge',
    input: z.object({
      event: Ref,
      to: z.enum(nudgedLists),
      /** Only the members of these sections. */
      section_ids: z.array(Id).max(30).default([]),
    }),
    output: z.object({ nudged: z.int() }),
    only: 200,
    needsData: true,
    maxWait: 0,
    errors: [
      'not_member',
      'not_runner',
      'event_cancelled',
      'event_closed',
      'event_ended',
      'time_open',
      'nudged_enough',
      'nudged_lately',
    ],
    summary:
      'Ask the members on a list for their answer, at most once a day and three times in total for each list (planners, hosts)',
  }),
  favourite: endpoint({
    method: 'POST',
    path: '/v1/events/:event/favourite',
    input: z.object({ event: Ref, favourite: z.boolean() }),
    output: z.object({ favourite: z.boolean() }),
    errors: ['not_member'],
    summary: 'Mark an event as a favourite, or remove the mark (members)',
  }),
  subscribe: endpoint({
    method: 'POST',
    path: '/v1/events/:event/subscribe',
    input: z.object({ event: Ref }),
    output: z.object({ subscribed: z.boolean() }),
    errors: ['not_member'],
    summary: 'Follow changes to an event without attending it (members)',
  }),
  unsubscribe: endpoint({
    method: 'POST',
    path: '/v1/events/:event/unsubscribe',
    input: z.object({ event: Ref }),
    output: z.object({ subscribed: z.boolean() }),
    summary: 'Stop following changes to an event; always allowed',
  }),
};
