import type { Handlers } from '#platform/http/endpoint.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { rereadable } from '#platform/http/rereadable.ts';
import { requireVersion } from '#platform/http/reply.ts';
import { raise } from '#platform/notices/raise.ts';
import { failIf } from '#wire/errors.ts';
import { eventInClub, lockEvent } from '#features/events/access.ts';
import { whyCannotWrite } from '#features/events/form-rules.ts';
import { asAnswerer, asRemover } from '#features/events/questions/access.ts';
import type { questions } from '#features/events/questions/contract.ts';
import { questionAnswered, questionAsked } from '#features/events/questions/notices.ts';
import { hostsOf } from '#features/events/notice-queries.ts';
import { whyCannotAskHosts } from '#features/events/questions/rules.ts';
import * as store from '#features/events/questions/store.ts';
import { isRunner } from '#features/members/rules.ts';
import { membersAmong } from '#features/members/queries.ts';

const day = 24 * 60 * 60;

export const handlers: Handlers<typeof questions> = {
  ask: rereadable(
    async (context, { event: ref, question }) => {
      const { db, user, now } = context;
      const event = await lockEvent(db, context, ref);
      failIf(whyCannotAskHosts(event, now));
      await limit(db, `questions:${event.id}:${user.id}`, { max: 5, seconds: day, now });
      const id = await store.addQuestion(db, event, { author_id: user.id, question }, now);
      const facts = { event_id: event.id, question_id: id, before: { [id]: true } };
      await raise(db, questionAsked, { facts, actor: user.id, dedupeKey: id, now }, hostsOf(event.id));
      return { id };
    },
    async (context, { event: ref }, { id }) => {
      const event = await eventInClub(context.db, context, ref);
      return store.questionFor(context.db, id, { viewer: context.user.id, runs: isRunner(event, event) });
    },
  ),

  async answer(context, { question: id, answer, shared }) {
    const { db, user, now, ifVersion } = context;
    const question = await asAnswerer(db, context, id);
    const { event, author_id, version } = question;
    failIf(whyCannotWrite(event, now));
    requireVersion(ifVersion, version);
    const isNew = answer !== question.answer;
    if (isNew || shared !== question.shared)
      await store.saveAnswer(db, question, { answer, shared, by: user.id }, now);
    if (isNew) {
      const facts = { event_id: event.id, question_id: id };
      const audience = membersAmong(event.owner_club_id, [author_id]);
      await raise(db, questionAnswered, { facts, actor: user.id, now }, audience);
    }
    return store.questionFor(db, id, { viewer: user.id, runs: true });
  },

  async remove(context, { question }) {
    await store.removeQuestion(context.db, await asRemover(context.db, context, question));
    return null;
  },
};
