import { z } from 'zod';
import { defineNotice } from '#platform/notices/notice.ts';
import { t } from '#features/calendar/notice-messages.ts';
import { emailAbout, whatAndWhen } from '#features/events/mail.ts';
import { EventSnapshot } from '#features/events/notice-queries.ts';
import { aboutEvent, defineEventNotice, namesIn } from '#features/events/notices.ts';
import { t as ofMembers } from '#features/members/notice-messages.ts';

/** The events whose calendar files an email withdraws. */
const Withdrawn = z.record(z.uuid(), EventSnapshot).default({});

const asWithdrawn = (events: z.infer<typeof Withdrawn>) =>
  Object.values(events).map((event) => ({ event, as: 'withdrawn' }));

/**
 * Sent to a member who no longer attends, by email only. It withdraws the calendar file, or confirms a 'no' that the
 * member gave by link. Members who have opted out of the emails with the file get no withdrawal: see `withdrawFile`.
 */
export const unattended = defineEventNotice({
  kind: 'unattended',
  setting: 'attending',
  group: 'always',
  delay: 0,
  facts: aboutEvent.extend({ isConfirmed: z.boolean(), before: Withdrawn }),
  applies: ({ event, isConfirmed, before }) =>
    event.answer !== 'going' && ((isConfirmed && event.answer === 'no') || Object.keys(before).length > 0),
  files: ({ before }) => asWithdrawn(before),
  email({ event, isConfirmed, before }, context) {
    const isNo = isConfirmed && event.answer === 'no';
    return emailAbout(event, context, {
      subject: isNo
        ? t('cannotGoSubject', { event: event.name })
        : t('notAttendingSubject', whatAndWhen(event)),
      paragraphs: [
        t(isNo ? 'cannotGo' : 'notAttending', namesIn(event)),
        ...(Object.keys(before).length > 0 ? [t('withdrawnFile')] : []),
      ],
      links: isConfirmed && {},
    });
  },
});

/** Sent to a member who left a club, by email only. It withdraws the calendar files of the club's events. */
export const leftClub = defineNotice({
  kind: 'left',
  setting: 'attending',
  group: 'always',
  merge: ({ club_id }) => club_id,
  delay: 0,
  facts: z.object({ club_id: z.uuid(), club_name: z.string(), before: Withdrawn }),
  load: async (_db, recipients) => recipients.map(({ facts }) => facts),
  files: ({ before }) => asWithdrawn(before),
  email: ({ club_id: id, club_name: club, before }) => ({
    subject: t('leftSubject', { club }),
    sender: { id, name: club },
    paragraphs: [t('left', { club }), ofMembers('withdrawnFiles', { n: Object.keys(before).length })],
    why: ofMembers('wasMember', { club }),
  }),
});

export const notices = [unattended, leftClub];
