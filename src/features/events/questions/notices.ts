import { z } from 'zod';
import { defineNotice } from '#platform/notices/notice.ts';
import { dayOf, emailAbout, written } from '#features/events/mail.ts';
import { withEvents, type EventForReader } from '#features/events/notice-queries.ts';
import { aboutEvent, minutes, namesIn, opensEvent, sentByClub } from '#features/events/notices.ts';
import { t } from '#features/events/questions/notice-messages.ts';
import { quoted } from '#features/events/questions/queries.ts';
import { fullName, isRunner } from '#features/members/rules.ts';

const aboutQuestion = aboutEvent.extend({ question_id: z.uuid() });

/** The day of a poll is not known yet. */
const namesWithDay = (event: EventForReader) => ({
  event: event.polling ? event.name : t('eventOnDay', { event: event.name, day: dayOf(event) }),
});

const runs = (event: EventForReader) => isRunner(event, { my_role: event.is_host ? 'organiser' : null });

const idsOf = ({ question_id, before = {} }: { question_id: string; before?: object | undefined }) => [
  ...new Set([...Object.keys(before), question_id]),
];

/**
 * Sent to the hosts about questions to them: one email for the questions about an event within a minute. `before` has
 * the ids of these questions. The email leaves out those that were deleted or answered since.
 */
export const questionAsked = defineNotice({
  kind: 'question',
  setting: 'question',
  group: 'now',
  merge: ({ event_id }) => event_id,
  delay: minutes(1),
  facts: aboutQuestion.extend({ before: z.record(z.uuid(), z.boolean()).optional() }),
  async load(db, recipients) {
    const found = await withEvents(db, recipients);
    const all = await quoted(
      db,
      recipients.flatMap(({ facts }) => idsOf(facts)),
    );
    return found.map((each) => {
      if (!each || !runs(each.event)) return null;
      const ids = idsOf(each);
      return {
        ...each,
        exists: all.has(each.question_id),
        open: [...all.values()].filter(({ id, answer }) => ids.includes(id) && answer === ''),
      };
    });
  },
  applies: ({ open }) => open.length > 0,
  sender: (data) => sentByClub(data),
  message: ({ event, exists }, actor) => (exists ? t('asked', namesIn(event, actor)) : undefined),
  opens: (data) => opensEvent(data),
  email: ({ event, open }, context) =>
    emailAbout(event, context, {
      subject: t('askedSubject', { n: open.length, ...namesWithDay(event) }),
      paragraphs: open.flatMap((each) => [
        t('asked', { ...namesIn(event), actor: fullName(each) }),
        ...written(each.question),
      ]),
      links: false,
    }),
});

/** Sent to the author of a question about an answer, and once about each new text of it. */
export const questionAnswered = defineNotice({
  kind: 'question_answered',
  setting: 'question',
  group: 'now',
  merge: ({ question_id }) => question_id,
  delay: minutes(1),
  facts: aboutQuestion,
  async load(db, recipients) {
    const found = await withEvents(db, recipients);
    const all = await quoted(
      db,
      recipients.map(({ facts }) => facts.question_id),
    );
    return found.map((each, n) => {
      const question = each && all.get(each.question_id);
      return question?.author_id === recipients[n]?.user_id && question && each
        ? { event: each.event, question }
        : null;
    });
  },
  applies: ({ question }) => question.answer !== '',
  sender: (data) => sentByClub(data),
  message: ({ event }, actor) => t('answered', namesIn(event, actor)),
  opens: (data) => opensEvent(data),
  email: ({ event, question }, context) =>
    emailAbout(event, context, {
      subject: t('answeredSubject', namesWithDay(event)),
      paragraphs: [
        t('answered', namesIn(event, context.actor)),
        ...written(question.answer),
        t('youAsked'),
        ...written(question.question),
      ],
      links: false,
    }),
});

export const notices = [questionAsked, questionAnswered];
