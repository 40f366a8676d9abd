import { defineNotice } from '#platform/notices/notice.ts';
import { z } from 'zod';
import type { Db } from '#platform/db/client.ts';
import { raise } from '#platform/notices/raise.ts';
import type { Instant } from '#wire/instant.ts';
import { t } from '#features/events/answers/notice-messages.ts';
import { answersNow, countsOfAnswers, type LateAnswer } from '#features/events/answers/late-queries.ts';
import { withFreeSeats } from '#features/events/answers/queries.ts';
import { lateChanges, lateChangesOf, type StateOfAnswer } from '#features/events/answers/rules.ts';
import { Answer } from '#features/events/choice-contract.ts';
import { nudgedLists, type NudgedList } from '#features/notifications/contract.ts';
import { answerButtons, dayOf, emailAbout, whatAndWhen } from '#features/events/mail.ts';
import { hostsOf, withEvents, type EventForReader } from '#features/events/notice-queries.ts';
import {
  aboutEvent,
  asFile,
  defineEventNotice,
  isOn,
  minutes,
  namesIn,
  opensEvent,
  sentByClub,
} from '#features/events/notices.ts';
import { actorName } from '#features/members/mail.ts';
import { fullName, isRunner } from '#features/members/rules.ts';

/** Sent to a member who has signed up, by email only, with the event as a calendar file. */
export const attending = defineEventNotice({
  kind: 'attending',
  setting: 'attending',
  group: 'now',
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
  group: 'now',
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
  silent: ({ answer, is_for }) => answer === null && is_for,
  maybe: ({ answer }) => answer === 'maybe',
  unconfirmed: ({ must_confirm }) => must_confirm,
};

/** Sent to the members on a nudged list of an event. Dropped once they have answered or sign-up has closed. */
export const answerWanted = defineEventNotice({
  kind: 'answer_wanted',
  setting: 'answer_wanted',
  group: 'now',
  merge: ({ event_id, list }) => `${event_id}:${list}`,
  delay: 0,
  facts: aboutEvent.extend({ list: z.enum(nudgedLists) }),
  applies: ({ event, list }, now) =>
    isOn(event, now) && event.entry_until_time > now && isNudged[list](event),
  expires: ({ event }) => event.entry_until_time,
  buttons: ({ event }, context) => answerButtons(context, event),
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
  group: 'always',
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
  group: 'now',
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
  sender: (data) => sentByClub(data),
  message: ({ event }) => t('seatFree', namesIn(event)),
  opens: (data) => opensEvent(data),
  email: ({ event }, context) =>
    emailAbout(event, context, {
      subject: t('seatFreeSubject', whatAndWhen(event)),
      paragraphs: [t('seatFree', namesIn(event))],
      links: false,
    }),
});

/** The answer of a member before their first change. The note is a hash, so that no text of a person is stored here. */
const Before = z.object({ answer: Answer.nullable(), guests: z.int(), note: z.string() });

/**
 * Sent to the hosts of an event about changes by members shortly before it. The email is about all changes since the
 * first one, which are found by comparing the answers before them, keyed by member, with those of now.
 */
export const answersChanged = defineNotice({
  kind: 'answers_changed',
  setting: 'answers_changed',
  group: 'now',
  merge: ({ event_id }) => event_id,
  delay: minutes(5),
  // So that the changes of an hour make at most six emails.
  cooldown: minutes(12),
  facts: aboutEvent.extend({
    change: z.enum(lateChanges),
    before: z.record(z.uuid(), Before).default({}),
  }),
  async load(db, recipients) {
    const found = await withEvents(db, recipients);
    const pairs = recipients.flatMap(({ facts: { event_id, before } }) =>
      Object.keys(before).map((user_id) => ({ event_id, user_id })),
    );
    const answers = Map.groupBy(await answersNow(db, pairs), ({ event_id }) => event_id);
    const counts = await countsOfAnswers(db, recipients);
    return found.map((each) => {
      const now = each && counts.get(each.event.id);
      if (!now) return null;
      const changes = (answers.get(each.event.id) ?? []).flatMap(({ first_name, last_name, ...answer }) => {
        const before = each.before[answer.user_id];
        // Hosts know about answers that hosts give.
        const kinds = before && answer.via !== 'runner' ? lateChangesOf(before, answer) : [];
        return kinds.map((change) => ({ name: fullName({ first_name, last_name }), change }));
      });
      return { ...each, changes, counts: now };
    });
  },
  applies: ({ event, changes }, now) => isOn(event, now) && event.is_host && changes.length > 0,
  isPushed: ({ event }, now) => isOn(event, now) && event.is_host,
  sender: (data) => sentByClub(data),
  message: ({ event, change }, actor) => t('changed', { change, name: actorName(actor), event: event.name }),
  opens: (data) => opensEvent(data),
  email({ event, changes, counts }, context) {
    const [first] = changes;
    const eventAndDay = { event: event.name, day: dayOf(event) };
    return emailAbout(event, context, {
      subject:
        changes.length === 1 && first
          ? t('changedSubject', { ...first, ...eventAndDay })
          : t('changesSubject', { n: changes.length, ...eventAndDay }),
      paragraphs: [...changes.map((each) => t('changedInList', each)), t('countsNow', { ...counts })],
      links: false,
    });
  },
});

/** What a member did to an answer of their own: the answers before and after it, with their notes. */
interface OwnChange {
  event_id: string;
  member: string;
  before: Omit<LateAnswer, 'event_id'>;
  after: StateOfAnswer;
}

/** Tells the hosts of an event about a change by a member, if it is one that they are told about. */
export async function notifyHosts(
  db: Db,
  { event_id, member, before, after }: OwnChange,
  now: Instant,
): Promise<void> {
  const [change] = lateChangesOf(before, after);
  if (!change) return;
  const { answer, guests, note_hash: note } = before;
  const facts = { event_id, change, before: { [member]: { answer, guests, note } } };
  await raise(db, answersChanged, { facts, actor: member, now }, hostsOf(event_id));
}

export const notices = [attending, answeredForYou, answerWanted, seatGiven, seatFree, answersChanged];
