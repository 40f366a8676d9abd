import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import rateLimit from '@fastify/rate-limit';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
} from 'fastify';
import { send, type Reply } from '#platform/http/reply.ts';
import {
  services,
  type AnyHandler,
  type Call,
  type Feature,
  type Service,
  type ServiceOptions,
} from '#platform/http/endpoint.ts';
import { toApiError, errorReply, rejectOtherMethods, rejectUnparsable } from '#platform/http/errors.ts';
import { takeFile, takeForms } from '#platform/http/uploads.ts';
import { networkOf, trustedBy } from '#platform/ip-address.ts';
import type { AnyEndpoint } from '#wire/endpoint.ts';
import { fail, ApiError, type ErrorCode } from '#wire/errors.ts';

export interface HttpOptions extends ServiceOptions {
  /** The path of the websocket, below /api. */
  livePath: string;
  features: readonly Feature[];
  /** Called after each response, with its duration in milliseconds. */
  onReply?: ((call: Call, status: number, ms: number) => void) | undefined;
  /** Called for each error response. Used only by tests. */
  onError?: ((call: Call, code: ErrorCode) => void) | undefined;
  /** Called for each registered route. Used only by tests. */
  onRoute?: ((route: { method: string | string[]; url: string }) => void) | undefined;
}

const securityHeaders = {
  // The default. Cacheable responses override it.
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'",
    "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    // The policy is created in src/web/first/trusted-types.ts.
    "require-trusted-types-for 'script'; trusted-types muster",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

/**
 * Calls an endpoint inside the process on behalf of a request, and counts towards the rate limit of that request.
 * Throws an `ApiError`.
 */
export type CallEndpoint = (
  endpoint: Pick<AnyEndpoint, 'method' | 'path'>,
  params: object,
  onBehalfOf: Pick<Call, 'id' | 'ip' | 'headers' | 'screen'>,
) => Promise<Reply>;

/** Creates the HTTP server with a route for each endpoint of `features`. */
export async function createHttp(
  options: HttpOptions,
): Promise<{ app: FastifyInstance; call: CallEndpoint }> {
  const { config, log, onError, onRoute } = options;
  const headers = {
    ...securityHeaders,
    ...(config.publicUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
  const app = openFastify(options, headers);
  app.removeContentTypeParser('text/plain');
  app.decorateRequest('actor');
  app.decorateRequest('identity');
  if (onRoute) app.addHook('onRoute', onRoute);
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
  app.addHook('onResponse', (request, { statusCode, elapsedTime }, done) => {
    logReply(options, request, statusCode, elapsedTime);
    done();
  });
  app.setErrorHandler((error, request, reply) => {
    const apiError = toApiError(error, request, log);
    onError?.(request, apiError.code);
    return send(reply, errorReply(apiError));
  });
  const isServed = hostCheck(config);
  const limit = await limitNetworks(app, config);
  // This is the first hook of every route, so that requests over the limit cause no further work.
  app.addHook('onRequest', async (request) => {
    if (probes.has(request.routeOptions.url ?? '')) return;
    await limit(request);
    if (!isServed(request.headers.host)) fail('unknown_host');
  });

  const serviceOf = services(options);
  const servicesByName = new Map<string, Service>();
  const methods = new Map<string, Set<string>>();
  for (const [name, endpoint, handlers] of endpointsOf(options.features)) {
    const service = serviceOf(endpoint, handlers[name] as AnyHandler);
    servicesByName.set(nameOf(endpoint), service);
    const served = [...methodsOf(endpoint), ...(pageOf(endpoint) ? reads : [])];
    await app.register(async (scope) => addRoute(scope, endpoint, service));
    methods.set(urlOf(endpoint), new Set([...(methods.get(urlOf(endpoint)) ?? []), ...served]));
  }
  for (const [url, served] of methods) rejectOtherMethods(app, url, served);
  const call: CallEndpoint = async (endpoint, params, onBehalfOf) =>
    (servicesByName.get(nameOf(endpoint)) as Service).respond({
      ...onBehalfOf,
      method: endpoint.method,
      url: urlOf(endpoint),
      params,
      query: {},
      body: undefined,
      routeOptions: { url: urlOf(endpoint) },
    });
  return { app, call };
}

const nameOf = ({ method, path }: Pick<AnyEndpoint, 'method' | 'path'>) => `${method} ${path}`;

const urlOf = ({ path }: Pick<AnyEndpoint, 'path'>): string => `/api${path}`;

const methodsOf = (endpoint: AnyEndpoint): string[] => ('document' in endpoint ? reads : [endpoint.method]);

const reads = ['GET', 'HEAD'];
const pageOf = (endpoint: AnyEndpoint) => ('page' in endpoint ? endpoint.page : undefined);

const endpointsOf = (features: readonly Feature[]) =>
  features.flatMap(({ contract, handlers }) =>
    Object.entries(contract).map(([name, endpoint]) => [name, endpoint, handlers] as const),
  );

const openFastify = (
  { config, log, livePath }: HttpOptions,
  headers: Record<string, string>,
): FastifyInstance =>
  Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: 64 * 1024,
    exposeHeadRoutes: false,
    trustProxy: config.trustedProxies !== 0 && trustedBy(config.trustedProxies),
    // Requests on open connections still get a response while the server closes.
    return503OnClosing: false,
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
    // Bytes. Invitation links and feed secrets are long.
    routerOptions: { maxParamLength: 500 },
    serverFactory: (requestListener) =>
      createServer(
        {
          headersTimeout: 10_000,
          requestTimeout: 30_000,
          keepAliveTimeout: 65_000,
          connectionsCheckingInterval: 5000,
          maxHeaderSize: 16 * 1024,
          // On other paths the `Upgrade` header is ignored, as HTTP allows.
          shouldUpgradeCallback: ({ url = '' }) => url.split('?', 1)[0] === `/api${livePath}`,
        },
        requestListener,
      ),
    frameworkErrors: ({ code }, _request, reply) => {
      // No name or token is that long.
      const error = new ApiError(code === 'FST_ERR_MAX_PARAM_LENGTH' ? 'not_found' : 'bad_input');
      return send(reply.headers(headers), errorReply(error));
    },
    clientErrorHandler: (error, socket) => rejectUnparsable(error, socket, headers),
  });

const tooOften = (ttl: number) => new ApiError('too_often', { retryAfter: Math.ceil(ttl / 1000) });

/** Health checks of load balancers: exempt from the rate limit and from the host check. */
const probes = new Set(['/healthz', '/readyz']);

/** Rate limit per network address. */
async function limitNetworks(
  app: FastifyInstance,
  { limitsPerAddress }: ServiceOptions['config'],
): Promise<(call: Call) => Promise<void>> {
  if (!limitsPerAddress) return async () => {};
  await app.register(rateLimit, {
    global: false,
    max: 1200,
    timeWindow: 60_000,
    keyGenerator: (request) => networkOf(request.ip),
    errorResponseBuilder: (_request, { ttl }) => tooOften(ttl),
  });
  const count = app.createRateLimit();
  return async (call) => {
    const counted = await count(call as FastifyRequest);
    if (!counted.isAllowed && counted.isExceeded) throw tooOften(counted.ttl);
  };
}

/** Checks the `Host` header. The port is ignored, because a proxy sends its own port or no port. */
function hostCheck({ hosts }: ServiceOptions['config']): (header: string | undefined) => boolean {
  if (!hosts) return () => true;
  const names = new Set(hosts);
  return (header = '') => {
    const name = /^(\[[^\]]*\]|[^:@/]*)(?::\d*)?$/.exec(header)?.[1] ?? '';
    return names.has(name.toLowerCase().replace(/\.$/, ''));
  };
}

function addRoute(scope: FastifyInstance, endpoint: AnyEndpoint, { identify, respond }: Service) {
  if ('upload' in endpoint) takeFile(scope, endpoint);
  if ('takesForms' in endpoint) takeForms(scope);
  scope.route({
    method: methodsOf(endpoint),
    url: urlOf(endpoint),
    // Authenticate before the file is read.
    ...('upload' in endpoint
      ? { onRequest: async (request: Call) => void (request.identity = await identify(request)) }
      : {}),
    handler: async (request, reply) => send(reply, await respond(request)),
  });
  const page = pageOf(endpoint);
  if (page === undefined) return;
  scope.route<{ Params: Record<string, string> }>({
    method: reads,
    url: urlOf(endpoint),
    handler: ({ params }, reply) => reply.redirect(`${page}?${new URLSearchParams(params)}`, 302),
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
