import type { FastifyRequest } from 'fastify';
import { isLanguage, type Language } from '#languages/languages.ts';
import { preferredLanguage } from '#platform/http/accept-language.ts';

/** The language in the query of a page's URL, if it is offered. */
export function languageInUrl({ query }: Pick<FastifyRequest, 'query'>): Language | undefined {
  const { lang } = query as { lang?: unknown };
  return typeof lang === 'string' && isLanguage(lang) ? lang : undefined;
}

/** The language of a page for a reader whom the server does not know. */
export const languageOf = (request: FastifyRequest): Language =>
  languageInUrl(request) ?? preferredLanguage(request.headers['accept-language']);

/** Shared caches keep one copy of a page for each value of the header from which its language was derived. */
export const languageHeaders = (language: Language) => ({
  'content-language': language,
  vary: 'Accept-Language',
});
