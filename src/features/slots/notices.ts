import { z } from 'zod';
import { defineNotice } from '#platform/notices/notice.ts';
import { factsOf, openEvent, whatAndWhen } from '#features/events/mail.ts';
import { eventsForMembers } from '#features/events/notice-queries.ts';
import { aboutEvent, isOn, opensEvent } from '#features/events/notices.ts';
import { actorName, whyMember } from '#features/members/mail.ts';
import { t } from '#features/slots/notice-messages.ts';
import { changedClaims } from '#features/slots/queries.ts';

const hour = 60 * 60;

/**
 * To the driver when somebody takes or gives back a seat, and to those whose lift is gone. `before` has who sat in the lift
 * before the first change, so that a seat that is taken and given back sends nothing.
 */
export const liftChanged = defineNotice({
  kind: 'lift_changed',
  setting: 'lift_changed',
  merge: ({ event_id, title, change }) => `${event_id}:${change === 'gone' ? 'gone' : 'seats'}:${title}`,
  delay: 0,
  cooldown: hour,
  facts: aboutEvent.extend({
    title: z.string(),
    change: z.enum(['claimed', 'released', 'gone']),
    before: z.record(z.uuid(), z.boolean()).default({}),
  }),
  async load(db, told) {
    const events = await eventsForMembers(db, told);
    const claims = await changedClaims(db, told);
    return told.map(({ facts }, n) => {
      const event = events[n];
      return event ? { ...facts, event, claims: claims[n] ?? [] } : null;
    });
  },
  applies: ({ event, change, claims }, now) => isOn(event, now) && (change === 'gone' || claims.length > 0),
  message: ({ event, title: lift, change }, actor) =>
    t(change, { actor: actorName(actor), lift, event: event.name }),
  opens: ({ event }) => opensEvent(event),
  email({ event, title: lift, change, claims }, { actor, config }) {
    const changes = claims.map(({ person, claimed }) =>
      t(claimed ? 'claimed' : 'released', { actor: actorName(person), lift, event: event.name }),
    );
    return {
      subject: t(change === 'gone' ? 'goneSubject' : 'liftSubject', { event: whatAndWhen(event) }),
      paragraphs: [
        ...(change === 'gone' ? [t('gone', { actor: actorName(actor), lift, event: event.name })] : changes),
        ...factsOf(event),
      ],
      action: openEvent(config, event),
      why: whyMember(config, event.club_name),
    };
  },
});

export const notices = [liftChanged];
