import { z } from 'zod';
import { endpoint, sharedEndpoint } from '#wire/endpoint.ts';
import { Instant } from '#wire/instant.ts';
import { Id, Ref, singleLine, text } from '#wire/text.ts';
import { EventCard, MoreEvents, ViewerCard } from '#features/events/contract.ts';
import { Member, MemberForAdmin, MoreMembers } from '#features/members/contract.ts';
import { Handover } from '#features/members/handover-contract.ts';
import { Update } from '#features/updates/contract.ts';
import { ClubRole, Language } from '#features/users/contract.ts';

const Meta = z.object({ website: z.string().nullable().optional() });

/** The page of a club as all members see it, without its events. */
export const SharedClub = z.object({
  id: Id,
  slug: z.string(),
  club_name: z.string(),
  club_description: z.string(),
  /** The language of link previews. */
  language: Language,
  /** Whether organisers plan events and publish updates. Null until an admin decides, which means no. */
  organisers_plan: z.boolean().nullable(),
  location_name: z.string().nullable(),
  meta: Meta,
  profile_picture_url: z.string().nullable(),
  profile_banner_url: z.string().nullable(),
  created_at: Instant,
  /** Incremented by every edit of the fields above. */
  version: z.int(),
  latest_update: Update.nullable(),
  member_count: z.int(),
  /** The first hundred members, ordered by role (admins first), then by name. */
  members: z.array(Member),
  more_members: MoreMembers,
});
export type SharedClub = z.infer<typeof SharedClub>;

/** The fields of a club that differ between viewers. */
export const ViewerClub = z.object({
  /** The viewer's secret for the calendar feed of this club. */
  ical_feed_url_id: z.string(),
  my_club_role: ClubRole,
  /** Whether the viewer plans events and publishes updates. */
  is_planner: z.boolean(),
  /** Whether the viewer gets only the emails and pushes of the club that are always sent. */
  muted: z.boolean(),
  /** When the viewer said that they have read the latest update. Null if they have not. */
  latest_update_read_at: Instant.nullable(),
  /** The first steps, shown to the founder of a new club while the founder is an admin. Null if they are not shown. */
  first_steps: z
    .object({
      /** Whether the club has an invite link. */
      invited: z.boolean(),
      calendar_added: z.boolean(),
    })
    .nullable(),
  /** Whether the viewer is the only admin of a club that needs another one: it has five members and is 14 days old. */
  needs_second_admin: z.boolean(),
  /** The open offer to hand over the club that the viewer got or made. */
  handover: Handover.nullable(),
});
export type ViewerClub = z.infer<typeof ViewerClub>;

/** The number of events of a club, and the cursors of the next pages of events. */
export const ClubEventLists = z.object({ event_count: z.int(), more_events: MoreEvents });

export const Club = SharedClub.extend({
  ...ClubEventLists.shape,
  ...ViewerClub.shape,
  /** The hundred events of each phase (upcoming, in progress and previous) that are nearest in time. */
  events: z.array(EventCard),
});
export type Club = z.infer<typeof Club>;

/** The numbers of rows that a server-rendered club page leaves out. The app requests these rows after the paint. */
export const LeftOut = z.object({
  left_out: z.object({ upcoming: z.int(), in_progress: z.int(), previous: z.int(), members: z.int() }),
});
/** A club as the app caches it. */
export type LoadedClub = Club & Partial<z.infer<typeof LeftOut>>;

/** The first hundred members, ordered by name. */
export const ClubMembersForAdmin = z.object({
  members_for_admin: z.array(MemberForAdmin),
  more_members_for_admin: MoreMembers,
});

export const ClubForAdmin = Club.extend(ClubMembersForAdmin.shape);
export type ClubForAdmin = z.infer<typeof ClubForAdmin>;

const viewer = { '': ViewerClub, events: ViewerCard };

/** The name of a club, as input. */
const NewName = singleLine(80).min(1);

export const ClubName = z.object({ id: Id, slug: z.string(), club_name: z.string() });

export const clubs = {
  setFirstSteps: endpoint({
    method: 'PUT',
    path: '/v1/clubs/:club/first-steps',
    input: z.object({ club: Ref, first_steps: z.literal('calendar_added').nullable() }),
    output: z.null(),
    errors: ['not_admin'],
    summary:
      "Record that the caller has added the club's calendar, or hide the first steps for good (admins)",
  }),
  create: endpoint({
    method: 'POST',
    path: '/v1/clubs',
    input: z.object({ club_name: NewName }),
    output: ClubName,
    creates: true,
    errors: ['too_many_clubs'],
    summary: 'Create a club; the user becomes its first admin',
  }),
  get: sharedEndpoint({
    path: '/v1/clubs/:club',
    input: z.object({ club: Ref }),
    output: Club,
    viewer,
    summary: 'A club with its members and events (members)',
  }),
  getForAdmin: sharedEndpoint({
    path: '/v1/clubs/admin/:club',
    input: z.object({ club: Ref }),
    output: ClubForAdmin,
    viewer,
    errors: ['not_admin'],
    summary: 'A club with the data about its members that only its admins may see',
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/v1/clubs/:club',
    input: z.object({
      club: Ref,
      clubId: Ref.optional(),
      club_name: NewName.optional(),
      club_description: text(2000).optional(),
      language: Language.optional(),
      organisers_plan: z.boolean().optional(),
      location_name: singleLine(200).nullable().optional(),
      meta: z.object({ website: text(300).nullable().optional() }).optional(),
    }),
    output: ClubName.extend({ version: z.int() }),
    versioned: true,
    errors: ['not_admin', 'ids_disagree'],
    summary: 'Change a club (admins)',
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/v1/clubs/:club',
    input: z.object({ club: Ref }),
    output: z.null(),
    errors: ['not_admin'],
    summary: 'Delete a club and everything in it, for good (admins)',
  }),
};
