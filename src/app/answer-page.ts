import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '#languages/languages.ts';
import { toApiError } from '#platform/http/errors.ts';
import type { CallEndpoint } from '#platform/http/server.ts';
import type { Log } from '#platform/log.ts';
import type { Endpoint } from '#wire/endpoint.ts';
import type { ApiError } from '#wire/errors.ts';
import { answers, type LinkedAnswer } from '#features/events/answers/contract.ts';
import { languageHeaders, languageOf } from '#app/page-language.ts';
import type { Prerender } from '#app/ssr.ts';
import type { AnswerView } from '#app/web/pages/answer/sentences.ts';

interface AnswerPages {
  /** The HTML around the rendered markup. */
  templates: Record<Language, string>;
  log: Log;
  call: CallEndpoint;
  renderAnswer: Prerender['renderAnswer'];
}

/** The max size of a form in bytes. Its longest field is the undo token. */
const maxForm = 2048;

/**
 * The page that the answer links in emails open. GET shows an event and a form. POST saves the answer and redirects to
 * a GET that shows it. The page works without scripts. All data comes from the API, so the limits, locks and error
 * codes are those of the API. The page is in the look of the person whose link it is.
 */
export async function serveAnswerPage(app: FastifyInstance, pages: AnswerPages): Promise<void> {
  const { templates, log, call, renderAnswer } = pages;
  const page = (request: FastifyRequest, reply: FastifyReply, view: AnswerView, error?: ApiError) => {
    const { title, html, language } = renderAnswer(view, languageOf(request));
    return reply
      .status(error?.status ?? 200)
      .headers({ ...(error?.retryAfter && { 'retry-after': error.retryAfter }), 'x-robots-tag': 'noindex' })
      .headers(languageHeaders(language))
      .type('text/html; charset=utf-8')
      .send(templates[language].replace('<!--title-->', () => title).replace('<!--page-->', () => html));
  };
  const linkOf = (request: FastifyRequest) =>
    ask<LinkedAnswer>(call, answers.ofLink, request, { token: tokenIn(request) });

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: maxForm },
      (_request, form, done) => done(null, Object.fromEntries(new URLSearchParams(String(form)))),
    );
    scope.setErrorHandler((thrown, request, reply) => {
      const error = toApiError(thrown, request, log);
      return page(request, reply, { problem: error.code }, error);
    });
    // The service worker stores this page, and shows it for any answer link while the device is offline.
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

const tokenIn = ({ params }: FastifyRequest) => (params as { token: string }).token;

/** Calls the API on behalf of the client of a request, without a session. */
async function ask<Data>(
  call: CallEndpoint,
  endpoint: Endpoint,
  { id, ip, headers }: FastifyRequest,
  input: object,
): Promise<Data> {
  const { body = '' } = await call(endpoint, input, {
    id,
    ip,
    headers: { 'user-agent': headers['user-agent'] },
  });
  return (JSON.parse(body.toString()) as { data: Data }).data;
}
