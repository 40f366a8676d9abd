import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import findMyWay from 'find-my-way';
import type { Reply } from '#platform/http/reply.ts';
import type { Call, Service } from '#platform/http/endpoint.ts';

export interface FastPathOptions {
  /** Headers of every response. */
  headers: Record<string, string>;
  ipOf(request: IncomingMessage): string;
  /** Rate limit. Throws when exceeded. */
  limit(call: Call): Promise<void>;
  errorReplyFor(error: unknown, call: Call): Reply;
  /** Called after each response, with its duration in milliseconds. */
  onReply(call: Call, status: number, ms: number): void;
}

export type FastPathMethod = 'GET' | 'HEAD';

/** Maximum length of a path parameter, in bytes. */
export const maxParamLength = 500;

/** The part of a call that comes from the connection. */
type Source = Pick<Call, 'method' | 'url' | 'ip' | 'headers'>;

/** Answers a read. Returns undefined if no endpoint matches. */
export type Read = (source: Source) => Promise<Reply> | undefined;

/** Answers reads, the most frequent calls, directly on node:http without Fastify. */
export function createFastPath({ headers, ipOf, limit, errorReplyFor, onReply }: FastPathOptions) {
  const router = findMyWay({ maxParamLength });

  const read: Read = (source) => {
    const match = router.find(source.method as FastPathMethod, source.url);
    if (!match) return undefined;
    const { service, routeOptions } = match.store as { service: Service; routeOptions: { url: string } };
    const { params, searchParams: query } = match;
    return answer({ ...source, id: randomUUID(), params, query, body: undefined, routeOptions }, service);
  };

  async function answer(call: Call, service: Service): Promise<Reply> {
    const since = performance.now();
    const reply = await limit(call)
      .then(() => service.answer(call))
      .catch((error: unknown) => errorReplyFor(error, call));
    onReply(call, reply.status, performance.now() - since);
    return reply;
  }

  return {
    read,
    add(methods: readonly FastPathMethod[], url: string, service: Service): void {
      router.on([...methods], url, () => {}, { service, routeOptions: { url } });
    },
    /** Answers the request if it is a read of a known endpoint. Returns whether it is. */
    take(request: IncomingMessage, response: ServerResponse): boolean {
      const { method = '', url = '', headers: sent } = request;
      if (method !== 'GET' && method !== 'HEAD') return false;
      const source = { method, url, ip: ipOf(request), headers: sent };
      const reply = read(source);
      void reply
        ?.then((answered) => write(response, headers, answered))
        .catch((error: unknown) => write(response, headers, errorReplyFor(error, unrouted(source))))
        // The response is already partly sent.
        .catch(() => response.destroy());
      return reply !== undefined;
    },
  };
}

const unrouted = (source: Source): Call => ({
  ...source,
  id: randomUUID(),
  params: {},
  query: {},
  body: undefined,
  routeOptions: {},
});

function write(response: ServerResponse, common: object, { status, headers, body }: Reply): void {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...common, ...headers, ...length }).end(body);
}
