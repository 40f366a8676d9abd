import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Instant } from '#wire/instant.ts';
import { Id, Ref, text } from '#wire/text.ts';

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
});
export type Update = z.infer<typeof Update>;

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
    input: z.object({ club: Ref, clubId: Ref.optional(), content: Content, pictures: Pictures.optional() }),
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
    output: z.array(Update),
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
    input: z.object({ club: Ref, update: Id }),
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
};
