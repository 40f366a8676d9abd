import { z } from 'zod';
import { brief, paragraphsOf } from '#platform/mail/text.ts';
import { defineNotice } from '#platform/notices/notice.ts';
import { actorName, groupOf, openClub, whyMember } from '#features/members/mail.ts';
import { clubsForMembers } from '#features/members/queries.ts';
import { pictureUrl } from '#wire/pictures.ts';
import type { UpdatePicture } from '#features/updates/contract.ts';
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
    return clubs.map((club, n) => club && { ...club, content: null, pictures: [], ...contents[n] });
  },
  applies: ({ content }) => content !== null,
  message: ({ club_name: club }, actor) => t('published', { actor: actorName(actor), club }),
  opens: ({ club_slug }) => ({ club_slug }),
  email({ content, pictures, ...found }, { actor, config }) {
    const { club_name: club, club_slug } = found;
    return {
      subject: t('subject', { club, text: brief(content ?? '', 60) }),
      group: groupOf(found),
      paragraphs: [
        t('published', { actor: actorName(actor), club }),
        ...paragraphsOf(content ?? '').map((written) => ({ written })),
      ],
      pictures: pictures.map((picture, n) => ({
        ...inColumn(picture),
        url: `${config.publicUrl}${pictureUrl(picture.name, 'update')}`,
        alt: t('picture', { n: n + 1 }),
      })),
      action: openClub(config, `/app/clubs/${club_slug}/updates`),
      why: whyMember(config, club),
    };
  },
});

/** The width of the text in an email, in pixels. */
const column = 518;

/** The size at which a picture fits into the column. */
function inColumn({ width, height }: Pick<UpdatePicture, 'width' | 'height'>) {
  const scale = Math.min(1, column / width);
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

export const notices = [clubUpdate];
