import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Email, Id, singleLine, text } from '#wire/text.ts';

export const ClubRole = z.union([z.literal(0), z.literal(100), z.literal(200)]);
export type ClubRole = z.infer<typeof ClubRole>;

/** A club as it stands in the list of one of its members. `users` is the number of members. */
export const ClubOfUser = z.object({
  id: Id,
  slug: z.string(),
  club_name: z.string(),
  profile_picture_url: z.string().nullable(),
  club_role: ClubRole,
  users: z.int(),
});
export type ClubOfUser = z.infer<typeof ClubOfUser>;

export const User = z.object({
  id: Id,
  email: z.string(),
  /** An address that waits for its confirmation; `email` stays in force until then. */
  pending_email: z.string().nullable(),
  user_name: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  profile_picture_url: z.string().nullable(),
  /** The secret of the personal calendar feed. */
  ical_feed_url_id: z.string(),
  clubs: z.array(ClubOfUser),
});
export type User = z.infer<typeof User>;

export const users = {
  me: endpoint({
    method: 'GET',
    path: '/v1/users',
    input: z.object({}),
    output: User,
    summary: 'The signed-in user, with the clubs they are in',
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/v1/users',
    input: z.object({
      user_name: singleLine(60).optional(),
      first_name: singleLine(60).optional(),
      last_name: singleLine(60).optional(),
      email: Email.optional(),
    }),
    output: User,
    summary: 'Change the own profile; a new e-mail address waits until it is confirmed',
  }),
  confirmEmail: endpoint({
    method: 'POST',
    path: '/v1/users/email',
    input: z.object({ code: text(64) }),
    output: User,
    summary: 'Put a new e-mail address into force with the code that was mailed to it',
  }),
};
