import { z } from 'zod';
import { brief } from '#platform/mail/text.ts';
import { defineNotice } from '#platform/notices/notice.ts';
import type { Config } from '#platform/config.ts';
import { clubOf, dayOf, emailAbout, written } from '#features/events/mail.ts';
import { withEvents } from '#features/events/notice-queries.ts';
import { aboutEvent, namesIn, opensEvent } from '#features/events/notices.ts';
import { actorName, senderOf, openClub, whyMember } from '#features/members/mail.ts';
import { clubsForMembers } from '#features/members/queries.ts';
import { pictureUrl } from '#wire/pictures.ts';
import type { UpdatePicture } from '#features/updates/contract.ts';
import { t } from '#features/updates/notice-messages.ts';
import { contentsOf } from '#features/updates/queries.ts';

/** Sent to the members of a club about a new update. The email contains the text at the time of sending. */
export const clubUpdate = defineNotice({
  kind: 'club_update',
  setting: 'club_update',
  group: 'news',
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
  sender: (data) => senderOf(data),
  message: ({ club_name: club }, actor) => t('published', { actor: actorName(actor), club }),
  opens: ({ club_slug }) => ({ club_slug }),
  email({ content, pictures, ...found }, { actor, config }) {
    const { club_name: club, club_slug } = found;
    return {
      subject: t('subject', { club, text: brief(content ?? '', 60) }),
      sender: senderOf(found),
      paragraphs: [t('published', { actor: actorName(actor), club }), ...written(content ?? '')],
      pictures: inEmail(config, pictures),
      action: openClub(config, `/app/clubs/${club_slug}/updates`),
      why: whyMember(config, club),
    };
  },
});

/**
 * Sent to the members whom a message about an event reaches. The email contains the text at the time of sending. The app
 * does not show the text, because its reader may have another answer by then.
 */
export const eventMessage = defineNotice({
  kind: 'event_message',
  setting: 'event_message',
  group: 'now',
  merge: ({ post_id }) => post_id,
  delay: 0,
  facts: aboutEvent.extend({ post_id: z.uuid() }),
  async load(db, recipients) {
    const found = await withEvents(db, recipients);
    const contents = await contentsOf(
      db,
      recipients.map(({ facts }) => facts.post_id),
    );
    return found.map((each, n) => each && { ...each, content: null, pictures: [], ...contents[n] });
  },
  applies: ({ content }) => content !== null,
  sender: ({ event }) => clubOf(event),
  message: ({ event, content }, actor) =>
    content === null ? undefined : t('messageSent', namesIn(event, actor)),
  opens: (data) => opensEvent(data),
  email({ event, content, pictures }, context) {
    const text = brief(content ?? '', 60);
    return {
      ...emailAbout(event, context, {
        // The day of a poll is not known yet.
        subject: event.polling
          ? t('pollMessageSubject', { event: event.name, text })
          : t('messageSubject', { event: event.name, day: dayOf(event), text }),
        paragraphs: [t('messageSent', namesIn(event, context.actor)), ...written(content ?? '')],
      }),
      pictures: inEmail(context.config, pictures),
    };
  },
});

const inEmail = ({ publicUrl }: Config, pictures: readonly UpdatePicture[]) =>
  pictures.map((picture, n) => ({
    ...inColumn(picture),
    url: `${publicUrl}${pictureUrl(picture.name, 'update')}`,
    alt: t('picture', { n: n + 1 }),
  }));

/** The width of the text in an email, in pixels. */
const column = 518;

/** The size at which a picture fits into the column. */
function inColumn({ width, height }: Pick<UpdatePicture, 'width' | 'height'>) {
  const scale = Math.min(1, column / width);
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

export const notices = [clubUpdate, eventMessage];
