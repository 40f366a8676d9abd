import { z } from 'zod';
import { defineNotice, type NoticeContext } from '#platform/notices/notice.ts';
import { t } from '#features/answers/notice-messages.ts';
import { withFreeSeats } from '#features/answers/queries.ts';
import { Answer } from '#features/events/contract.ts';
import { nudgedLists, type NudgedList } from '#features/notifications/contract.ts';
import { answerLinks, factsOf, fetchedLine, openEvent, whatAndWhen } from '#features/events/mail.ts';
import { eventsForMembers, type EventForReader } from '#features/events/notice-queries.ts';
import { aboutEvent, isOn, minutes, opensEvent } from '#features/events/notices.ts';
import { actorName, whyMember } from '#features/members/mail.ts';
import { isRunner } from '#features/members/rules.ts';

const asFile = (event: EventForReader) => [{ event: event.id, as: 'added' }];

/** An email that shows an event and lets its reader answer. */
const emailAbout = (
  event: EventForReader,
  context: NoticeContext,
  { subject, message, more = [] }: { subject: string; message: string; more?: string[] },
) => ({
  subject,
  paragraphs: [message, ...factsOf(event), ...fetchedLine(context), ...more],
  action: openEvent(context.config, event),
  ...answerLinks(context, event),
  why: whyMember(context.config, event.club_name),
});

/** To somebody who has signed up, by email only: the event as a calendar file. */
export const attending = defineNotice({
  kind: 'attending',
  setting: 'attending',
  merge: ({ event_id }) => event_id,
  delay: minutes(5),
  facts: aboutEvent,
  load: eventsForMembers,
  applies: (event, now) => isOn(event, now) && event.answer === 'going',
  files: asFile,
  email: (event, context) =>
    emailAbout(event, context, {
      subject: t('goingSubject', { event: whatAndWhen(event) }),
      message: t('attending', { event: event.name, club: event.club_name }),
    }),
});

const answerNames = {
  going: () => t('going'),
  waiting: () => t('waiting'),
  maybe: () => t('maybe'),
  no: () => t('no'),
} satisfies Record<Answer, () => string>;

/** An answer with its guests, to compare it with. */
export const answerKey = ({ answer, guests }: { answer: Answer | null; guests: number }): string =>
  `${answer ?? ''} ${guests}`;

/** To a member for whom an organiser answered, unless they have answered themselves since. */
export const answeredForYou = defineNotice({
  kind: 'answered_for_you',
  setting: 'answered_for_you',
  merge: ({ event_id }) => event_id,
  delay: minutes(5),
  facts: aboutEvent.extend({ answer: Answer, before: z.object({ answer: z.string() }).partial().optional() }),
  async load(db, told) {
    const events = await eventsForMembers(db, told);
    return events.map((event, n) => event && { event, given: told[n]?.facts });
  },
  applies: ({ event, given }, now) =>
    isOn(event, now) && event.via === 'runner' && answerKey(event) !== given?.before?.answer,
  message: ({ event, given }, actor) =>
    t('answered', {
      actor: actorName(actor),
      answer: answerNames[given?.answer ?? 'going'](),
      event: event.name,
    }),
  opens: ({ event }) => opensEvent(event),
  files: ({ event }) => asFile(event),
  email({ event }, context) {
    const answer = event.answer ?? 'no';
    const subjects = {
      going: 'goingSubject',
      waiting: 'goingSubject',
      maybe: 'maybeSubject',
      no: 'noSubject',
    } as const;
    return emailAbout(event, context, {
      subject: t(subjects[answer], { event: answer === 'no' ? event.name : whatAndWhen(event) }),
      message: t('answered', {
        actor: actorName(context.actor),
        answer: answerNames[answer](),
        event: event.name,
      }),
    });
  },
});

const isNudged: Record<NudgedList, (event: EventForReader) => boolean> = {
  silent: ({ answer }) => answer === null,
  maybe: ({ answer }) => answer === 'maybe',
  unconfirmed: ({ must_confirm }) => must_confirm,
};

/** To the members on one list of an event, until they have answered or sign-up closes. */
export const answerWanted = defineNotice({
  kind: 'answer_wanted',
  setting: 'answer_wanted',
  merge: ({ event_id, list }) => `${event_id}:${list}`,
  delay: 0,
  facts: aboutEvent.extend({ list: z.enum(nudgedLists) }),
  async load(db, told) {
    const events = await eventsForMembers(db, told);
    return events.map((event, n) => event && { event, list: told[n]?.facts.list ?? 'silent' });
  },
  applies: ({ event, list }, now) =>
    isOn(event, now) && event.entry_until_time > now && isNudged[list](event),
  message: ({ event }, actor) => t('nudged', { actor: actorName(actor), event: event.name }),
  opens: ({ event }) => opensEvent(event),
  email: ({ event }, context) =>
    emailAbout(event, context, {
      subject: t('nudgedSubject', { event: whatAndWhen(event) }),
      message: t('nudged', { actor: actorName(context.actor), event: event.name }),
    }),
});

/** To those who have moved up from the waitlist. */
export const seatGiven = defineNotice({
  kind: 'seat_given',
  setting: 'seat_given',
  isAlways: () => true,
  merge: ({ event_id }) => event_id,
  delay: 0,
  facts: aboutEvent,
  load: eventsForMembers,
  applies: (event, now) => isOn(event, now) && event.answer === 'going',
  message: (event) => t('seatGiven', { event: event.name }),
  opens: (event) => opensEvent(event),
  files: asFile,
  email(event, context) {
    const email = emailAbout(event, context, {
      subject: t('seatGivenSubject', { event: whatAndWhen(event) }),
      message: t('seatGiven', { event: event.name }),
      more: [t('giveItBack')],
    });
    return { ...email, why: `${email.why} ${t('seatsAlways')}` };
  },
});

/** To the admins and the host while people wait, once sign-up has closed. */
export const seatFree = defineNotice({
  kind: 'seat_free',
  setting: 'seat_free',
  merge: ({ event_id }) => event_id,
  delay: 0,
  facts: aboutEvent,
  async load(db, told) {
    const events = await eventsForMembers(db, told);
    const free = await withFreeSeats(
      db,
      told.map(({ facts }) => facts.event_id),
    );
    return events.map((event) => event && { event, isFree: free.has(event.id) });
  },
  applies: ({ event, isFree }, now) =>
    isFree && isOn(event, now) && isRunner(event.club_role, { my_role: event.is_host ? 'organiser' : null }),
  message: ({ event }) => t('seatFree', { event: event.name }),
  opens: ({ event }) => opensEvent(event),
  email: ({ event }, { config }) => ({
    subject: t('seatFreeSubject', { event: event.name }),
    paragraphs: [t('seatFree', { event: event.name }), ...factsOf(event)],
    action: openEvent(config, event),
    why: whyMember(config, event.club_name),
  }),
});

const hostMessages = { you: 'hostYou', actor: 'hostActor', other: 'hostOther' } as const;

/** To the new host of an event and to the former one, unless it is as before by then. */
export const hostChanged = defineNotice({
  kind: 'host_changed',
  setting: 'role_changed',
  merge: ({ event_id }) => event_id,
  delay: minutes(5),
  facts: aboutEvent.extend({
    host: z.enum(['you', 'actor', 'other']),
    before: z.object({ hosts: z.boolean() }).partial().optional(),
  }),
  async load(db, told) {
    const events = await eventsForMembers(db, told);
    return events.map((event, n) => event && { event, given: told[n]?.facts });
  },
  applies: ({ event, given }, now) => isOn(event, now) && event.is_host !== given?.before?.hosts,
  message: ({ event, given }, actor) =>
    t(hostMessages[given?.host ?? 'other'], { actor: actorName(actor), event: event.name }),
  opens: ({ event }) => opensEvent(event),
  files: ({ event }) => asFile(event),
  email({ event, given }, context) {
    const host = given?.host ?? 'other';
    return {
      ...emailAbout(event, context, {
        subject: t(host === 'you' ? 'hostYouSubject' : 'hostSubject', { event: whatAndWhen(event) }),
        message: t(hostMessages[host], { actor: actorName(context.actor), event: event.name }),
      }),
      choices: undefined,
    };
  },
});

export const notices = [attending, answeredForYou, answerWanted, seatGiven, seatFree, hostChanged];
