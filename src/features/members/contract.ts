import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Instant } from '#wire/instant.ts';
import { Cursor, Id, Ref, storableText } from '#wire/text.ts';
import { Afterwards } from '#features/members/handover-contract.ts';
import { LogEntry } from '#features/members/log-contract.ts';
import { ClubRole } from '#features/users/contract.ts';

export const Member = z.object({
  id: Id,
  first_name: z.string(),
  last_name: z.string(),
  profile_picture_url: z.string().nullable(),
  club_role: ClubRole,
  section_ids: z.array(Id),
});
export type Member = z.infer<typeof Member>;

/** A member as admins of the club see them. No other response contains another user's email address. */
export const MemberForAdmin = Member.extend({
  user_name: z.string(),
  email: z.string(),
  /** Whether emails to the member do not arrive, because there is no such address. */
  email_refused: z.boolean(),
  club_name: z.string(),
});
export type MemberForAdmin = z.infer<typeof MemberForAdmin>;

/** Who sees the phone of a member in a club. Hosts see it around an event to which the member is going (CONTACT-02). */
export const Contact = z.object({ phone_for: z.enum(['nobody', 'hosts', 'members']) });
export type Contact = z.infer<typeof Contact>;

/** A list as a file (CSV, UTF-8 with a byte order mark). */
export const ListFile = z.object({ file_name: z.string(), content: z.string() });
export type ListFile = z.infer<typeof ListFile>;

/** Cursor of the next page of members; null on the last page. */
export const MoreMembers = z.string().nullable();

const MemberFilter = z.object({
  club: Ref,
  q: storableText(100).default(''),
  /** Only the members of this section. */
  section: Id.optional(),
  after: Cursor.optional(),
});

export const members = {
  ofClub: endpoint({
    method: 'GET',
    path: '/v1/clubs/:club/members',
    input: MemberFilter,
    output: z.object({ members: z.array(Member), more: MoreMembers }),
    summary:
      'A page of up to a hundred members of a club or of one section whose names contain the words, admins first, and the cursor of the next page (members)',
  }),
  forAdmin: endpoint({
    method: 'GET',
    path: '/v1/clubs/admin/:club/members',
    input: MemberFilter,
    output: z.object({ members: z.array(MemberForAdmin), more: MoreMembers }),
    errors: ['not_admin'],
    summary:
      'A page of up to a hundred members of a club or of one section whose name or email contains the words, ordered by name, with the data that only admins may see (admins)',
  }),
  export: endpoint({
    method: 'POST',
    path: '/v1/clubs/:club/members/export',
    input: z.object({ club: Ref }),
    output: ListFile,
    only: 200,
    needsData: true,
    maxWait: 0,
    unstored: true,
    errors: ['not_admin'],
    summary:
      "All members of a club as a file in the language of the admin, at most ten lists per person and hour; the club's log gets an entry (admins)",
  }),
  log: endpoint({
    method: 'GET',
    path: '/v1/clubs/:club/log',
    input: z.object({ club: Ref, after: Cursor.optional() }),
    output: z.object({ entries: z.array(LogEntry), more: z.string().nullable() }),
    errors: ['not_admin'],
    summary:
      'A page of up to fifty entries of the log of a club, newest first: who changed roles, invite links and settings (admins)',
  }),
  leave: endpoint({
    method: 'PUT',
    path: '/v1/clubs/:club/leave',
    input: z.object({ club: Ref }),
    output: z.null(),
    only: 200,
    errors: ['only_admin_left'],
    summary: 'Leave a club and its upcoming events',
  }),
  eject: endpoint({
    method: 'PUT',
    path: '/v1/clubs/:club/eject/:member',
    input: z.object({ club: Ref, member: Id }),
    output: z.null(),
    only: 200,
    errors: ['not_admin', 'only_admin_left', 'not_yourself'],
    summary: 'Remove a member from a club (admins)',
  }),
  changeRole: endpoint({
    method: 'PATCH',
    path: '/v1/clubs/:club/role/:member',
    input: z.object({ club: Ref, member: Id, role: ClubRole }),
    output: z.null(),
    only: 200,
    errors: ['not_admin', 'only_admin_left'],
    summary: 'Make a member admin, organiser or member (admins)',
  }),
  offerHandover: endpoint({
    method: 'POST',
    path: '/v1/clubs/:club/handovers',
    input: z.object({ club: Ref, user_id: Id, afterwards: Afterwards }),
    output: z.object({ until: Instant }),
    creates: true,
    errors: ['not_admin', 'already_admin', 'too_often'],
    summary:
      'Offer to hand over a club to a member, who then becomes an admin; replaces the own earlier offer (admins)',
  }),
  withdrawHandover: endpoint({
    method: 'DELETE',
    path: '/v1/clubs/:club/handovers',
    input: z.object({ club: Ref }),
    output: z.null(),
    only: 200,
    errors: ['not_admin'],
    summary: 'Withdraw the own offer to hand over a club; without one, nothing changes (admins)',
  }),
  acceptHandover: endpoint({
    method: 'POST',
    path: '/v1/clubs/:club/handovers/:from/accept',
    input: z.object({ club: Ref, from: Id }),
    output: z.null(),
    creates: true,
    errors: ['offer_ended'],
    summary: 'Accept the offer of an admin to hand over a club (the member it was made to)',
  }),
  declineHandover: endpoint({
    method: 'POST',
    path: '/v1/clubs/:club/handovers/:from/decline',
    input: z.object({ club: Ref, from: Id }),
    output: z.null(),
    creates: true,
    errors: ['offer_ended'],
    summary: 'Decline the offer of an admin to hand over a club (the member it was made to)',
  }),
  contact: endpoint({
    method: 'GET',
    path: '/v1/clubs/:club/contact',
    input: z.object({ club: Ref }),
    output: Contact,
    summary: "Who sees the user's phone in a club (members)",
  }),
  setContact: endpoint({
    method: 'PUT',
    path: '/v1/clubs/:club/contact',
    input: Contact.extend({ club: Ref }),
    output: Contact,
    summary: "Choose who sees the user's phone in a club (members)",
  }),
  mute: endpoint({
    method: 'PUT',
    path: '/v1/clubs/:club/mute',
    input: z.object({ club: Ref, muted: z.boolean() }),
    output: z.object({ muted: z.boolean() }),
    summary: 'Get only the emails and pushes of a club that are always sent, or all again (members)',
  }),
  phone: endpoint({
    method: 'POST',
    path: '/v1/clubs/:club/members/:user/contact',
    input: z.object({ club: Ref, user: Id }),
    output: z.object({ phone: z.string() }),
    unstored: true,
    summary: 'The phone of a member who lets the user see it (members)',
  }),
};
