import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '#languages/languages.ts';
import { toApiError } from '#platform/http/errors.ts';
import type { CallEndpoint } from '#platform/http/server.ts';
import type { Log } from '#platform/log.ts';
import type { Endpoint } from '#wire/endpoint.ts';
import type { ApiError } from '#wire/errors.ts';
import { languageHeaders, languageOf } from '#app/page-language.ts';

/** Renders a page without scripts for its reader, or in this language if the reader is not known. */
export type RenderForm<View> = (
  view: View,
  language: Language,
) => { title: string; html: string; language: Language };

export interface FormPages<View> {
  /** The HTML around the rendered markup. */
  templates: Record<Language, string>;
  log: Log;
  call: CallEndpoint;
  render: RenderForm<View>;
}

/** Sends a page, with the status of the error that it shows. */
export type SendForm<View> = (
  request: FastifyRequest,
  reply: FastifyReply,
  view: View,
  error?: ApiError,
) => FastifyReply;

/** The max size of a form in bytes. Its longest field is the undo token of an answer. */
const maxForm = 2048;

/** Serves pages of links in emails: forms that work without scripts. An error is a page too, as `{ problem }`. */
export async function serveForms<View>(
  app: FastifyInstance,
  { templates, log, render }: FormPages<View | { problem: string }>,
  addRoutes: (scope: FastifyInstance, page: SendForm<View | { problem: string }>) => void,
): Promise<void> {
  const page: SendForm<View | { problem: string }> = (request, reply, view, error) => {
    const { title, html, language } = render(view, languageOf(request));
    return reply
      .status(error?.status ?? 200)
      .headers({ ...(error?.retryAfter && { 'retry-after': error.retryAfter }), 'x-robots-tag': 'noindex' })
      .headers(languageHeaders(language))
      .type('text/html; charset=utf-8')
      .send(templates[language].replace('<!--title-->', () => title).replace('<!--page-->', () => html));
  };
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
    addRoutes(scope, page);
  });
}

export const tokenIn = ({ params }: FastifyRequest): string => (params as { token: string }).token;

/** Calls the API on behalf of the client of a request, without a session. */
export async function ask<Data>(
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
