import type { FastifyInstance, FastifyRequest } from 'fastify';
import { toApiError } from '#platform/http/errors.ts';
import { answers, type LinkedAnswer } from '#features/events/answers/contract.ts';
import { ask, serveForms, tokenIn, type FormPages } from '#app/form-page.ts';
import type { AnswerView } from '#app/web/pages/answer/sentences.ts';

/**
 * The page that the answer links in emails open. GET shows an event and a form. POST saves the answer and redirects to
 * a GET that shows it. The page works without scripts. All data comes from the API, so the limits, locks and error
 * codes are those of the API. The page is in the look of the person whose link it is.
 */
export async function serveAnswerPage(app: FastifyInstance, pages: FormPages<AnswerView>): Promise<void> {
  const { log, call } = pages;
  const linkOf = (request: FastifyRequest) =>
    ask<LinkedAnswer>(call, answers.ofLink, request, { token: tokenIn(request) });

  await serveForms(app, pages, (scope, page) => {
    // The service worker stores this page, and shows it for any link in an email while the device is offline.
    scope.get('/answer/offline', { exposeHeadRoute: true }, (request, reply) =>
      page(request, reply, { problem: 'offline' }),
    );
    scope.get('/answer/:token', { exposeHeadRoute: true }, async (request, reply) => {
      const { a: marked, saved, undo } = request.query as Record<string, unknown>;
      const isSaved = saved !== undefined;
      const link = await linkOf(request);
      const isEvery = saved === 'every';
      return page(request, reply, {
        link,
        marked,
        isSaved,
        isEvery,
        ...(typeof undo === 'string' && { undo }),
      });
    });
    scope.post('/answer/:token', async (request, reply) => {
      const { answer, guests, undo } = (request.body ?? {}) as Record<string, string | undefined>;
      const input = { token: tokenIn(request), answer, undo, guests: guests ? Number(guests) : undefined };
      try {
        const saved = await ask<{ undo: string | null }>(call, answers.answerByLink, request, input);
        const shown = new URLSearchParams({
          saved: answer === 'every' ? 'every' : '',
          ...(saved.undo && { undo: saved.undo }),
        });
        // Relative, so the response does not contain the token.
        return await reply.redirect(`?${shown}`, 303);
      } catch (thrown) {
        const error = toApiError(thrown, request, log);
        // Do not look up the link of a wrong token again, because that would count the token twice towards the limit.
        if (error.code === 'not_found') throw error;
        const failure = { code: error.code, isUndo: undo !== undefined };
        return page(request, reply, { link: await linkOf(request), marked: answer, failure }, error);
      }
    });
  });
}
