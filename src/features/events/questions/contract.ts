import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Id, Ref, text } from '#wire/text.ts';
import { maxAnswerLength, maxQuestionLength, Question } from '#features/events/question-contract.ts';

export const questions = {
  ask: endpoint({
    method: 'POST',
    path: '/v1/events/:event/questions',
    input: z.object({ event: Ref, question: text(maxQuestionLength).min(1) }),
    output: Question,
    status: 201,
    only: 201,
    creates: true,
    errors: ['not_member', 'event_cancelled', 'event_ended', 'too_many_questions'],
    summary: 'Ask the hosts of an event a question (members)',
  }),
  answer: endpoint({
    method: 'PUT',
    path: '/v1/questions/:question',
    input: z.object({ question: Id, answer: text(maxAnswerLength).min(1), shared: z.boolean() }),
    output: Question,
    only: 200,
    needsData: true,
    versioned: true,
    errors: ['not_runner', 'message_closed'],
    summary:
      'Answer a question, or change its answer, for its author alone or, without the name of the author, for all members (planners, hosts)',
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/v1/questions/:question',
    input: z.object({ question: Id }),
    output: z.null(),
    only: 200,
    summary: 'Delete a question with its answer (its author, planners, hosts)',
  }),
};
