import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Instant } from '#wire/instant.ts';
import { Id, Ref, text } from '#wire/text.ts';
import { Reader, User } from '#features/users/contract.ts';

/** A picture of an update, with the size of its larger file. The files are `/v1/media/{name}-{800|1600}.webp`. */
export const UpdatePicture = z.object({ name: z.string(), width: z.int(), height: z.int() });
export type UpdatePicture = z.infer<typeof UpdatePicture>;

/** Maximum number of pictures of one update. */
export const maxPictures = 4;

/**
 * The fields about the creator are null if the creator has deleted their account. The UI shows 'System' as the author
 * of an update without a name.
 */
export const Update = z.object({
  id: Id,
  content: z.string(),
  created_at: Instant,
  /** The time of the last edit. */
  edited_at: Instant.nullable(),
  /** Incremented by every edit. */
  version: z.int(),
  creator_id: Id.nullable(),
  creator_first_name: z.string().nullable(),
  creator_last_name: z.string().nullable(),
  pictures: z.array(UpdatePicture),
  /** Whether members are asked to confirm that they have read it. Fixed when it is published; never true for messages. */
  important: z.boolean(),
});
export type Update = z.infer<typeof Update>;

/** An update in the list of a club. The counts are for planners, and only of important updates. */
export const ListedUpdate = Update.extend({
  /** When the viewer said that they have read it. */
  my_read_at: Instant.nullable(),
  read_count: z.int().optional(),
  reader_count: z.int().optional(),
});
export type ListedUpdate = z.infer<typeof ListedUpdate>;

/** A member who is asked to read an important update. `read_at` is null until they say that they have. */
export const UpdateReader = User.pick({
  id: true,
  first_name: true,
  last_name: true,
  profile_picture_url: true,
}).extend({ read_at: Instant.nullable() });
export type UpdateReader = z.infer<typeof UpdateReader>;

/** How many of the members who are asked have read an important update, and its reminders. */
export const ReadCounts = z.object({
  read_count: z.int(),
  reader_count: z.int(),
  /** The members whom the viewer can remind: those who have not read it, without the viewer. */
  others: z.int(),
  reminders: z.int(),
  reminded_at: Instant.nullable(),
});
export type ReadCounts = z.infer<typeof ReadCounts>;

export const UpdateReaders = ReadCounts.extend({
  /** Ordered by name, at most a hundred. */
  readers: z.array(UpdateReader),
  /** The cursor of the next page. */
  more: z.string().nullable(),
});
export type UpdateReaders = z.infer<typeof UpdateReaders>;

/** What the link in an email about an important update shows. */
export const LinkedUpdate = z.object({
  club_id: Id,
  club_name: z.string(),
  club_slug: z.string(),
  created_at: Instant,
  first_line: z.string(),
  my_read_at: Instant.nullable(),
  reader: Reader,
});
export type LinkedUpdate = z.infer<typeof LinkedUpdate>;

const OneUpdate = z.object({ club: Ref, update: Id });
const ByToken = z.object({ token: text(200).min(1) });

const Content = text(5000).min(1);

/** The lists of members that a message about an event can reach: by answer, or 'silent' without an answer. */
export const messageLists = ['going', 'waiting', 'maybe', 'silent'] as const;
export type MessageList = (typeof messageLists)[number];

export const maxMessageLength = 2000;

/** A message about an event. `to` is null for readers who cannot change it. */
export const Message = Update.extend({ to: z.array(z.enum(messageLists)).nullable() });
export type Message = z.infer<typeof Message>;

/** The names of uploaded pictures, in the order in which they are shown. */
const Pictures = z.array(text(100)).max(maxPictures);

export const updates = {
  publish: endpoint({
    method: 'POST',
    path: '/v1/updates/:club',
    input: z.object({
      club: Ref,
      clubId: Ref.optional(),
      content: Content,
      pictures: Pictures.optional(),
      important: z.boolean().optional(),
    }),
    output: Update,
    status: 201,
    only: 201,
    creates: true,
    errors: ['not_admin', 'ids_disagree', 'picture_gone'],
    summary: 'Publish an update to a club (planners)',
  }),
  ofClub: endpoint({
    method: 'GET',
    path: '/v1/updates/:club',
    input: z.object({ club: Ref }),
    output: z.array(ListedUpdate),
    summary: 'The updates of a club, newest first (members)',
  }),
  edit: endpoint({
    method: 'PATCH',
    path: '/v1/updates/:club/:update',
    input: z.object({ club: Ref, update: Id, content: Content.optional(), pictures: Pictures.optional() }),
    output: Update,
    versioned: true,
    errors: ['not_author', 'picture_gone'],
    summary:
      'Change the text or the pictures of an update (planners, and its author while they are a member), or of a message about an event (its author and hosts too)',
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/v1/updates/:club/:update',
    input: OneUpdate,
    output: z.null(),
    errors: ['not_author'],
    summary:
      'Delete an update with its pictures (planners, and its author while they are a member), or a message about an event (its author and hosts too)',
  }),
  sendMessage: endpoint({
    method: 'POST',
    path: '/v1/events/:event/messages',
    input: z.object({
      event: Ref,
      content: text(maxMessageLength).min(1),
      pictures: Pictures.optional(),
      to: z.array(z.enum(messageLists)).min(1).max(messageLists.length),
    }),
    /** `people` is the number of members to whom the message was sent. */
    output: z.object({ message: Message, people: z.int() }),
    status: 201,
    only: 201,
    creates: true,
    errors: ['not_member', 'not_runner', 'not_admin', 'message_closed', 'picture_gone'],
    summary:
      'Send a message about an event to members with these answers (planners, hosts); only planners write to members without an answer, and while a poll is open',
  }),
  read: endpoint({
    method: 'POST',
    path: '/v1/updates/:club/:update/read',
    input: OneUpdate,
    output: z.object({ my_read_at: Instant }),
    only: 200,
    needsData: true,
    errors: ['not_important'],
    summary: 'Confirm that the user has read an important update; the first time is kept (members)',
  }),
  readers: endpoint({
    method: 'GET',
    path: '/v1/updates/:club/:update/readers',
    input: OneUpdate.extend({
      state: z.enum(['read', 'unread']).default('read'),
      after: text(2000).optional(),
    }),
    output: UpdateReaders,
    errors: ['not_admin', 'not_important'],
    summary: 'Who has read an important update and who has not, a hundred per page (planners)',
  }),
  remind: endpoint({
    method: 'POST',
    path: '/v1/updates/:club/:update/remind',
    input: OneUpdate,
    output: z.object({ reminded: z.int() }),
    only: 200,
    needsData: true,
    maxWait: 0,
    errors: ['not_admin', 'not_important', 'reminded_enough', 'reminded_lately', 'everyone_read'],
    summary:
      'Remind the members who have not read an important update, at most once a day and three times (planners)',
  }),
  ofLink: endpoint({
    method: 'GET',
    path: '/v1/read-links/:token',
    input: ByToken,
    output: LinkedUpdate,
    who: 'anyone',
    summary: 'The update that a link in an email is about; changes nothing',
  }),
  readByLink: endpoint({
    method: 'POST',
    path: '/v1/read-links/:token',
    input: ByToken,
    output: LinkedUpdate,
    who: 'anyone',
    only: 200,
    needsData: true,
    summary: 'Confirm that the member to whom the link was sent has read the update',
  }),
};
