import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Cursor, Id, Ref, storableText } from '#wire/text.ts';
import { Answer } from '#features/events/choice-contract.ts';
import { Member } from '#features/members/contract.ts';

/** The maximum number of people in one call. */
const maxUsers = 200;

export const CheckIn = z.object({
  user_id: Id,
  /** Null if nobody has checked them in or marked them as absent. */
  came: z.boolean().nullable(),
});
export type CheckIn = z.infer<typeof CheckIn>;

const Person = Member.omit({ club_role: true, section_ids: true });

/** A person in the check-in list of an event. */
export const Expected = Person.extend({
  /** Null if the person has not answered. */
  answer: Answer.nullable(),
  guests: z.int(),
  came: z.boolean().nullable(),
  /** Whether the viewer may see the phone of the person. */
  can_call: z.boolean(),
});
export type Expected = z.infer<typeof Expected>;

/** How often a member came to the events of a club in the last twelve months. */
export const Attendance = Person.extend({
  /** Events to which their final answer was 'going'. */
  going: z.int(),
  came: z.int(),
  /** Events to which they answered 'no' after the cut-off. */
  late_no: z.int(),
  not_come: z.int(),
});
export type Attendance = z.infer<typeof Attendance>;

export const checkins = {
  list: endpoint({
    method: 'GET',
    path: '/v1/events/:event/came',
    input: z.object({ event: Ref, q: storableText(200).default(''), after: Cursor.optional() }),
    output: z.object({ people: z.array(Expected), more: z.string().nullable() }),
    errors: ['not_member', 'not_runner'],
    summary:
      'A page of 100 people in the order of their names: those who are going or checked in, or, with `q`, the members whose names contain all words of `q` (planners, host)',
  }),
  save: endpoint({
    method: 'PUT',
    path: '/v1/events/:event/came',
    input: z.object({ event: Ref, users: z.array(CheckIn).min(1).max(maxUsers) }),
    output: z.object({ users: z.array(CheckIn) }),
    needsData: true,
    errors: ['not_member', 'not_runner', 'event_cancelled', 'check_in_closed'],
    summary:
      'Record who was there, from two hours before the start to 14 days after the end; the response contains what is recorded now, and leaves out people who are not in the club (planners, host)',
  }),
  attendance: endpoint({
    method: 'GET',
    path: '/v1/clubs/:club/attendance',
    input: z.object({ club: Ref, after: Cursor.optional() }),
    output: z.object({ members: z.array(Attendance), more: z.string().nullable() }),
    summary:
      "How often members came in the last twelve months: a page of 100 members in the order of their names (admins), or only the user's own row (members)",
  }),
};
