import { z } from 'zod';
import { languages } from '#languages/languages.ts';
import { endpoint } from '#wire/endpoint.ts';
import { Instant } from '#wire/instant.ts';
import { clocks } from '#wire/look.ts';
import { isPhone } from '#wire/phone.ts';
import { Email, Id, singleLine, text } from '#wire/text.ts';
import { TimeZone } from '#wire/time-zone.ts';

export const ClubRole = z.union([z.literal(0), z.literal(100), z.literal(200)]);
export type ClubRole = z.infer<typeof ClubRole>;

/** A club in the list of a member's clubs. `users` is the number of members. */
export const ClubOfUser = z.object({
  id: Id,
  slug: z.string(),
  club_name: z.string(),
  profile_picture_url: z.string().nullable(),
  club_role: ClubRole,
  /** Whether the user plans events and publishes updates of the club. */
  is_planner: z.boolean(),
  users: z.int(),
});
export type ClubOfUser = z.infer<typeof ClubOfUser>;

export const Language = z.enum(Object.keys(languages) as [keyof typeof languages]);
export const Clock = z.enum(clocks);

export const User = z.object({
  id: Id,
  email: z.string(),
  /** A new address that is not confirmed yet; `email` remains valid until then. */
  pending_email: z.string().nullable(),
  /** Whether the mail server of `email` says that there is no such address, for more than a day. */
  email_refused: z.boolean(),
  user_name: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  /** Empty if the user has entered none. Who sees it is chosen for each club. */
  phone: z.string(),
  profile_picture_url: z.string().nullable(),
  /** The secret of the personal calendar feed. */
  ical_feed_url_id: z.string(),
  /** Whether emails contain events as calendar invitations. Has no effect unless the operator offers them. */
  invites_by_mail: z.boolean(),
  language: Language,
  clock: Clock,
  /** The time zone that the user chose. Null follows that of the device. */
  time_zone: z.string().nullable(),
  /** The time zone of the device that opened the app last. */
  device_zone: z.string().nullable(),
  clubs: z.array(ClubOfUser),
});
export type User = z.infer<typeof User>;

/** How the member of a link in an email sees texts and times. The zone is the chosen one, or else that of the device. */
export const Reader = User.pick({ language: true, clock: true, time_zone: true });

/** An email change, as shown by the revert link that was sent to the old address. */
export const EmailChange = z.object({
  old_email: z.string(),
  new_email: z.string(),
  /** Whether the new address was confirmed. If so the link restores the old address, otherwise it stops the change. */
  is_changed: z.boolean(),
  /** Expiry of the link. */
  ends_at: Instant,
});
export type EmailChange = z.infer<typeof EmailChange>;

const RevertToken = z.object({ token: text(200) });

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
      /** Empty removes it. */
      phone: singleLine(30)
        .refine((phone) => phone === '' || isPhone(phone), 'Invalid phone')
        .optional(),
      email: Email.optional(),
      language: Language.optional(),
      clock: Clock.optional(),
      time_zone: TimeZone.nullable().optional(),
      device_zone: TimeZone.optional(),
      /** A code that `POST /v1/users/code` sent for an email change. Required only when `email` changes. */
      code: text(64).optional(),
    }),
    output: User,
    errors: ['code_missing', 'wrong_code'],
    summary:
      "Change the user's profile; a new email needs a fresh code and takes effect once it is confirmed",
  }),
  confirmEmail: endpoint({
    method: 'POST',
    path: '/v1/users/email',
    input: z.object({ code: text(64) }),
    output: User,
    errors: ['wrong_code', 'email_taken'],
    summary:
      'Confirm a new email with the short code, or the code in the link, that was mailed to it; other sessions end',
  }),
  emailChange: endpoint({
    method: 'GET',
    path: '/v1/users/email/revert/:token',
    input: RevertToken,
    output: EmailChange,
    who: 'anyone',
    summary: 'The email change that the link mailed to the old address would revert',
  }),
  revertEmail: endpoint({
    method: 'POST',
    path: '/v1/users/email/revert/:token',
    input: RevertToken,
    output: z.object({ email: z.string() }),
    who: 'anyone',
    errors: ['email_taken'],
    summary: 'Stop or revert an email change and end every session, with the link mailed to the old address',
  }),
};
