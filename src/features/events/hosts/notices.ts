import { z } from 'zod';
import { t } from '#features/events/hosts/notice-messages.ts';
import { dayOf, emailAbout } from '#features/events/mail.ts';
import { aboutEvent, asFile, defineEventNotice, isOn, minutes, namesIn } from '#features/events/notices.ts';

const messages = {
  you: 'hostYou',
  actor: 'hostActor',
  other: 'hostOther',
  removed: 'hostRemoved',
} as const;

const subjects = {
  you: 'hostYouSubject',
  actor: 'noHostSubject',
  other: 'noHostSubject',
  removed: 'noHostSubject',
} as const;

/** Sent to a new or a former host of an event, unless the change was reverted before the email is sent. */
export const hostChanged = defineEventNotice({
  kind: 'host_changed',
  setting: 'role_changed',
  group: 'now',
  delay: minutes(5),
  facts: aboutEvent.extend({
    /** 'actor', 'other': another member became the first host in place of the reader. */
    host: z.enum(['you', 'actor', 'other', 'removed']),
    before: z.object({ hosts: z.boolean() }).partial().optional(),
  }),
  applies: ({ event, before }, now) => isOn(event, now) && event.is_host !== before?.hosts,
  message: ({ event, host }, actor) => t(messages[host], namesIn(event, actor)),
  files: asFile,
  email: ({ event, host }, context) =>
    emailAbout(event, context, {
      subject: t(subjects[host], { event: event.name, day: dayOf(event) }),
      paragraphs: [t(messages[host], namesIn(event, context.actor))],
      ...(event.is_host && { links: false as const }),
    }),
});

export const notices = [hostChanged];
