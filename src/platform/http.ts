import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import rateLimit from '@fastify/rate-limit';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { z } from 'zod';
import type { Config } from '#platform/config.ts';
import { inTransaction, isUnavailable, type Db } from '#platform/db.ts';
import { sendDocument, type Document } from '#platform/document.ts';
import type { Log } from '#platform/log.ts';
import type {
  Contract,
  DocumentEndpoint,
  Endpoint,
  Envelope,
  UploadEndpoint,
  Who,
  WithFile,
} from '#wire/endpoint.ts';
import type { Instant } from '#wire/instant.ts';
import { refuse, Refused } from '#wire/refusal.ts';

/** Who sends a request: a user in one of their sessions. */
export interface Actor {
  id: string;
  session_id: string;
}

/** All that a handler has besides its input. `db` is the transaction of a writing endpoint, unless that takes a file. */
export interface Context<W extends Who = Who> {
  db: Db;
  now: Instant;
  user: W extends 'user' ? Actor : Actor | undefined;
  config: Config;
  /** The network address, for limits; and the browser's own words about itself. */
  caller: { ip: string; device: string };
}

type Handler<E> =
  E extends UploadEndpoint<infer Input, infer Output, infer W>
    ? (context: Context<W>, input: WithFile<z.output<Input>, Buffer>) => Promise<z.input<Output>>
    : E extends Endpoint<infer Input, infer Output, infer W>
      ? (context: Context<W>, input: z.output<Input>) => Promise<z.input<Output> | Refused>
      : E extends DocumentEndpoint<infer Input, infer W>
        ? (context: Context<W>, input: z.output<Input>) => Promise<Document>
        : never;

/** One function per endpoint. A thrown refusal rolls its transaction back; a returned one commits it first. */
export type Handlers<C extends Contract> = { [Name in keyof C]: Handler<C[Name]> };

/** A contract with what serves it. */
export interface Feature {
  contract: Contract;
  handlers: Record<string, (context: never, input: never) => Promise<unknown>>;
}

/** Reads the clock of the database and the session of an access token, in one statement. */
export type FindSession = (
  db: Db,
  accessToken: string | undefined,
) => Promise<{ now: Instant; user?: Actor }>;

export interface HttpOptions {
  config: Config;
  log: Log;
  db: Db;
  findSession: FindSession;
  /** The one path below /api that may become a websocket. */
  livePath: string;
  features: readonly Feature[];
  /** Hears of every answer. */
  onAnswer?: ((request: FastifyRequest, reply: FastifyReply) => void) | undefined;
  /** Hears of every route; only tests listen. */
  onRoute?: ((route: { method: string | string[]; url: string }) => void) | undefined;
}

const securityHeaders = {
  // Whatever may be kept says so itself.
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'",
    "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

const connections: ServerOptions = {
  headersTimeout: 10_000,
  connectionsCheckingInterval: 5000,
  maxHeaderSize: 16 * 1024,
};

/** The HTTP server with a route for every endpoint of `features`; not listening yet. */
export async function createHttp(options: HttpOptions): Promise<FastifyInstance> {
  const { config, log, onRoute } = options;
  const headers = {
    ...securityHeaders,
    ...(config.publicUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: 64 * 1024,
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    exposeHeadRoutes: false,
    // One proxy: only the address that it saw counts, since a client can put any other before it.
    trustProxy: config.trustProxy && ((_address: string, hop: number) => hop === 0),
    // What still arrives on an open connection while the server closes is answered like anything else.
    return503OnClosing: false,
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
    routerOptions: { maxParamLength: 500 },
    http: {
      ...connections,
      // Everywhere else a wish for another protocol is ignored, as HTTP allows.
      shouldUpgradeCallback: ({ url = '' }) => url.split('?', 1)[0] === `/api${options.livePath}`,
    },
    frameworkErrors: (_error, _request, reply) =>
      answerRefusal(reply.headers(headers), new Refused('bad_input')),
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, headers),
  });
  app.removeContentTypeParser('text/plain');
  if (onRoute) app.addHook('onRoute', onRoute);
  app.addHook('onRequest', async (_request, reply) => void reply.headers(headers));
  app.addHook('onResponse', async (request, reply) => noteAnswer(options, request, reply));
  app.setErrorHandler((error, request, reply) => answerRefusal(reply, asRefused(error, request, log)));
  await app.register(rateLimit, {
    global: config.limitsPerAddress,
    max: 1200,
    timeWindow: 60_000,
    keyGenerator: (request) => network(request.ip),
    errorResponseBuilder: (_request, { ttl }) =>
      new Refused('too_often', { retryAfter: Math.ceil(ttl / 1000) }),
  });

  const methods = new Map<string, Set<string>>();
  for (const { contract, handlers } of options.features) {
    for (const [name, endpoint] of Object.entries(contract)) {
      const handler = handlers[name] as AnyHandler;
      await app.register(async (scope) => {
        if ('upload' in endpoint) takeFile(scope, endpoint);
        if ('takesForms' in endpoint) takeForms(scope);
        addRoute(scope, options, endpoint, handler);
      });
      const known = methods.get(endpoint.path) ?? new Set();
      methods.set(
        endpoint.path,
        known.add(endpoint.method).add('document' in endpoint ? 'HEAD' : endpoint.method),
      );
    }
  }
  for (const [path, known] of methods) refuseOtherMethods(app, path, known);
  return app;
}

type AnyHandler = (context: Context, input: unknown) => Promise<unknown>;
type Asked = FastifyRequest & { actor?: Actor; identity?: Awaited<ReturnType<FindSession>> };

/** Where a file is taken, nothing else is. */
function takeFile(scope: FastifyInstance, { upload }: UploadEndpoint) {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    [...upload.types],
    { parseAs: 'buffer', bodyLimit: upload.most },
    (_request, file, done) => done(null, { file }),
  );
}

/** As RFC 8058 has it, either kind of form may come. */
function takeForms(scope: FastifyInstance) {
  const forms = ['application/x-www-form-urlencoded', 'multipart/form-data'];
  scope.addContentTypeParser(forms, { parseAs: 'string' }, (_request, _form, done) => done(null, {}));
}

function addRoute(
  app: FastifyInstance,
  options: HttpOptions,
  endpoint: Endpoint | DocumentEndpoint | UploadEndpoint,
  handler: AnyHandler,
) {
  const isDocument = 'document' in endpoint;
  const isUpload = 'upload' in endpoint;
  const identify = async (request: Asked) => {
    const identity = await options.findSession(options.db, bearer(request));
    if (identity.user) request.actor = identity.user;
    if (endpoint.who === 'user' && !identity.user) throw new Refused('not_signed_in');
    return identity;
  };
  app.route({
    method: isDocument ? ['GET', 'HEAD'] : endpoint.method,
    url: `/api${endpoint.path}`,
    ...(isDocument ? {} : { schema: { response: { [endpoint.status]: envelopeSchema(endpoint) } } }),
    // A file is taken only from somebody who is known.
    ...(isUpload
      ? { onRequest: async (request: Asked) => void (request.identity = await identify(request)) }
      : {}),
    async handler(request: Asked, reply) {
      const { now, user } = request.identity ?? (await identify(request));
      const input = readInput(endpoint, request);
      const caller = {
        ip: network(request.ip),
        device: String(request.headers['user-agent'] ?? '').slice(0, 200),
      };
      const work = (db: Db) =>
        handler({ db, now, user: user as Actor, config: options.config, caller }, input);

      const writes = !isDocument && !isUpload && endpoint.writes;
      const running = writes ? inTransaction(options.db, work) : work(options.db);
      const data = await running.catch((error: unknown) => blame(error, request, options));
      if (data instanceof Refused) throw data;
      if (isDocument) return sendDocument(request, reply, endpoint.document, data as Document);
      reply.status(endpoint.status);
      return { data, status: endpoint.status, error: null } satisfies Envelope;
    },
  });
}

/** What broke because the user was deleted while the request ran is answered as if it had come later. */
async function blame(error: unknown, request: Asked, { db, findSession }: HttpOptions): Promise<never> {
  const isFault = !(error instanceof Refused) && !isUnavailable(error);
  if (isFault && request.actor && !(await findSession(db, bearer(request))).user)
    throw new Refused('not_signed_in');
  throw error;
}

const everyMethod = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Answers 405 to what an address does not take. */
export function refuseOtherMethods(app: FastifyInstance, path: string, known: ReadonlySet<string>) {
  const method = everyMethod.filter((other) => !known.has(other));
  const allow = [...known].join(', ');
  app.route({
    method,
    url: `/api${path}`,
    handler: (_request, reply) => answerRefusal(reply.header('allow', allow), new Refused('wrong_method')),
  });
}

function bearer(request: FastifyRequest): string | undefined {
  return /^Bearer ([\w.~+/-]{1,200}=*)$/i.exec(request.headers.authorization ?? '')?.[1];
}

/** Path, query and body as one input, checked against the contract. What the contract does not name is dropped. */
function readInput(endpoint: Endpoint | DocumentEndpoint | UploadEndpoint, request: FastifyRequest): unknown {
  const body = request.body ?? {};
  if (typeof body !== 'object' || Array.isArray(body))
    throw new Refused('bad_input', { message: 'Send a JSON object.' });
  const isUpload = 'upload' in endpoint;
  const carried = isUpload || endpoint.method === 'GET' ? request.query : body;
  const parsed = endpoint.input.safeParse({ ...(carried as object), ...(request.params as object) });
  if (parsed.success) return isUpload ? { ...parsed.data, file: fileOf(body) } : parsed.data;
  const [issue] = parsed.error.issues;
  throw new Refused('bad_input', { message: `${issue?.path.join('.')}: ${issue?.message}` });
}

const fileOf = ({ file }: { file?: Buffer }): Buffer => (file?.length ? file : refuse('bad_input'));

/** The compiled serialiser writes only what stands in the contract, so that no other field of a row ever leaves. */
function envelopeSchema({ output }: Endpoint) {
  const { $schema: _, ...data } = z.toJSONSchema(output, { io: 'output', target: 'draft-7' });
  return {
    type: 'object',
    properties: { data, status: { type: 'integer' }, error: { type: 'null' } },
  };
}

/** Anything that is no refusal is a fault of ours: logged whole, answered without a word about its inside. */
function asRefused(error: unknown, request: FastifyRequest, log: Log): Refused {
  if (error instanceof Refused) return error;
  if (isUnavailable(error)) {
    log.warn({ request: request.id, error: (error as Error).message }, 'a part is down');
    return new Refused('unavailable', { retryAfter: 1 });
  }
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  if (status === 413) return new Refused('too_large');
  if (status === 415) return new Refused('wrong_media_type');
  if (status < 500) return new Refused('bad_input');
  log.error(
    {
      request: request.id,
      path: request.routeOptions.url,
      error: { message: (error as Error).message, stack: (error as Error).stack },
    },
    'fault',
  );
  return new Refused('broken');
}

function answerRefusal(reply: FastifyReply, { code, status, message, retryAfter }: Refused) {
  if (retryAfter) reply.header('retry-after', retryAfter);
  const envelope: Envelope = { data: null, status, error: code, message };
  return reply.status(status).send(envelope);
}

/** What is no HTTP, or too much of it, never becomes a request: the answer is written to the connection itself. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket, headers: Record<string, string>) {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  // Browsers connect ahead of need: an answer to nothing would be taken for that to the next request.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return void socket.destroy();
  const { code, status, message } = new Refused(
    error.code === 'HPE_HEADER_OVERFLOW' ? 'too_large' : 'bad_input',
  );
  const envelope: Envelope = { data: null, status, error: code, message };
  const body = JSON.stringify(envelope);
  const fields = {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
}

function noteAnswer({ log, onAnswer }: HttpOptions, request: Asked, reply: FastifyReply) {
  onAnswer?.(request, reply);
  log.info({
    request: request.id,
    method: request.method,
    path: request.routeOptions.url ?? 'unknown',
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime),
    user: request.actor?.id,
  });
}

/** The address that limits count by: of IPv6 the network, since one customer holds 2^64 addresses. */
function network(ip: string): string {
  if (!ip.includes(':') || ip.includes('.')) return ip;
  const [front = [], back = []] = ip.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => '0');
  return [...front, ...zeros, ...back].slice(0, 4).join(':');
}
