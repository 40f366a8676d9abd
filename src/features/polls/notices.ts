import { z } from 'zod';
import { defineNotice } from '#platform/notices/notice.ts';
import { dayAndTimeIn } from '#wire/time-in-zone.ts';
import { answerLinks, factsOf, fetchedLine, openEvent, whatAndWhen } from '#features/events/mail.ts';
import { eventsForMembers } from '#features/events/notice-queries.ts';
import { aboutEvent, isOn, opensEvent } from '#features/events/notices.ts';
import { actorName, whyMember } from '#features/members/mail.ts';
import { t } from '#features/polls/notice-messages.ts';

/** To all members, once an admin has fixed the time of an event. */
export const timeFixed = defineNotice({
  kind: 'time_fixed',
  setting: 'event_updated',
  isAlways: ({ voted }) => voted,
  merge: ({ event_id }) => event_id,
  delay: 60,
  facts: aboutEvent.extend({ voted: z.boolean() }),
  async load(db, told) {
    const events = await eventsForMembers(db, told);
    return events.map((event, n) => event && { event, voted: told[n]?.facts.voted ?? false });
  },
  applies: ({ event }, now) => isOn(event, now) && !event.polling,
  message: ({ event }, actor) =>
    t('fixed', {
      actor: actorName(actor),
      event: event.name,
      when: dayAndTimeIn(event.time_zone, event.start_time),
    }),
  opens: ({ event }) => opensEvent(event),
  files: ({ event }) => (event.answer ? [{ event: event.id, as: 'added' }] : []),
  email({ event, voted }, context) {
    const why = whyMember(context.config, event.club_name);
    return {
      subject: t('fixedSubject', { event: whatAndWhen(event) }),
      paragraphs: [
        t('fixed', {
          actor: actorName(context.actor),
          event: event.name,
          when: dayAndTimeIn(event.time_zone, event.start_time),
        }),
        ...factsOf(event),
        ...fetchedLine(context),
      ],
      action: openEvent(context.config, event),
      ...answerLinks(context, event),
      why: voted ? `${why} ${t('votersAlways')}` : why,
    };
  },
});

export const notices = [timeFixed];
