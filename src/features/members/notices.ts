import { z } from 'zod';
import { shortDay } from '#wire/format.ts';
import { defineNotice, type NoticeActor, type NoticeTarget } from '#platform/notices/notice.ts';
import { actorName, senderOf, openClub, whyMember } from '#features/members/mail.ts';
import { t } from '#features/members/notice-messages.ts';
import { Afterwards } from '#features/members/handover-contract.ts';
import { offersFor } from '#features/members/handover-queries.ts';
import { clubsForMembers } from '#features/members/queries.ts';
import { ClubRole } from '#features/users/contract.ts';

/** The roles as the messages name them. */
const roleNames = { 0: 'member', 100: 'organiser', 200: 'admin' } satisfies Record<ClubRole, string>;

/** Sent to a member whose role in a club changed. The email names the role that the member has when it is sent. */
export const roleChanged = defineNotice({
  kind: 'role_changed',
  setting: 'role_changed',
  group: 'now',
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
  sender: (data) => senderOf(data),
  message: ({ role, club_name: club }, actor) =>
    t('roleChanged', { actor: actorName(actor), role: roleNames[role], club }),
  opens: ({ club_slug }) => ({ club_slug }),
  email({ club_role, club_slug, ...found }, { actor, config }) {
    const [role, club] = [roleNames[club_role], found.club_name];
    return {
      subject: t('roleSubject', { role, club }),
      sender: senderOf({ ...found, club_role, club_slug }),
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
  group: 'always',
  merge: ({ club_id }) => club_id,
  delay: 0,
  facts: z.object({
    club_id: z.uuid(),
    club_name: z.string(),
    before: z.record(z.string(), z.looseObject({})).optional(),
  }),
  load: async (_db, recipients) => recipients.map(({ facts }) => facts),
  sender: ({ club_id: id, club_name: name }) => ({ id, name }),
  message: ({ club_name: club }, actor) => t('removed', { actor: actorName(actor), club }),
  files: ({ before = {} }) => Object.values(before).map((event) => ({ event, as: 'withdrawn' })),
  email({ club_id: id, club_name: club, before = {} }, { actor }) {
    const n = Object.keys(before).length;
    return {
      subject: t('removedSubject', { club }),
      sender: { id, name: club },
      paragraphs: [
        t('removed', { actor: actorName(actor), club }),
        ...(n > 0 ? [t('withdrawnFiles', { n })] : []),
      ],
      why: t('wasMember', { club }),
    };
  },
});

/** Sent to a member to whom an admin offers to hand over a club. It is gone as soon as the offer has ended. */
export const handoverOffered = defineNotice({
  kind: 'handover',
  setting: 'role_changed',
  group: 'always',
  merge: ({ club_id }) => club_id,
  delay: 0,
  facts: z.object({
    club_id: z.uuid(),
    offer: z.uuid(),
    /** Whether the member got an email about an offer of this club in the last 7 days. Then this one is not sent. */
    before: z.object({ hadEmail: z.boolean() }).partial().optional(),
  }),
  async load(db, recipients) {
    const [clubs, offers] = [await clubsForMembers(db, recipients), await offersFor(db, recipients)];
    return clubs.map((club, n) => {
      const offer = offers[n];
      return club && offer ? { ...club, ...offer, before: recipients[n]?.facts.before } : null;
    });
  },
  applies: ({ until, before }, now) => until > now && !before?.hadEmail,
  sender: (data) => senderOf(data),
  message: ({ club_name: club }, actor) => t('handoverOffered', { actor: actorName(actor), club }),
  opens: ({ club_slug }) => ({ club_slug }),
  email({ until, afterwards, ...found }, { actor, config }) {
    const values = { actor: actorName(actor), club: found.club_name };
    return {
      subject: t('handoverSubject', values),
      sender: senderOf(found),
      paragraphs: [
        t('handoverOffered', values),
        t('handoverMeans', { ...values, afterwards }),
        t('handoverUntil', { day: shortDay(until) }),
      ],
      action: openClub(config, `/app/clubs/${found.club_slug}`),
      why: `${whyMember(config, found.club_name)} ${t('handoversAlways')}`,
    };
  },
});

/** Sent to the admin whose offer was accepted or declined, who may have left the club by its acceptance. */
export const handoverAnswered = defineNotice({
  kind: 'handover_answered',
  setting: 'role_changed',
  group: 'always',
  merge: ({ offer }) => offer,
  delay: 0,
  facts: z.object({
    club_id: z.uuid(),
    club_name: z.string(),
    offer: z.uuid(),
    answer: z.enum(['accepted', 'declined']),
    afterwards: Afterwards,
  }),
  async load(db, recipients) {
    const clubs = await clubsForMembers(db, recipients);
    return recipients.map(({ facts }, n) => ({ ...facts, club: clubs[n] ?? null }));
  },
  sender: ({ club, club_id: id, club_name: name }) => (club ? senderOf(club) : { id, name }),
  message: (data, actor) => answerText(data, actor),
  opens: ({ club }): NoticeTarget => (club ? { club_slug: club.club_slug } : {}),
  email({ club_id, club, ...data }, { actor, config }) {
    const { answer, afterwards } = data;
    const club_name = club?.club_name ?? data.club_name;
    const values = { club: club_name, afterwards };
    return {
      subject: t('answeredSubject', { actor: actorName(actor), answer }),
      sender: club ? senderOf(club) : { id: club_id, name: club_name },
      paragraphs: [
        answerText({ club, ...data }, actor),
        ...(answer === 'accepted' ? [t('handedOver', values)] : []),
      ],
      ...(club && { action: openClub(config, `/app/clubs/${club.club_slug}`) }),
      why: `${club ? whyMember(config, club_name) : t('wasMember', values)} ${t('handoversAlways')}`,
    };
  },
});

interface AnsweredOffer {
  club: { club_name: string } | null;
  club_name: string;
  answer: 'accepted' | 'declined';
}

const answerText = ({ club, club_name, answer }: AnsweredOffer, actor: NoticeActor) =>
  t('handoverAnswered', { actor: actorName(actor), answer, club: club?.club_name ?? club_name });

export const notices = [roleChanged, memberRemoved, handoverOffered, handoverAnswered];
