import { defineNotice } from '#platform/notices/notice.ts';
import { z } from 'zod';
import { emailAbout, whatAndWhen } from '#features/events/mail.ts';
import { withEvents } from '#features/events/notice-queries.ts';
import { aboutEvent, isOn, namesIn, opensEvent, sentByClub } from '#features/events/notices.ts';
import { t } from '#features/events/slots/notice-messages.ts';
import { changedClaims } from '#features/events/slots/queries.ts';

const hour = 60 * 60;

/**
 * Sent to the driver when somebody takes or gives back a seat, and to passengers whose lift is gone. `before` says who
 * had a seat before the first change, so that nothing is sent about a seat that was taken and given back.
 */
export const liftChanged = defineNotice({
  kind: 'lift_changed',
  setting: 'lift_changed',
  group: 'now',
  merge: ({ event_id, title, change }) => `${event_id}:${change === 'gone' ? 'gone' : 'seats'}:${title}`,
  delay: 0,
  cooldown: hour,
  facts: aboutEvent.extend({
    title: z.string(),
    change: z.enum(['claimed', 'released', 'gone']),
    before: z.record(z.uuid(), z.boolean()).default({}),
  }),
  async load(db, recipients) {
    const [found, claims] = [await withEvents(db, recipients), await changedClaims(db, recipients)];
    return found.map((each, n) => each && { ...each, claims: claims[n] ?? [] });
  },
  applies: ({ event, change, claims }, now) => isOn(event, now) && (change === 'gone' || claims.length > 0),
  isPushed: ({ event }, now) => isOn(event, now),
  sender: (data) => sentByClub(data),
  message: ({ event, title: lift, change }, actor) => t(change, { ...namesIn(event, actor), lift }),
  opens: (data) => opensEvent(data),
  email({ event, title: lift, change, claims }, context) {
    const isGone = change === 'gone';
    const paragraphs = isGone
      ? [t('gone', { ...namesIn(event, context.actor), lift })]
      : claims.map(({ person, claimed }) =>
          t(claimed ? 'claimed' : 'released', { ...namesIn(event, person), lift }),
        );
    return emailAbout(event, context, {
      subject: t(isGone ? 'goneSubject' : 'liftSubject', whatAndWhen(event)),
      paragraphs,
      links: false,
    });
  },
});

export const notices = [liftChanged];
