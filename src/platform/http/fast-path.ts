import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import findMyWay from 'find-my-way';
import type { Reply } from '#platform/http/reply.ts';
import type { Call, Service } from '#platform/http/endpoint.ts';

export interface FastPathOptions {
  /** What stands in the head of every answer. */
  headers: Record<string, string>;
  ipOf(request: IncomingMessage): string;
  /** Refuses whoever asks too often. */
  limit(call: Call): Promise<void>;
  errorReplyFor(error: unknown, call: Call): Reply;
  /** Hears of every answer, and how many milliseconds it took. */
  onReply(call: Call, status: number, ms: number): void;
}

export type FastPathMethod = 'GET' | 'HEAD';

/** Octets of a placeholder in a path. */
export const maxParamLength = 500;

/** What a request is read from. */
type Source = Pick<Call, 'method' | 'url' | 'ip' | 'headers'>;

/** What is answered to a call that only reads; nothing, where there is no such endpoint. */
export type Read = (source: Source) => Promise<Reply> | undefined;

/** Answers calls that only read, and they are the most, with nothing between them and node:http. */
export function createFastPath({ headers, ipOf, limit, errorReplyFor, onReply }: FastPathOptions) {
  const router = findMyWay({ maxParamLength: maxParamLength });

  const read: Read = (source) => {
    const way = router.find(source.method as FastPathMethod, source.url);
    if (!way) return undefined;
    const { service, routeOptions } = way.store as { service: Service; routeOptions: { url: string } };
    const { params, searchParams: query } = way;
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
    /** Answers a request, if it is such a call. */
    take(request: IncomingMessage, response: ServerResponse): boolean {
      const { method = '', url = '', headers: sent } = request;
      if (method !== 'GET' && method !== 'HEAD') return false;
      const source = { method, url, ip: ipOf(request), headers: sent };
      const reply = read(source);
      void reply
        ?.then((given) => write(response, headers, given))
        .catch((error: unknown) => write(response, headers, errorReplyFor(error, unrouted(source))))
        // Half an answer is on its way already.
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
