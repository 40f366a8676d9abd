import type { FastifyInstance } from 'fastify';
import { updates, type LinkedUpdate } from '#features/updates/contract.ts';
import { ask, serveForms, tokenIn, type FormPages } from '#app/form-page.ts';
import type { ReadView } from '#app/web/pages/read/sentences.ts';

/**
 * The page that the link in an email about an important update opens. GET shows the update and a button. POST records
 * that the member has read it and redirects to a GET that says so. See `answer-page.ts`.
 */
export async function serveReadPage(app: FastifyInstance, pages: FormPages<ReadView>): Promise<void> {
  const { call } = pages;
  await serveForms(app, pages, (scope, page) => {
    scope.get('/read/:token', { exposeHeadRoute: true }, async (request, reply) => {
      const link = await ask<LinkedUpdate>(call, updates.ofLink, request, { token: tokenIn(request) });
      const { saved } = request.query as Record<string, unknown>;
      return page(request, reply, { link, isSaved: saved !== undefined });
    });
    scope.post('/read/:token', async (request, reply) => {
      await ask(call, updates.readByLink, request, { token: tokenIn(request) });
      // Relative, so the response does not contain the token.
      return reply.redirect('?saved=', 303);
    });
  });
}
