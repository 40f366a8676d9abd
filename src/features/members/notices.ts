import { z } from 'zod';
import { defineNotice } from '#platform/notices/notice.ts';
import { actorName, groupOf, openClub, whyMember } from '#features/members/mail.ts';
import { t } from '#features/members/notice-messages.ts';
import { clubsForMembers } from '#features/members/queries.ts';
import { ClubRole } from '#features/users/contract.ts';

/** The roles as the messages name them. */
const roleNames = { 0: 'member', 100: 'organiser', 200: 'admin' } satisfies Record<ClubRole, string>;

/** Sent to a member whose role in a club changed. The email names the role that the member has when it is sent. */
export const roleChanged = defineNotice({
  kind: 'role_changed',
  setting: 'role_changed',
  merge: ({ club_id }) => club_id,
  delay: 5 * 60,
  facts: z.object({
    club_id: z.uuid(),
    role: ClubRole,
    before: z.object({ role: ClubRole }).partial().optional(),
  }),
  async load(db, recipients) {
    const clubs = await clubsForMembers(db, recipients);
    return clubs.map(
      (club, n) => club && { ...club, ...(recipients[n] as (typeof recipients)[number]).facts },
    );
  },
  applies: ({ club_role, before }) => club_role !== before?.role,
  message: ({ role, club_name: club }, actor) =>
    t('roleChanged', { actor: actorName(actor), role: roleNames[role], club }),
  opens: ({ club_slug }) => ({ club_slug }),
  email({ club_role, club_slug, ...found }, { actor, config }) {
    const [role, club] = [roleNames[club_role], found.club_name];
    return {
      subject: t('roleSubject', { role, club }),
      group: groupOf({ ...found, club_role, club_slug }),
      paragraphs: [t('roleChanged', { actor: actorName(actor), role, club })],
      action: openClub(config, `/app/clubs/${club_slug}`),
      why: whyMember(config, club),
    };
  },
});

/** Sent to a member whom an admin removed. The email withdraws the calendar files of the events in `before`. */
export const memberRemoved = defineNotice({
  kind: 'member_removed',
  setting: 'member_removed',
  isAlways: () => true,
  merge: ({ club_id }) => club_id,
  delay: 0,
  facts: z.object({
    club_id: z.uuid(),
    club_name: z.string(),
    before: z.record(z.string(), z.looseObject({})).optional(),
  }),
  load: async (_db, recipients) => recipients.map(({ facts }) => facts),
  message: ({ club_name: club }, actor) => t('removed', { actor: actorName(actor), club }),
  files: ({ before = {} }) => Object.values(before).map((event) => ({ event, as: 'withdrawn' })),
  email({ club_id: id, club_name: club, before = {} }, { actor }) {
    const n = Object.keys(before).length;
    return {
      subject: t('removedSubject', { club }),
      group: { id, name: club },
      paragraphs: [
        t('removed', { actor: actorName(actor), club }),
        ...(n > 0 ? [t('withdrawnFiles', { n })] : []),
      ],
      why: t('wasMember', { club }),
    };
  },
});

export const notices = [roleChanged, memberRemoved];
