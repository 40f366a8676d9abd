import { z } from 'zod';
import { defineNotice, type NoticeEmail } from '#platform/notices/notice.ts';
import { t } from '#features/invites/notice-messages.ts';
import { joinersOf } from '#features/invites/queries.ts';
import { actorName, lineFrom, senderOf, openClub, whyMember } from '#features/members/mail.ts';
import { role } from '#features/members/rules.ts';
import { clubsForMembers } from '#features/members/queries.ts';
import { fullName } from '#features/users/rules.ts';

const hour = 60 * 60;

/**
 * Sent to the admins of a club when somebody joins: the first email at once, and one email about everyone else who
 * joins within the hour. An admin gets at most one email a day about the same person, because anybody can leave and
 * rejoin in a loop.
 */
export const memberJoined = defineNotice({
  kind: 'member_joined',
  setting: 'member_joined',
  group: 'news',
  merge: ({ club_id }) => club_id,
  delay: 0,
  cooldown: hour,
  /** The keys of `before` are the ids of the new members, because merging emails merges these keys. */
  facts: z.object({ club_id: z.uuid(), before: z.record(z.uuid(), z.literal(true)).default({}) }),
  async load(db, recipients) {
    const [clubs, joiners] = [await clubsForMembers(db, recipients), await joinersOf(db, recipients)];
    return clubs.map((club, n) => club && { ...club, joiners: joiners[n] ?? [] });
  },
  applies: ({ club_role, joiners }) => club_role === role.admin && joiners.length > 0,
  isPushed: ({ club_role }) => club_role === role.admin,
  sender: (data) => senderOf(data),
  message: ({ club_name: club }, actor) => t('joined', { name: actorName(actor), club }),
  opens: ({ club_slug }) => ({ club_slug }),
  email({ joiners, ...found }, { config }) {
    const { club_name: club, club_slug } = found;
    return {
      sender: senderOf(found),
      ...inWords(joiners.map(fullName), club),
      action: openClub(config, `/app/clubs/${club_slug}`),
      why: whyMember(config, club),
    };
  },
  weekly: {
    facts: ({ club_id }, joiners) => ({
      club_id,
      before: Object.fromEntries(joiners.map((id) => [id, true as const])),
    }),
    line({ joiners, ...found }, { config }) {
      const from = lineFrom(config, found);
      return {
        ...from,
        text: inWords(joiners.map(fullName), found.club_name).subject,
        url: `${from.page}/members`,
      };
    },
  },
});

/** The number of people whose names are in the text. */
const maxNames = 20;

/** The subject names at most two people. The text lists the first 20. */
function inWords(names: readonly string[], club: string): Pick<NoticeEmail, 'subject' | 'paragraphs'> {
  const [first = '', second = ''] = names;
  if (names.length === 1) {
    const values = { name: first, club };
    return { subject: t('joinedSubject', values), paragraphs: [t('joined', values)] };
  }
  if (names.length === 2) {
    const values = { first, second, club };
    return { subject: t('twoJoinedSubject', values), paragraphs: [t('twoJoined', values)] };
  }
  const values = { first, second, n: names.length - 2, club };
  const more = names.length - maxNames;
  const list = [...names.slice(0, maxNames), ...(more > 0 ? [t('moreNames', { n: more })] : [])];
  return { subject: t('manyJoinedSubject', values), paragraphs: [t('manyJoined', values), list.join('\n')] };
}

export const notices = [memberJoined];
