import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Read } from '#platform/http/fast-path.ts';
import { send } from '#platform/http/reply.ts';
import { asText, jsonReply } from '#platform/http/compression.ts';
import { Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import { text } from '#wire/text.ts';

/** What the server draws: screens, or their frame, as far as they are the same for everybody. */
export type Markup = Record<'/' | '/login' | '/app', string>;

/** What the build of the web app brings along for the server. */
export interface Prerender {
  markup(settings: object): Promise<Markup>;
  callsOf(path: string): string[];
  render(
    path: string,
    answers: unknown[],
    viewer: { zone: string; now: string; rows: number },
  ): Promise<string>;
}

const isZone = (zone: string) => {
  try {
    return Boolean(new Intl.DateTimeFormat('en-GB', { timeZone: zone }));
  } catch {
    return false;
  }
};

const Asked = z.object({
  path: text(500),
  zone: text(100).refine(isZone),
  now: Instant,
  rows: z.coerce.number().int().min(1).max(100),
});

/**
 * Draws a screen with its data for whoever asks with their token, and sends the data along. It is read by calls of the API,
 * each as if the browser had made it: with its rights, limits and freshness.
 */
export function serveSsr(app: FastifyInstance, read: Read, { callsOf, render }: Prerender): void {
  app.get('/api/drawn', async (request, reply) => {
    const asked = Asked.safeParse(request.query);
    if (!asked.success) fail('bad_input');
    const { path, ...viewer } = asked.data;
    const calls = callsOf(path);
    if (calls.length === 0) fail('not_found');
    const { authorization, 'user-agent': agent } = request.headers;
    // As if whoever asks had made the call.
    const source = { method: 'GET', ip: request.ip, headers: { authorization, 'user-agent': agent } };
    const answers = await Promise.all(calls.map((url) => read({ ...source, url }) ?? fail('not_found')));
    const refused = answers.find(({ status }) => status !== 200);
    if (refused) return send(reply, refused);
    const texts = answers.map(({ body = '' }) => body.toString());
    const data = texts.map((text) => (JSON.parse(text) as { data: unknown }).data);
    const screen = {
      html: await render(path, data, viewer),
      answers: Object.fromEntries(texts.map((text, index) => [calls[index], text])),
    };
    const answer = asText(JSON.stringify({ data: screen, status: 200, error: null }));
    return send(reply, await jsonReply(request, 200, answer));
  });
}
