import { z } from 'zod';
import { brief, paragraphsOf } from '#platform/mail/text.ts';
import { defineNotice } from '#platform/notices/notice.ts';
import { actorName, openClub, whyMember } from '#features/members/mail.ts';
import { clubsForMembers } from '#features/members/queries.ts';
import { t } from '#features/updates/notice-messages.ts';
import { contentsOf } from '#features/updates/queries.ts';

/** Sent to the members of a club about a new update. The email contains the text at the time of sending. */
export const clubUpdate = defineNotice({
  kind: 'club_update',
  setting: 'club_update',
  merge: ({ update_id }) => update_id,
  delay: 0,
  facts: z.object({ club_id: z.uuid(), update_id: z.uuid() }),
  async load(db, recipients) {
    const clubs = await clubsForMembers(db, recipients);
    const contents = await contentsOf(
      db,
      recipients.map(({ facts }) => facts.update_id),
    );
    return clubs.map((club, n) => club && { ...club, content: contents[n] ?? null });
  },
  applies: ({ content }) => content !== null,
  message: ({ club_name: club }, actor) => t('published', { actor: actorName(actor), club }),
  opens: ({ club_slug }) => ({ club_slug }),
  email: ({ club_name: club, club_slug, content }, { actor, config }) => ({
    subject: t('subject', { club, text: brief(content ?? '', 60) }),
    paragraphs: [t('published', { actor: actorName(actor), club }), ...paragraphsOf(content ?? '')],
    action: openClub(config, `/app/clubs/${club_slug}/updates`),
    why: whyMember(config, club),
  }),
});

export const notices = [clubUpdate];
