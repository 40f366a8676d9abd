import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import rateLimit from '@fastify/rate-limit';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
} from 'fastify';
import { maxParamLength, createFastPath, type FastPathMethod, type Read } from '#platform/http/fast-path.ts';
import { send, type Request } from '#platform/http/reply.ts';
import {
  network,
  services,
  type AnyEndpoint,
  type AnyHandler,
  type Call,
  type Feature,
  type Service,
  type ServiceOptions,
} from '#platform/http/endpoint.ts';
import { toApiError, errorReply, rejectOtherMethods, rejectUnparsable } from '#platform/http/errors.ts';
import { takeFile, takeForms } from '#platform/http/uploads.ts';
import { fail, ApiError } from '#wire/errors.ts';

export interface HttpOptions extends ServiceOptions {
  /** The one path below /api that may become a websocket. */
  livePath: string;
  features: readonly Feature[];
  /** Hears of every answer, and how many milliseconds it took. */
  onReply?: ((call: Call, status: number, ms: number) => void) | undefined;
  /** Hears of every route; only tests listen. */
  onRoute?: ((route: { method: string | string[]; url: string }) => void) | undefined;
}

const securityHeaders = {
  // Whatever may be kept says so itself.
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'",
    "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    // The policy is in src/web/trusted-types.ts.
    "require-trusted-types-for 'script'; trusted-types muster",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

/** One proxy: only the address that it saw counts, since a client can put any other before it. */
const oneProxy = (_address: string, hop: number) => hop === 0;

/** The HTTP server with a route for every endpoint of `features`, not listening yet; and what answers in the process itself. */
export async function createHttp(options: HttpOptions): Promise<{ app: FastifyInstance; read: Read }> {
  const { config, log, onRoute } = options;
  const headers = {
    ...securityHeaders,
    ...(config.publicUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
  const onReply = (call: Call, status: number, ms: number) => logReply(options, call, status, ms);
  const errorReplyFor = (error: unknown, call: Request) => errorReply(toApiError(error, call, log));
  let limit: (call: Call) => Promise<void>;
  const fastPath = createFastPath({
    headers,
    ipOf: (request) =>
      config.trustProxy ? proxyAddr(request, oneProxy) : String(request.socket.remoteAddress),
    limit: (call) => limit(call),
    errorReplyFor,
    onReply,
  });
  const isServed = hostCheck(config);
  // A request for another host is refused where the hooks of Fastify see it.
  const app = openFastify(
    options,
    headers,
    (request, response) => isServed(request.headers.host) && fastPath.take(request, response),
  );
  app.removeContentTypeParser('text/plain');
  if (onRoute) app.addHook('onRoute', onRoute);
  app.addHook('onRequest', async (_request, reply) => void reply.headers(headers));
  app.addHook('onResponse', async (request, { statusCode, elapsedTime }) =>
    onReply(request, statusCode, elapsedTime),
  );
  app.setErrorHandler((error, request, reply) => send(reply, errorReplyFor(error, request)));
  limit = await limitNetworks(app, config);
  // Before all else of any route, so that nobody makes the server work by asking too often.
  app.addHook('onRequest', async (request) => {
    if (probes.has(request.routeOptions.url ?? '')) return;
    await limit(request);
    if (!isServed(request.headers.host)) fail('unknown_host');
  });

  const serviceOf = services(options);
  const methods = new Map<string, Set<string>>();
  for (const [name, endpoint, handlers] of endpointsOf(options.features)) {
    const service = serviceOf(endpoint, handlers[name] as AnyHandler);
    const url = `/api${endpoint.path}`;
    const own = 'document' in endpoint ? (['GET', 'HEAD'] as const) : [endpoint.method];
    if (onlyReads(endpoint)) {
      fastPath.add(own as readonly FastPathMethod[], url, service);
      // Fastify tells of its own.
      onRoute?.({ method: [...own], url });
    } else await app.register(async (scope) => addRoute(scope, endpoint, service));
    methods.set(url, new Set([...(methods.get(url) ?? []), ...own]));
  }
  for (const [url, known] of methods) rejectOtherMethods(app, url, known);
  return { app, read: fastPath.read };
}

const endpointsOf = (features: readonly Feature[]) =>
  features.flatMap(({ contract, handlers }) =>
    Object.entries(contract).map(([name, endpoint]) => [name, endpoint, handlers] as const),
  );

const onlyReads = (endpoint: AnyEndpoint): boolean =>
  'document' in endpoint || (endpoint.method === 'GET' && !endpoint.writes);

/** A server of Fastify's, for all that `take` does not take. */
const openFastify = (
  { config, log, livePath }: HttpOptions,
  headers: Record<string, string>,
  take: (...exchange: Parameters<RequestListener>) => boolean,
): FastifyInstance =>
  Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: 64 * 1024,
    exposeHeadRoutes: false,
    trustProxy: config.trustProxy && oneProxy,
    // What still arrives on an open connection while the server closes is answered like anything else.
    return503OnClosing: false,
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
    routerOptions: { maxParamLength: maxParamLength },
    serverFactory: (answer) =>
      createServer(
        {
          headersTimeout: 10_000,
          requestTimeout: 30_000,
          keepAliveTimeout: 65_000,
          connectionsCheckingInterval: 5000,
          maxHeaderSize: 16 * 1024,
          // Everywhere else a wish for another protocol is ignored, as HTTP allows.
          shouldUpgradeCallback: ({ url = '' }) => url.split('?', 1)[0] === `/api${livePath}`,
        },
        (request, response) => void (take(request, response) || answer(request, response)),
      ),
    frameworkErrors: (_error, _request, reply) =>
      send(reply.headers(headers), errorReply(new ApiError('bad_input'))),
    clientErrorHandler: (error, socket) => rejectUnparsable(error, socket, headers),
  });

const tooOften = (ttl: number) => new ApiError('too_often', { retryAfter: Math.ceil(ttl / 1000) });

/** What tells a balancer how the process fares: asked often, and by whatever name the balancer has for it. */
const probes = new Set(['/healthz', '/readyz']);

/** Counts requests by their network and refuses those above the limit. */
async function limitNetworks(
  app: FastifyInstance,
  { limitsPerAddress }: ServiceOptions['config'],
): Promise<(call: Call) => Promise<void>> {
  if (!limitsPerAddress) return async () => {};
  await app.register(rateLimit, {
    global: false,
    max: 1200,
    timeWindow: 60_000,
    keyGenerator: (request) => network(request.ip),
    errorResponseBuilder: (_request, { ttl }) => tooOften(ttl),
  });
  const count = app.createRateLimit();
  return async (call) => {
    const counted = await count(call as FastifyRequest);
    if (!counted.isAllowed && counted.isExceeded) throw tooOften(counted.ttl);
  };
}

/** Tells whether a `Host` header names this server. The port is not compared: proxies write theirs, or none. */
function hostCheck({ hosts }: ServiceOptions['config']): (header: string | undefined) => boolean {
  if (!hosts) return () => true;
  const names = new Set(hosts);
  return (header = '') => {
    const name = /^(\[[^\]]*\]|[^:@/]*)(?::\d*)?$/.exec(header)?.[1] ?? '';
    return names.has(name.toLowerCase().replace(/\.$/, ''));
  };
}

function addRoute(scope: FastifyInstance, endpoint: AnyEndpoint, { identify, answer }: Service) {
  if ('upload' in endpoint) takeFile(scope, endpoint);
  if ('takesForms' in endpoint) takeForms(scope);
  scope.route({
    method: endpoint.method,
    url: `/api${endpoint.path}`,
    // A file is taken only from somebody who is known.
    ...('upload' in endpoint
      ? { onRequest: async (request: Call) => void (request.identity = await identify(request)) }
      : {}),
    handler: async (request, reply) => send(reply, await answer(request)),
  });
}

function logReply({ log, onReply }: HttpOptions, call: Call, status: number, ms: number) {
  onReply?.(call, status, ms);
  log.info({
    request: call.id,
    method: call.method,
    path: call.routeOptions.url ?? 'unknown',
    status,
    ms: Math.round(ms),
    user: call.actor?.id,
  });
}
