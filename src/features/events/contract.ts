import { z } from 'zod';
import { Day } from '#wire/day.ts';
import { endpoint, sharedEndpoint } from '#wire/endpoint.ts';
import { Instant } from '#wire/instant.ts';
import { Cursor, Id, Ref, singleLine, text } from '#wire/text.ts';
import { TimeZone } from '#wire/time-zone.ts';
import { Answer } from '#features/events/choice-contract.ts';
import {
  description,
  editedEventFields,
  eventFieldOutputs,
  location_name,
  name,
  newEventFields,
  outputsForMembers,
} from '#features/events/field-contract.ts';
import { Attendee, AttendeeRole, Face, Host, PersonName } from '#features/events/people-contract.ts';
import { CalendarChange, OpenTime, Recurrence, Times, WhyUnreached } from '#features/events/time-contract.ts';
import { Nudges } from '#features/notifications/contract.ts';
import { Question } from '#features/events/question-contract.ts';
import { Message } from '#features/updates/contract.ts';

const schedule = {
  ...Times.shape,
  /** The cut-off: sign-up is closed from this time on. */
  entry_until_time: Instant,
  /** IANA name of the time zone in which the event takes place. */
  time_zone: z.string(),
};

/** The fields that a change affected. Texts are cut at 300 characters. */
export const ChangedFields = z.object({ ...eventFieldOutputs, ...schedule }).partial();
export type ChangedFields = z.infer<typeof ChangedFields>;

/** The reason that a planner can give for a change. */
export const Reason = z.enum(['weather', 'venue', 'illness', 'too_few', 'other']);
export type Reason = z.infer<typeof Reason>;

export const why = { reason: Reason.optional(), words: singleLine(200).optional() };

/** An entry in the history of an event. The names of deleted accounts are null. */
export const EventChange = z.object({
  id: Id,
  /** `host`: another first host. `host_added`, `host_removed`: one of the other hosts, or a host who stepped down. */
  kind: z.enum(['edit', 'cancelled', 'host', 'host_added', 'host_removed', 'decided']),
  changed_at: Instant,
  changed_by: PersonName.nullable(),
  /** The host whom a change of hosts is about. Null for other changes. */
  new_host: PersonName.nullable(),
  before: ChangedFields,
  after: ChangedFields,
  reason: Reason.nullable(),
  words: z.string(),
  asked_again: z.boolean(),
  undone_at: Instant.nullable(),
});
export type EventChange = z.infer<typeof EventChange>;

/** The only fields of an event that signed-in users may read without being members of its club. */
const preview = {
  id: Id,
  slug: z.string(),
  name,
  description,
  location_name,
  ...schedule,
  owner_club_id: Id,
  club_name: z.string(),
  user_count: z.int(),
  /** Set when the event is cancelled. */
  deleted_at: Instant.nullable(),
  /**
   * Whether members still vote on the time of the event. Until the poll is decided, the event starts at the earliest
   * offered time that has not passed.
   */
  polling: z.boolean(),
};
export const previewFields = Object.keys(preview) as (keyof typeof preview)[];

/** An event in a list, as all members see it; `faces` are its first five attendees. */
export const SharedCard = z.object({
  ...preview,
  /** The first host. Null for outsiders. */
  host: Host.nullable(),
  club_slug: z.string(),
  faces: z.array(Face),
  /** The number of guests of members who are going; `user_count` does not include guests. */
  guest_count: z.int(),
  /** The start and end before their last change. Screens show them until `until`. */
  moved_from: Times.extend({ until: Instant }).nullable(),
  /** Null if seats are not limited. */
  seats_left: z.int().nullable(),
  /** The number of members on the waitlist. */
  waiting_count: z.int(),
  /** What had changed when members were last asked to confirm their answers. */
  asked_about: z.enum(['time', 'place', 'event']).nullable(),
  /** The number of times on which members still can vote. 0 unless `polling`. */
  time_count: z.int(),
  /** The names of the sections that the event is for, in their order. Empty if it is for everybody. */
  section_names: z.array(z.string()),
  /** Null for outsiders, and for an event that does not repeat. */
  series: Recurrence.extend({ slug: z.string() }).nullable(),
});
export type SharedCard = z.infer<typeof SharedCard>;

/** The fields of a card that differ between viewers. */
export const ViewerCard = z.object({
  /** The viewer's role; null if they do not attend. */
  my_role: AttendeeRole.nullable(),
  /** Null if the viewer has not answered. */
  my_answer: Answer.nullable(),
  /** Whether the viewer answered before members were last asked to confirm, and has not confirmed since. */
  must_confirm: z.boolean(),
  /** Whether the viewer voted on the times of the event. False unless `polling`. */
  has_voted: z.boolean(),
  /** Whether the event is for everybody or for a section of the viewer. */
  is_for_me: z.boolean(),
  /** Other events that the viewer attends at the same time. */
  conflicting_events: z.array(z.object({ slug: z.string(), name: z.string() })),
});
export type ViewerCard = z.infer<typeof ViewerCard>;

export const EventCard = SharedCard.extend(ViewerCard.shape);
export type EventCard = z.infer<typeof EventCard>;

/** When an event takes place, relative to now. */
export const Phase = z.enum(['upcoming', 'in_progress', 'previous']);
export type Phase = z.infer<typeof Phase>;

/** The cursor of the next page; null if there is none. */
const more = z.string().nullable();

/** Cursors for the events that did not fit into the response. */
export const MoreEvents = z.object({ upcoming: more, in_progress: more, previous: more });

/** An event with everything about it, as all members see it. */
export const SharedEvent = SharedCard.omit({ club_slug: true, faces: true }).extend({
  ...outputsForMembers,
  /** Incremented by every change of the event itself. */
  version: z.int(),
  /** Incremented by every edit of its series. Null for an event that does not repeat. */
  series_version: z.int().nullable(),
  /** The first hundred attendees, starting with the hosts in their order. */
  attendees: z.array(Attendee),
  more_attendees: more,
  more_waiting: more,
  more_maybe: more,
  /** The first hundred members of the waitlist, in order. */
  waiting: z.array(Attendee),
  /**
   * The day that the rule of the series gave this event, even if the event was moved since. Null for an event that does
   * not repeat.
   */
  slot_on: Day.nullable(),
  /** The first hundred members who answered 'maybe'. */
  maybe: z.array(Attendee),
  maybe_count: z.int(),
  no_count: z.int(),
  /** The number of members whom the event is for and who have not answered. */
  silent_count: z.int(),
  /**
   * The members of each section that the event is for, or of all sections of the club if it is for everybody. A member of
   * two sections counts in both.
   */
  section_counts: z.array(
    z.object({ id: Id, name: z.string(), going: z.int(), maybe: z.int(), silent: z.int() }),
  ),
  ...Nudges.shape,
  /** The last twenty changes, newest first. */
  changes: z.array(EventChange),
});
export type SharedEvent = z.infer<typeof SharedEvent>;

/** The fields of an event that differ between viewers. */
export const ViewerEvent = ViewerCard.extend({
  /** The times that members vote on, the earliest first, with the viewer's votes. Empty unless `polling`. */
  times: z.array(OpenTime),
  /** Whether the answer comes from the viewer's standing answer to the series. */
  by_standing: z.boolean(),
  /** The last day of the viewer's absence, if the answer comes from it. */
  away_until: Day.nullable(),
  my_guests: z.int(),
  /** The viewer's rank on the waitlist, 1 for the first. */
  my_place: z.int().nullable(),
  /** Whether others on the waitlist may get a seat first while the viewer's party does not fit. */
  my_lets_pass: z.boolean(),
  /** The viewer's note to the hosts and the planners of the club. */
  my_note: z.string(),
  /** The viewer's reply to the question of the event. Empty without a question. */
  my_reply: z.string(),
  /** Whether the viewer marked the event as a favourite. */
  favourite: z.boolean(),
  /** Whether the viewer follows changes without attending. */
  subscribed: z.boolean(),
  /**
   * For runners (the hosts and the planners of the club), once members were asked to confirm: how many members with the answer
   * 'going', 'waiting' or 'maybe' have confirmed.
   */
  confirmed_count: z.int().nullable(),
  /**
   * For runners, until the event ends: how many calendars contain the event (`all`), and how many of them show its last
   * change of time or place, or its cancellation (`known`). Null if there is no such change or no such calendar.
   */
  calendars: z.object({ about: CalendarChange, known: z.int(), all: z.int() }).nullable(),
  /**
   * For runners, after a new time, a new place or a cancellation of the last 30 days, until the start: how many of the people whom
   * it has to reach it has reached, and how (`by`, from five people on). `missing`: up to five of the others by name, from ten
   * minutes after the change on.
   */
  reach: z
    .object({
      about: CalendarChange,
      all: z.int(),
      reached: z.int(),
      by: z
        .object({ answered: z.int(), seen: z.int(), calendar: z.int(), push: z.int(), email: z.int() })
        .nullable(),
      missing: z.array(PersonName.extend({ id: Id, why: WhyUnreached })).nullable(),
    })
    .nullable(),
  /**
   * For runners: how many people other than the viewer get a notice of a change, and how many more get one if the
   * notice is also sent to members who said no.
   */
  audience: z.object({ followers: z.int(), declined: z.int() }).nullable(),
  /**
   * For runners, if the event has a question: how many members who are going, waiting or said maybe gave each reply, in
   * the order of the choices. `reply` is null for all replies that are no choice, and empty for members without a reply.
   */
  reply_counts: z.array(z.object({ reply: z.string().nullable(), n: z.int() })).nullable(),
  /** For runners: when an answer of somebody else last changed, by answer. */
  list_changes: z.partialRecord(Answer, Instant).nullable(),
  /** The last change, while the viewer can undo it, and the seconds that are left for that. */
  undo: z.object({ change: Id, seconds: z.int() }).nullable(),
  /**
   * The twenty newest messages that the viewer may read, newest first: those to members with the viewer's answer, and
   * the viewer's own. Runners read all.
   */
  messages: z.array(Message),
  /** Questions to the hosts that the viewer may read: their own, and those whose answer is for everyone. Runners read all. */
  questions: z.array(Question),
});
export type ViewerEvent = z.infer<typeof ViewerEvent>;

export const Event = SharedEvent.extend(ViewerEvent.shape);
export type Event = z.infer<typeof Event>;

export const events = {
  attending: sharedEndpoint({
    path: '/v1/users/events',
    input: z.object({}),
    output: z.array(EventCard),
    viewer: { '': ViewerCard },
    summary:
      'Up to 200 events that have not ended and that the user attends or waits for, the earliest first',
  }),
  ofMyClubs: sharedEndpoint({
    path: '/v1/users/clubs/events',
    input: z.object({}),
    output: z.array(EventCard),
    viewer: { '': ViewerCard },
    summary: 'Up to 200 events that have not ended, from all clubs of the user, the earliest first',
  }),
  cards: endpoint({
    method: 'GET',
    path: '/v1/clubs/:club/events/card',
    input: z.object({ club: Ref }),
    output: z.array(z.object({ slug: z.string(), name: z.string(), location_name: z.string() })),
    summary: 'Up to 100 current and upcoming events of a club in brief, the earliest first (members)',
  }),
  ofClub: sharedEndpoint({
    path: '/v1/clubs/:club/events',
    input: z.object({
      club: Ref,
      phase: Phase.default('upcoming'),
      /** With a start or an end of a period, the list contains the events that start in it, whatever their phase. */
      from: Instant.optional(),
      until: Instant.optional(),
      /** 'mine': only events to which the user has answered 'going' or 'maybe', or for which they wait. */
      whose: z.enum(['all', 'mine']).default('all'),
      after: Cursor.optional(),
    }),
    output: z.object({ events: z.array(EventCard), more: z.string().nullable() }),
    viewer: { events: ViewerCard },
    summary:
      'A page of 100 events of a club, of one phase (the nearest in time first) or of a period (the earliest first), and the next cursor (members)',
  }),
  create: endpoint({
    method: 'POST',
    path: '/v1/clubs/:club/events',
    input: z.object({
      club: Ref,
      clubId: Ref.optional(),
      slug: text(100).optional(),
      ...newEventFields,
      ...Times.partial().shape,
      /** Sent instead of a start and an end: members vote on these times until `entry_until_time`. */
      times: z.array(Times).min(2).max(12).optional(),
      /** The default is the start, or the first of the offered starts. */
      entry_until_time: Instant.optional(),
      time_zone: TimeZone.optional(),
    }),
    output: z.object({ id: Id, slug: z.string(), name: z.string() }),
    creates: true,
    errors: ['not_admin', 'ids_disagree', 'starts_in_past', 'ends_before_start'],
    summary: 'Plan an event; its creator is its first host (planners)',
  }),
  get: sharedEndpoint({
    path: '/v1/events/:event',
    input: z.object({ event: Ref }),
    output: Event,
    viewer: { '': ViewerEvent },
    summary: 'One event: all of it for members of its club, a preview for others',
  }),
  edit: endpoint({
    method: 'PUT',
    path: '/v1/events/:event/edit/:club',
    // Strict: an unknown or read-only field is an error, not silently ignored.
    input: z.strictObject({
      event: Ref,
      club: Ref,
      ...editedEventFields,
      /** By default the duration stays, and the cut-off moves with the start. */
      ...Times.extend({ entry_until_time: Instant, time_zone: TimeZone }).partial().shape,
      /** Whether to send a notice. Must be true if the time or the place is new. */
      announce: z.boolean().default(true),
      ...why,
      /** Whether members who are going, waiting or said maybe have to confirm their answers. */
      ask_again: z.boolean().default(false),
    }),
    output: z.string(),
    creates: true,
    versioned: true,
    errors: [
      'not_admin',
      'not_member',
      'must_tell',
      'starts_in_past',
      'ends_in_past',
      'ends_before_start',
      'event_cancelled',
      'event_started',
      'event_ended',
      'time_open',
    ],
    summary: 'Change an event; returns its slug (planners)',
  }),
  undo: endpoint({
    method: 'POST',
    path: '/v1/events/:event/undo',
    input: z.object({ event: Ref, change: Id }),
    output: z.string(),
    creates: true,
    errors: ['not_admin', 'not_member', 'not_yours', 'too_late'],
    summary: "Undo an event's last change within a minute; returns the event's slug (author of the change)",
  }),
  cancel: endpoint({
    method: 'DELETE',
    path: '/v1/events/:event/cancel',
    input: z.object({ event: Ref, ...why }),
    output: z.object({ id: Id, slug: z.string(), deleted_at: Instant }),
    only: 200,
    needsData: true,
    errors: ['not_member', 'not_host', 'event_ended'],
    summary: 'Cancel an event for good (its hosts)',
  }),
};
