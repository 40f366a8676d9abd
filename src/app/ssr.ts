import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type Chunks, scriptsOf } from '#app/page-scripts.ts';
import type { RenderForm } from '#app/form-page.ts';
import type { Language } from '#languages/languages.ts';
import type { CallEndpoint } from '#platform/http/server.ts';
import { jsonReply, send } from '#platform/http/reply.ts';
import { urlOf } from '#wire/client.ts';
import type { Endpoint } from '#wire/endpoint.ts';
import { instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import type { Look } from '#wire/look.ts';
import { text } from '#wire/text.ts';
import { isTimeZone } from '#wire/time-zone.ts';
import type { AnswerView } from '#app/web/pages/answer/sentences.ts';
import type { ReadView } from '#app/web/pages/read/sentences.ts';

/** Markup that is the same for every viewer: two pages in each language, and the frame of the app, which has no words. */
export interface Markup {
  '/': Record<Language, string>;
  '/login': Record<Language, string>;
  '/app': string;
}

/** An API call whose response a screen is rendered from. */
interface ScreenCall {
  endpoint: Endpoint;
  params: Record<string, string>;
  /** Identifies the response in the app. */
  queryKey: readonly unknown[];
}

/** The exports of the server bundle in dist/server. */
export interface Prerender {
  markup(settings: object): Promise<Markup>;
  screenAt(
    path: string,
  ): { file: string; calls: ScreenCall[]; partsFor?(data: readonly unknown[]): string[] } | undefined;
  render(
    calls: readonly ScreenCall[],
    data: readonly unknown[],
    viewer: { path: string; zone: string; now: string; rows: number; wide: boolean },
  ): Promise<{ html: string; look: Look }>;
  renderAnswer: RenderForm<AnswerView>;
  renderRead: RenderForm<ReadView>;
}

const Query = z.object({
  path: text(500),
  zone: text(100).refine(isTimeZone),
  rows: z.coerce.number().int().min(1).max(100),
  wide: z.stringbool(),
});

/**
 * Renders a screen with its data for the caller's token, and returns the data with the markup. The data comes from
 * endpoints called on behalf of the browser, with the same authorisation, rate limits and caching. Their lists contain
 * only the rows that the screen shows at first; `incomplete` names the responses that omit rows. `scripts` names those
 * that only some viewers need, besides those that the page names.
 */
export function serveSsr(
  app: FastifyInstance,
  call: CallEndpoint,
  { screenAt, render }: Prerender,
  chunks: Chunks,
): void {
  app.get('/api/screen', async (request, reply) => {
    const query = Query.safeParse(request.query);
    if (!query.success) fail('bad_input');
    const { path } = query.data;
    const { file, calls, partsFor = () => [] } = screenAt(path) ?? fail('not_found');
    const { id, ip, headers } = request;
    // Passes on no other header: with `accept-encoding`, for example, the bodies would be compressed.
    const caller = {
      id,
      ip,
      headers: { authorization: headers.authorization, 'user-agent': headers['user-agent'] },
    };
    const { rows } = query.data;
    const incomplete: ScreenCall['queryKey'][] = [];
    const replies = await Promise.all(
      calls.map(({ endpoint, params, queryKey }) =>
        call(endpoint, params, {
          ...caller,
          screen: { rows, leaveOutRows: () => void incomplete.push(queryKey) },
        }),
      ),
    );
    const texts = replies.map(({ body = '' }) => body.toString());
    const data = texts.map((text) => (JSON.parse(text) as { data: unknown }).data);
    const named = new Set(scriptsOf(path, chunks, [file]));
    const more = scriptsOf(path, chunks, partsFor(data)).filter((script) => !named.has(script));
    // By the clock of the server, because the clock of the device may be wrong.
    const now = instant(Date.now());
    const screen = {
      ...(await render(calls, data, { ...query.data, now })),
      now,
      responses: Object.fromEntries(
        calls.map(({ endpoint, params }, at) => [urlOf(endpoint, params), texts[at]]),
      ),
      incomplete,
      scripts: more.map((script) => `/${script}`),
    };
    const body = JSON.stringify({ data: screen, status: 200, error: null });
    return send(reply, await jsonReply(request, 200, body));
  });
}
