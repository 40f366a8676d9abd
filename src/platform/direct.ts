import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import findMyWay from 'find-my-way';
import type { Reply } from '#platform/exchange.ts';
import type { Call, Service } from '#platform/http.ts';

export interface DirectOptions {
  /** What stands in the head of every answer. */
  headers: Record<string, string>;
  ipOf(request: IncomingMessage): string;
  /** Refuses whoever asks too often. */
  limit(call: Call): Promise<void>;
  refusalOf(error: unknown, call: Call): Reply;
  /** Hears of every answer, and how many milliseconds it took. */
  onReply(call: Call, status: number, ms: number): void;
}

export type DirectMethod = 'GET' | 'HEAD';

/** Octets of a placeholder in a path. */
export const longestParam = 500;

/** Answers calls that only read, and they are the most, with nothing between them and node:http. */
export function openDirect({ headers, ipOf, limit, refusalOf, onReply }: DirectOptions) {
  const router = findMyWay({ maxParamLength: longestParam });

  async function answer(call: Call, service: Service, response: ServerResponse): Promise<void> {
    const since = performance.now();
    const reply = await limit(call)
      .then(() => service.answer(call))
      .catch((error: unknown) => refusalOf(error, call));
    write(response, headers, reply);
    onReply(call, reply.status, performance.now() - since);
  }

  return {
    add(methods: readonly DirectMethod[], url: string, service: Service): void {
      const routeOptions = { url };
      router.on([...methods], url, (request, response, params, _store, query) => {
        const { method = '', url: asked = '', headers: sent } = request;
        const call: Call = {
          id: randomUUID(),
          method,
          url: asked,
          ip: ipOf(request),
          headers: sent,
          params,
          query,
          body: undefined,
          routeOptions,
        };
        void answer(call, service, response);
      });
    },
    /** Answers a request, if it is such a call. */
    take(request: IncomingMessage, response: ServerResponse): boolean {
      const { method, url } = request;
      if ((method !== 'GET' && method !== 'HEAD') || url === undefined) return false;
      const way = router.find(method, url);
      if (!way) return false;
      way.handler(request, response, way.params, way.store, way.searchParams);
      return true;
    },
  };
}

function write(response: ServerResponse, common: object, { status, headers, body }: Reply): void {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...common, ...headers, ...length }).end(body);
}
