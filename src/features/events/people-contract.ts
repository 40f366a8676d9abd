import { z } from 'zod';
import { Id } from '#wire/text.ts';

export const AttendeeRole = z.enum(['organiser', 'attendee']);
export type AttendeeRole = z.infer<typeof AttendeeRole>;

/** An attendee in a list of events. */
export const Face = z.object({
  attendee_id: Id,
  attendee_role: AttendeeRole,
  first_name: z.string(),
  last_name: z.string(),
  profile_picture_url: z.string().nullable(),
});
export type Face = z.infer<typeof Face>;

export const Attendee = Face.extend({
  /** How many guests the member brings. */
  guests: z.int(),
});
export type Attendee = z.infer<typeof Attendee>;

export const Host = z.object({
  host_first_name: z.string(),
  host_last_name: z.string(),
  host_profile_picture_url: z.string().nullable(),
});

export const PersonName = z.object({ first_name: z.string(), last_name: z.string() });
