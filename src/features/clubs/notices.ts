import { z } from 'zod';
import { defineNotice, type NoticeTarget } from '#platform/notices/notice.ts';
import { eventSpan } from '#wire/format.ts';
import { t } from '#features/clubs/notice-messages.ts';
import { EventSnapshot } from '#features/events/notice-queries.ts';
import { actorName } from '#features/members/mail.ts';
import { t as ofMembers } from '#features/members/notice-messages.ts';

/**
 * Sent when a club is deleted, to members who follow one of its upcoming events, voted for one of the event's proposed
 * times, or gave the event any answer but 'no'. One notice per person covers all these events.
 */
export const clubDeleted = defineNotice({
  kind: 'club_deleted',
  setting: 'event_cancelled',
  group: 'always',
  merge: ({ club_id }) => club_id,
  delay: 0,
  facts: z.object({
    club_id: z.uuid(),
    club_name: z.string(),
    /** All upcoming events of the club, keyed by id. */
    events: z.record(z.uuid(), EventSnapshot),
    /** The ids of the reader's events. `invited` contains the events that the reader got as calendar invitations. */
    mine: z.array(z.uuid()),
    invited: z.array(z.uuid()),
  }),
  load: async (_db, recipients) =>
    recipients.map(({ facts: { club_id, club_name, mine, ...facts }, created_at }) => ({
      club_id,
      club_name,
      events: mine.flatMap((id) => {
        const event = facts.events[id];
        return event
          ? [{ ...event, reader_changed_at: created_at, invited: facts.invited.includes(id) }]
          : [];
      }),
    })),
  sender: ({ club_id: id, club_name: name }) => ({ id, name }),
  message: (data, actor) => sentence(data, actorName(actor)),
  opens({ events: [event, ...others] }): NoticeTarget {
    return event && others.length === 0 ? { event_name: event.name } : {};
  },
  files: ({ events }) => events.map((event) => ({ event, as: 'cancelled' })),
  email: (data, { actor }) => ({
    subject: t('deletedSubject', { club: data.club_name }),
    sender: { id: data.club_id, name: data.club_name },
    paragraphs: [
      sentence(data, actorName(actor)),
      ...data.events.map((event) => t('cancelled', { event: event.name, when: eventSpan(event) })),
    ],
    why: ofMembers('wasMember', { club: data.club_name }),
  }),
});

function sentence(
  { club_name: club, events }: { club_name: string; events: EventSnapshot[] },
  actor: string,
) {
  const values = { actor, club, event: events[0]?.name ?? '' };
  return events.length > 1 ? t('deletedMany', { ...values, n: events.length - 1 }) : t('deleted', values);
}

export const notices = [clubDeleted];
