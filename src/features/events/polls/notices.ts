import { z } from 'zod';
import type { NoticeActor } from '#platform/notices/notice.ts';
import { eventDayAndTime } from '#wire/format.ts';
import { emailAbout, lineAbout, whatAndWhen } from '#features/events/mail.ts';
import type { EventForReader } from '#features/events/notice-queries.ts';
import { aboutEvent, asFile, defineEventNotice, isOn, namesIn } from '#features/events/notices.ts';
import { t } from '#features/events/polls/notice-messages.ts';

/** Sent to all members once a planner has decided a poll, which fixes the time of the event. */
export const timeFixed = defineEventNotice({
  kind: 'time_fixed',
  setting: 'event_updated',
  group: 'news',
  isAlways: ({ voted }) => voted,
  delay: 60,
  facts: aboutEvent.extend({ voted: z.boolean() }),
  applies: ({ event }, now) => isOn(event, now) && !event.polling,
  message: ({ event }, actor) => fixed(event, actor),
  files: ({ event }) => (event.answer ? asFile({ event }) : []),
  email: ({ event, voted }, context) =>
    emailAbout(event, context, {
      subject: t('fixedSubject', whatAndWhen(event)),
      paragraphs: [fixed(event, context.actor)],
      always: voted && t('votersAlways'),
    }),
  weekly: {
    startsAt: ({ event }) => event.start_time,
    line: ({ event }, context) => lineAbout(event, context, t('fixedSubject', whatAndWhen(event))),
  },
});

const fixed = (event: EventForReader, actor: NoticeActor): string =>
  t('fixed', { ...namesIn(event, actor), when: eventDayAndTime(event.start_time, event.time_zone) });

export const notices = [timeFixed];
