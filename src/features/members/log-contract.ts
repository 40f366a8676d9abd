import { z } from 'zod';
import { Instant } from '#wire/instant.ts';
import { Id } from '#wire/text.ts';
import { PersonName } from '#features/events/people-contract.ts';
import { Afterwards } from '#features/members/handover-contract.ts';
import { ClubRole } from '#features/users/contract.ts';

export const LogKind = z.enum([
  'founded',
  'role',
  'ejected',
  'link_made',
  'link_deleted',
  'settings',
  'sections',
  'export',
  'handover_offered',
  'handover_accepted',
  'handover_ended',
]);

/** The settings of a club, by the names of their fields. */
export const ClubSetting = z.enum([
  'club_name',
  'club_description',
  'language',
  'organisers_plan',
  'location_name',
  'website',
  'profile_picture_url',
  'profile_banner_url',
  'breaks',
]);
export type ClubSetting = z.infer<typeof ClubSetting>;

/** What changed in the sections of a club. */
export const SectionChange = z.enum(['added', 'renamed', 'ordered', 'removed', 'members']);
export type SectionChange = z.infer<typeof SectionChange>;

/** What an entry stores besides ids. It never contains a name, an email or the text of a field. */
export const LogDetails = z.object({
  /** The former and the new role. */
  role: z.object({ before: ClubRole, now: ClubRole }).optional(),
  /** The settings that changed. */
  fields: z.array(ClubSetting).optional(),
  sections: z.array(SectionChange).optional(),
  /** The list that was downloaded. */
  list: z.enum(['members']).optional(),
  /** What follows for the admin who hands over the club. */
  afterwards: Afterwards.optional(),
  /** Why an offer to hand over the club ended. */
  reason: z.enum(['withdrawn', 'declined']).optional(),
});

/** A person in the log. Only members have a name. */
export const PersonInLog = PersonName.extend({ is_member: z.boolean() });
export type PersonInLog = z.infer<typeof PersonInLog>;

export const LogEntry = z.object({
  id: Id,
  at: Instant,
  kind: LogKind,
  /** Who did it. Null if the account was deleted, or if the operator did it. */
  actor: PersonInLog.nullable(),
  /**
   * Whose role changed, who was ejected, or the other person of a hand-over. Null for other kinds, and if the account
   * was deleted.
   */
  person: PersonInLog.nullable(),
  details: LogDetails,
});
export type LogEntry = z.infer<typeof LogEntry>;
