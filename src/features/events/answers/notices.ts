import { defineNotice } from '#platform/notices/notice.ts';
import { z } from 'zod';
import { t } from '#features/events/answers/notice-messages.ts';
import { withFreeSeats } from '#features/events/answers/queries.ts';
import { Answer } from '#features/events/choice-contract.ts';
import { nudgedLists, type NudgedList } from '#features/notifications/contract.ts';
import { emailAbout, whatAndWhen } from '#features/events/mail.ts';
import { withEvents, type EventForReader } from '#features/events/notice-queries.ts';
import {
  aboutEvent,
  asFile,
  defineEventNotice,
  isOn,
  minutes,
  namesIn,
  opensEvent,
} from '#features/events/notices.ts';
import { isRunner } from '#features/members/rules.ts';

/** Sent to a member who has signed up, by email only, with the event as a calendar file. */
export const attending = defineEventNotice({
  kind: 'attending',
  setting: 'attending',
  delay: minutes(5),
  facts: aboutEvent,
  applies: ({ event }, now) => isOn(event, now) && event.answer === 'going',
  files: asFile,
  email: ({ event }, context) =>
    emailAbout(event, context, {
      subject: t('goingSubject', whatAndWhen(event)),
      paragraphs: [t('attending', namesIn(event))],
    }),
});

/** An answer and its number of guests as a string, for comparisons. */
export const answerKey = ({ answer, guests }: { answer: Answer | null; guests: number }): string =>
  `${answer ?? ''} ${guests}`;

const answerSubjects = {
  going: 'goingSubject',
  waiting: 'goingSubject',
  maybe: 'maybeSubject',
  no: 'noSubject',
} as const;

/** Sent to a member for whom a host or a planner answered, unless the member has answered since. */
export const answeredForYou = defineEventNotice({
  kind: 'answered_for_you',
  setting: 'answered_for_you',
  delay: minutes(5),
  facts: aboutEvent.extend({ answer: Answer, before: z.object({ answer: z.string() }).partial().optional() }),
  applies: ({ event, before }, now) =>
    isOn(event, now) && event.via === 'runner' && answerKey(event) !== before?.answer,
  message: ({ event, answer }, actor) => t('answered', { ...namesIn(event, actor), answer }),
  files: asFile,
  email({ event }, context) {
    const answer = event.answer ?? 'no';
    return emailAbout(event, context, {
      subject: t(answerSubjects[answer], whatAndWhen(event)),
      paragraphs: [t('answered', { ...namesIn(event, context.actor), answer })],
    });
  },
});

const isNudged: Record<NudgedList, (event: EventForReader) => boolean> = {
  silent: ({ answer }) => answer === null,
  maybe: ({ answer }) => answer === 'maybe',
  unconfirmed: ({ must_confirm }) => must_confirm,
};

/** Sent to the members on a nudged list of an event. Dropped once they have answered or sign-up has closed. */
export const answerWanted = defineEventNotice({
  kind: 'answer_wanted',
  setting: 'answer_wanted',
  merge: ({ event_id, list }) => `${event_id}:${list}`,
  delay: 0,
  facts: aboutEvent.extend({ list: z.enum(nudgedLists) }),
  applies: ({ event, list }, now) =>
    isOn(event, now) && event.entry_until_time > now && isNudged[list](event),
  message: ({ event }, actor) => t('nudged', namesIn(event, actor)),
  email: ({ event }, context) =>
    emailAbout(event, context, {
      subject: t('nudgedSubject', whatAndWhen(event)),
      paragraphs: [t('nudged', namesIn(event, context.actor))],
      links: { all: event.must_confirm },
    }),
});

/** Sent to members who have moved up from the waitlist. */
export const seatGiven = defineEventNotice({
  kind: 'seat_given',
  setting: 'seat_given',
  isAlways: () => true,
  delay: 0,
  facts: aboutEvent,
  applies: ({ event }, now) => isOn(event, now) && event.answer === 'going',
  message: ({ event }) => t('seatGiven', namesIn(event)),
  files: asFile,
  email: ({ event }, context) =>
    emailAbout(event, context, {
      subject: t('seatGivenSubject', whatAndWhen(event)),
      paragraphs: [t('seatGiven', namesIn(event)), t('giveItBack')],
      always: t('seatsAlways'),
    }),
});

/** Sent to the planners and the hosts if a seat is free for members who still wait after sign-up has closed. */
export const seatFree = defineNotice({
  kind: 'seat_free',
  setting: 'seat_free',
  merge: ({ event_id }) => event_id,
  delay: 0,
  facts: aboutEvent,
  async load(db, recipients) {
    const ids = recipients.map(({ facts }) => facts.event_id);
    const [found, free] = [await withEvents(db, recipients), await withFreeSeats(db, ids)];
    return found.map((each) => each && { ...each, isFree: free.has(each.event.id) });
  },
  applies: ({ event, isFree }, now) =>
    isFree && isOn(event, now) && isRunner(event, { my_role: event.is_host ? 'organiser' : null }),
  message: ({ event }) => t('seatFree', namesIn(event)),
  opens: (data) => opensEvent(data),
  email: ({ event }, context) =>
    emailAbout(event, context, {
      subject: t('seatFreeSubject', whatAndWhen(event)),
      paragraphs: [t('seatFree', namesIn(event))],
      links: false,
    }),
});

export const notices = [attending, answeredForYou, answerWanted, seatGiven, seatFree];
