import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Instant } from '#wire/instant.ts';
import { Id, text } from '#wire/text.ts';
import { Absence } from '#features/events/absences/contract.ts';
import { ClubName } from '#features/clubs/contract.ts';
import { Contact, Member } from '#features/members/contract.ts';
import { Afterwards } from '#features/members/handover-contract.ts';
import { LogDetails, LogKind } from '#features/members/log-contract.ts';
import { PaymentAccount } from '#features/payments/contract.ts';
import { ClubRole, User } from '#features/users/contract.ts';

/** The decision about a club whose only admin deletes their account. */
export const ClubChoice = z.union([
  z.object({ club: Id, successor: Id }),
  z.object({ club: Id, delete: z.literal(true) }),
]);
export type ClubChoice = z.infer<typeof ClubChoice>;

/** What deleting the account requires and which clubs it deletes. */
export const Deletion = z.object({
  /** Clubs whose only admin is the user. Each needs a choice; `members` has the first hundred other members. */
  need_choice: z.array(
    ClubName.extend({ other_count: z.int(), members: z.array(Member.omit({ section_ids: true })) }),
  ),
  /** Clubs without other members. They are deleted with the account. */
  go_along: z.array(ClubName),
});
export type Deletion = z.infer<typeof Deletion>;

export const EventName = z.object({ event_name: z.string(), club_name: z.string(), start_time: Instant });

/** Everything stored about the user, and nothing about other users. */
export const Export = z.object({
  made_at: Instant,
  profile: User.omit({ clubs: true, ical_feed_url_id: true }).extend({ created_at: Instant }),
  email_changes: z.array(
    z.object({
      old_email: z.string(),
      new_email: z.string(),
      requested_at: Instant,
      changed_at: Instant.nullable(),
    }),
  ),
  /** The rejections in a row of the current email. Null if there is none. */
  email_rejections: z.object({ rejections: z.int(), rejected_since: Instant }).nullable(),
  clubs: z.array(
    ClubName.extend({
      club_role: ClubRole,
      sections: z.array(z.string()),
      joined_at: Instant,
      ...Contact.shape,
      muted: z.boolean(),
    }),
  ),
  /** Entries in the logs of clubs about what the user did, or what an admin did to the user. */
  club_log: z.array(
    z.object({
      club_name: z.string(),
      at: Instant,
      kind: LogKind,
      actor: z.enum(['you', 'an admin', 'a member']),
      /** Whom the entry is about. Null if it is about the club. */
      person: z.enum(['you', 'an admin', 'a member']).nullable(),
      details: LogDetails,
    }),
  ),
  /** Open offers to hand over a club, which the user made or got. */
  handovers: z.array(
    z.object({
      club_name: z.string(),
      offer: z.enum(['made', 'received']),
      afterwards: Afterwards,
      until: Instant,
    }),
  ),
  removed_from: z.array(z.object({ club_name: z.string(), ejected_at: Instant })),
  invite_links: z.array(z.object({ club_name: z.string(), created_at: Instant, expires_at: Instant })),
  answers: z.array(
    EventName.extend({
      attendee_role: z.string(),
      answer: z.string(),
      guests: z.int(),
      note: z.string(),
      reply: z.string(),
      answered_at: Instant,
      /** When the user confirmed the answer because the event had changed. */
      confirmed_at: Instant.nullable(),
      /**
       * 'runner': the host or a planner of the club answered for the user; 'standing': the user's standing answer; 'away':
       * an absence of the user.
       */
      via: z.string(),
    }),
  ),
  /** The user's votes on the times of events whose time is not fixed yet. */
  votes: z.array(
    z.object({
      event_name: z.string(),
      club_name: z.string(),
      start_time: Instant,
      end_time: Instant,
      vote: z.string(),
      voted_at: Instant,
    }),
  ),
  absences: z.array(Absence.omit({ id: true })),
  standing_answers: z.array(
    z.object({
      event_name: z.string(),
      club_name: z.string(),
      repeats: z.string(),
      answer: z.string(),
      guests: z.int(),
      since: Instant,
    }),
  ),
  /** Whether the user came to an event, as recorded by its host or a planner of the club. */
  check_ins: z.array(EventName.extend({ came: z.boolean(), came_at: Instant })),
  /** The entries that the user added to lists of events, and the entries that the user claimed. */
  slots: z.array(
    EventName.extend({ kind: z.string(), title: z.string(), taken: z.int(), added: z.boolean() }),
  ),
  /** When the user's answers to events changed, including events that the user no longer attends. */
  answer_changes: z.array(EventName.extend({ changed_at: Instant })),
  /** Events whose calendar file was emailed to the user, and whether the file was an invitation. */
  calendar_files: z.array(EventName.extend({ invited: z.boolean() })),
  /** When each kind of calendar app last fetched each feed; `club_name` is null for the personal feed. */
  calendar_fetches: z.array(
    z.object({ club_name: z.string().nullable(), app: z.string(), fetched_at: Instant }),
  ),
  /** The user's changes to events, with the texts in which the user explained them. */
  event_changes: z.array(
    EventName.extend({
      kind: z.string(),
      changed_at: Instant,
      reason: z.string().nullable(),
      words: z.string(),
    }),
  ),
  favourites: z.array(EventName),
  subscriptions: z.array(EventName),
  /** Old addresses of calendar feeds; `club_name` is null for the personal feed and for deleted clubs. */
  retired_calendar_links: z.array(
    z.object({
      club_name: z.string().nullable(),
      retired_at: Instant,
      events: z.array(z.object({ id: Id, start_time: Instant, sequence: z.int() })),
    }),
  ),
  updates: z.array(
    z.object({
      club_name: z.string(),
      content: z.string(),
      created_at: Instant,
      edited_at: Instant.nullable(),
      /** The URLs of the pictures. */
      pictures: z.array(z.string()),
    }),
  ),
  /** Important updates that the user said they have read. */
  update_reads: z.array(
    z.object({
      club_name: z.string(),
      published_at: Instant,
      read_at: Instant,
      via: z.enum(['app', 'link']),
    }),
  ),
  /** The user's questions to hosts, with the answers. */
  questions: z.array(
    EventName.extend({
      question: z.string(),
      asked_at: Instant,
      answer: z.string(),
      answered_at: Instant.nullable(),
      shared: z.boolean(),
    }),
  ),
  /** The user's answers to questions of other members. */
  question_answers: z.array(
    EventName.extend({ answer: z.string(), answered_at: Instant, shared: z.boolean() }),
  ),
  /** The user's messages about events. */
  messages: z.array(
    EventName.extend({
      to: z.array(z.string()),
      content: z.string(),
      created_at: Instant,
      edited_at: Instant.nullable(),
      /** The URLs of the pictures. */
      pictures: z.array(z.string()),
    }),
  ),
  notifications: z.array(
    z.object({
      message: z.string(),
      created_at: Instant,
      seen_at: Instant.nullable(),
      actioned_at: Instant.nullable(),
    }),
  ),
  /** The outcomes of emails and pushes about notifications. */
  deliveries: z.array(
    z.object({
      kind: z.string(),
      channel: z.string(),
      state: z.string(),
      /** The codes of the mail server's reply. */
      code: z.string().nullable(),
      stated_at: Instant,
      created_at: Instant,
      settled_at: Instant.nullable(),
    }),
  ),
  notification_settings: z.record(z.string(), z.boolean()),
  feedback: z.array(z.object({ feedback: z.string(), created_at: Instant })),
  payment_account: PaymentAccount.nullable(),
  /** Sessions, and whether each gets notifications on its device. */
  sessions: z.array(
    z.object({ device: z.string(), created_at: Instant, used_at: Instant, has_push: z.boolean() }),
  ),
});
export type Export = z.infer<typeof Export>;

/** A code that `POST /v1/users/code` sent for this purpose. */
const FreshCode = text(64);

export const account = {
  deletion: endpoint({
    method: 'GET',
    path: '/v1/users/deletion',
    input: z.object({}),
    output: Deletion,
    summary: "What deleting the user's account requires and removes",
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/v1/users',
    input: z.object({ code: FreshCode, choices: z.array(ClubChoice).max(1000).default([]) }),
    output: z.null(),
    errors: ['wrong_code', 'choice_missing'],
    summary:
      "Delete the user's account for good, with a fresh code and a choice for each club that needs one",
  }),
  export: endpoint({
    method: 'POST',
    path: '/v1/users/export',
    input: z.object({ code: FreshCode }),
    output: Export,
    errors: ['wrong_code'],
    summary: 'Export all data that is stored about the user, at most once a day, with a fresh code',
  }),
};
