import { z } from 'zod';
import { brief } from '#platform/mail/text.ts';
import { defineNotice } from '#platform/notices/notice.ts';
import type { Config } from '#platform/config.ts';
import { clubOf, dayOf, emailAbout, written } from '#features/events/mail.ts';
import { withEvents } from '#features/events/notice-queries.ts';
import { aboutEvent, namesIn, opensEvent } from '#features/events/notices.ts';
import { actorName, lineFrom, senderOf, openClub, whyMember } from '#features/members/mail.ts';
import { clubsForMembers } from '#features/members/queries.ts';
import { pictureUrl } from '#wire/pictures.ts';
import type { UpdatePicture } from '#features/updates/contract.ts';
import { t } from '#features/updates/notice-messages.ts';
import { readToken } from '#features/updates/mail.ts';
import { contentsOf } from '#features/updates/queries.ts';
import { importantUpdatesFor } from '#features/updates/read-queries.ts';

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
  weekly: {
    line({ content, ...found }, { actor, config }) {
      const from = lineFrom(config, found);
      return {
        ...from,
        text: t('updateFrom', { actor: actorName(actor) }),
        url: `${from.page}/updates`,
        excerpt: brief(content ?? '', excerptLength),
      };
    },
  },
});

/** The number of characters of an update that the weekly email shows. */
const excerptLength = 200;

/**
 * Sent to the members of a club about a new important update, and as a reminder to those who have not read it. Each
 * reminder is an email of its own, and is not sent to members who have read the update meanwhile.
 */
export const updateImportant = defineNotice({
  kind: 'update_important',
  setting: 'update_important',
  group: 'now',
  merge: ({ update_id, reminder = 0 }) => `${update_id} ${reminder}`,
  delay: 0,
  facts: z.object({ club_id: z.uuid(), update_id: z.uuid(), reminder: z.int().optional() }),
  async load(db, recipients) {
    const clubs = await clubsForMembers(db, recipients);
    const updates = await importantUpdatesFor(db, recipients);
    const contents = await contentsOf(
      db,
      recipients.map(({ facts }) => facts.update_id),
    );
    return clubs.map((club, n) => {
      const { update_id = '', reminder } = recipients[n]?.facts ?? {};
      const { my_read_at = null, answer_key = null } = updates[n] ?? {};
      const { content = null, pictures = [] } = contents[n] ?? {};
      return club && { ...club, update_id, reminder, my_read_at, answer_key, content, pictures };
    });
  },
  applies: ({ content, reminder, my_read_at }) =>
    content !== null && (reminder === undefined || my_read_at === null),
  sender: (data) => senderOf(data),
  message: ({ club_name: club, content, reminder }, actor) =>
    content === null
      ? undefined
      : t(reminder === undefined ? 'publishedImportant' : 'reminded', { actor: actorName(actor), club }),
  opens: ({ club_slug }) => ({ club_slug }),
  email({ content, pictures, update_id, answer_key, reminder, ...found }, { actor, config, user_id }) {
    const { club_name: club } = found;
    const isNew = reminder === undefined;
    const token = readToken(config, { user_id, update_id, answer_key: answer_key ?? '' });
    return {
      subject: t(isNew ? 'importantSubject' : 'reminderSubject', { club, text: brief(content ?? '', 60) }),
      sender: senderOf(found),
      paragraphs: [
        t(isNew ? 'publishedImportant' : 'reminded', { actor: actorName(actor), club }),
        ...written(content ?? ''),
        t('confirmRead', { club }),
      ],
      pictures: inEmail(config, pictures),
      action: { label: t('iHaveRead'), url: `${config.publicUrl}/read/${token}` },
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

export const notices = [clubUpdate, updateImportant, eventMessage];
