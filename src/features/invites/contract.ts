import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Instant } from '#wire/instant.ts';
import { Id, Ref, singleLine } from '#wire/text.ts';

/** The only active invite link of a club; `invite_link` is the token in its URL. */
export const InviteLink = z.object({ id: Id, invite_link: z.string(), expires_at: Instant });
export type InviteLink = z.infer<typeof InviteLink>;

/**
 * The data of an active link that non-members see. It contains no location of an event, and no member's name except
 * that of the link's creator.
 */
export const Invite = z.object({
  id: Id,
  club_id: Id,
  club_name: z.string(),
  profile_picture_url: z.string().nullable(),
  profile_banner_url: z.string().nullable(),
  /** First name. Null if it is empty. */
  invited_by: z.string().nullable(),
  member_count: z.int(),
  /** The day of the next event in the event's time zone, such as '2026-06-21'. Null if no event is planned. */
  next_event_day: z.string().nullable(),
});
export type Invite = z.infer<typeof Invite>;

export const invites = {
  create: endpoint({
    method: 'POST',
    path: '/v1/invite-links',
    input: z.object({ club_id: Ref, if_none: z.boolean().optional() }),
    output: InviteLink,
    errors: ['not_admin', 'not_found'],
    summary:
      'Create a new invite link; the old link stops working. With `if_none`, the old link stays and is the response, even if it has expired (admins)',
  }),
  ofClub: endpoint({
    method: 'GET',
    path: '/v1/invite-links/club/:club',
    input: z.object({ club: Ref }),
    output: InviteLink,
    errors: ['not_admin'],
    summary: 'The invite link of a club (admins)',
  }),
  get: endpoint({
    method: 'GET',
    path: '/v1/invite-links/:invite',
    input: z.object({ invite: Ref }),
    output: Invite,
    who: 'anyone',
    summary: 'The club that an invite link leads to',
  }),
  join: endpoint({
    method: 'POST',
    path: '/v1/invite-links/join/:invite',
    input: z.object({
      invite: Ref,
      first_name: singleLine(60).optional(),
      last_name: singleLine(60).optional(),
    }),
    output: z.object({ id: Id, slug: z.string() }),
    errors: ['ejected'],
    summary: 'Join the club of an active link; a given name is stored only if the user has none yet',
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/v1/invite-links/:invite',
    input: z.object({ invite: Ref }),
    output: z.null(),
    errors: ['not_admin'],
    summary: 'Delete an invite link (admins)',
  }),
};
