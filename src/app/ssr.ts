import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Read } from '#platform/http/fast-path.ts';
import { send } from '#platform/http/reply.ts';
import { asText, jsonReply } from '#platform/http/compression.ts';
import { Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import { text } from '#wire/text.ts';

/** Prerendered markup that is the same for every viewer: screens, or the app's frame. */
export type Markup = Record<'/' | '/login' | '/app', string>;

/** The exports of the server bundle in dist/server. */
export interface Prerender {
  markup(settings: object): Promise<Markup>;
  callsOf(path: string): string[];
  render(path: string, data: unknown[], viewer: { zone: string; now: string; rows: number }): Promise<string>;
}

const isZone = (zone: string) => {
  try {
    return Boolean(new Intl.DateTimeFormat('en-GB', { timeZone: zone }));
  } catch {
    return false;
  }
};

const Query = z.object({
  path: text(500),
  zone: text(100).refine(isZone),
  now: Instant,
  rows: z.coerce.number().int().min(1).max(100),
});

/**
 * Renders a screen with its data for the caller's token, and returns the data with the markup. The data comes from API
 * calls made on behalf of the browser, with the same authorisation, rate limits and caching.
 */
export function serveSsr(app: FastifyInstance, read: Read, { callsOf, render }: Prerender): void {
  app.get('/api/drawn', async (request, reply) => {
    const query = Query.safeParse(request.query);
    if (!query.success) fail('bad_input');
    const { path, ...viewer } = query.data;
    const calls = callsOf(path);
    if (calls.length === 0) fail('not_found');
    const { authorization, 'user-agent': agent } = request.headers;
    // The calls count as the caller's own.
    const source = { method: 'GET', ip: request.ip, headers: { authorization, 'user-agent': agent } };
    const replies = await Promise.all(calls.map((url) => read({ ...source, url }) ?? fail('not_found')));
    const failed = replies.find(({ status }) => status !== 200);
    if (failed) return send(reply, failed);
    const texts = replies.map(({ body = '' }) => body.toString());
    const data = texts.map((text) => (JSON.parse(text) as { data: unknown }).data);
    const screen = {
      html: await render(path, data, viewer),
      answers: Object.fromEntries(texts.map((text, index) => [calls[index], text])),
    };
    const body = asText(JSON.stringify({ data: screen, status: 200, error: null }));
    return send(reply, await jsonReply(request, 200, body));
  });
}
