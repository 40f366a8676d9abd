import { randomUUID } from 'node:crypto';
import type { ServerOptions } from 'node:http';
import rateLimit from '@fastify/rate-limit';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { z } from 'zod';
import type { Config } from '#platform/config.ts';
import { answered, inTransaction, isUnavailable, type Db } from '#platform/db.ts';
import { printer, sendDocument, type Document, type KeptDocument, type Print } from '#platform/document.ts';
import { asText, sendJson } from '#platform/gzip.ts';
import { deedOf, once, type Answer } from '#platform/idempotency.ts';
import { keeper, sendShared, type Keep, type Shared } from '#platform/kept.ts';
import { Notebook, type Log, type Note } from '#platform/log.ts';
import { counter, type Count } from '#platform/rate.ts';
import {
  answerRefusal,
  asRefused,
  envelopeSchema,
  refuseOtherMethods,
  refuseUnreadable,
} from '#platform/refusals.ts';
import { fileOf, takeFile, takeForms } from '#platform/uploads.ts';
import { versionFor } from '#platform/version.ts';
import {
  takesKey,
  type Contract,
  type DocumentEndpoint,
  type Endpoint,
  type Envelope,
  type SharedEndpoint,
  type UploadEndpoint,
  type Who,
  type WithFile,
} from '#wire/endpoint.ts';
import type { Instant } from '#wire/instant.ts';
import { Refused } from '#wire/refusal.ts';

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
  /** The version that an edit was made for, where it says so. */
  ifVersion?: number | undefined;
  note: Note;
}

type Handler<E> =
  E extends UploadEndpoint<infer Input, infer Output, infer W>
    ? (context: Context<W>, input: WithFile<z.output<Input>, Buffer>) => Promise<z.input<Output>>
    : E extends SharedEndpoint<infer Input, infer Output, infer W>
      ? (context: Context<W>, input: z.output<Input>) => Promise<Shared<z.input<Output>>>
      : E extends Endpoint<infer Input, infer Output, infer W>
        ? (context: Context<W>, input: z.output<Input>) => Promise<z.input<Output> | Refused>
        : E extends DocumentEndpoint<infer Input, infer W>
          ? (context: Context<W>, input: z.output<Input>) => Promise<Document | KeptDocument>
          : never;

/** One function per endpoint. A thrown refusal rolls its transaction back; a returned one commits it first. */
export type Handlers<C extends Contract> = { [Name in keyof C]: Handler<C[Name]> };

/** A contract with what serves it. */
export interface Feature {
  contract: Contract;
  handlers: Record<string, (context: never, input: never) => Promise<unknown>>;
}

/** Reads the clock of the database and the session of an access token, not before it is called. */
export type FindSession = (accessToken?: string) => Promise<{ now: Instant; user?: Actor }>;

export interface HttpOptions {
  config: Config;
  log: Log;
  db: Db;
  reads: Db;
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

  const server = serverOf(options);
  const methods = new Map<string, Set<string>>();
  for (const { contract, handlers } of options.features) {
    for (const [name, endpoint] of Object.entries(contract)) {
      const handler = handlers[name] as AnyHandler;
      await app.register(async (scope) => {
        if ('upload' in endpoint) takeFile(scope, endpoint);
        if ('takesForms' in endpoint) takeForms(scope);
        addRoute(scope, server, endpoint, handler);
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
type Server = HttpOptions & { countRequest: Count; keep: Keep; print: Print };
const serverOf = (options: HttpOptions): Server => ({
  ...options,
  countRequest: counter(options.db, {
    what: 'requests',
    most: options.config.requestsPerMinute,
    seconds: 60,
  }),
  keep: keeper(),
  print: printer(),
});

type Asked = FastifyRequest & { actor?: Actor; identity?: Awaited<ReturnType<FindSession>> };

type AnyEndpoint = Endpoint | DocumentEndpoint | UploadEndpoint;

function addRoute(app: FastifyInstance, server: Server, endpoint: AnyEndpoint, handler: AnyHandler) {
  const isDocument = 'document' in endpoint;
  const identify = identifier(server, endpoint);
  app.route({
    method: isDocument ? ['GET', 'HEAD'] : endpoint.method,
    url: `/api${endpoint.path}`,
    ...(isDocument ? {} : { schema: { response: { [endpoint.status]: envelopeSchema(endpoint) } } }),
    // A file is taken only from somebody who is known.
    ...('upload' in endpoint
      ? { onRequest: async (request: Asked) => void (request.identity = await identify(request)) }
      : {}),
    async handler(request: Asked, reply) {
      const since = performance.now();
      const { now, user } = request.identity ?? (await identify(request));
      const input = readInput(endpoint, request);
      const context = {
        now,
        user: user as Actor,
        config: server.config,
        caller: {
          ip: network(request.ip),
          device: String(request.headers['user-agent'] ?? '').slice(0, 200),
        },
        ...('versioned' in endpoint ? { ifVersion: versionFor(request) } : {}),
      };
      const notes = new Notebook();
      const work = (db: Db) => notes.during((note) => handler({ ...context, db, note }, input));
      const given =
        isDocument || 'shared' in endpoint
          ? work(server.reads)
          : perform(server, endpoint, { request, reply, since, now, user, work });
      const answer = await given
        .catch((error: unknown) => blame(notes.afterFault(error), request, server))
        .finally(() => notes.tell(server.log, { request: request.id, user: user?.id }));
      if (isDocument)
        return sendDocument(request, reply, endpoint, await server.print(answer as Document | KeptDocument));
      if ('shared' in endpoint)
        return sendShared(
          request,
          reply,
          await server.keep((answer as Shared<unknown>).page, (data) => write(reply, 200, data)),
        );
      const { status, body } = answer as Answer;
      return sendJson(request, reply.status(status), asText(body));
    },
  });
}

/** Tells who asks, and that nobody asks too often. */
const identifier =
  ({ findSession, countRequest }: Server, { who }: AnyEndpoint) =>
  async (request: Asked) => {
    const identity = await answered(findSession(bearer(request)));
    if (identity.user) request.actor = identity.user;
    if (who === 'user' && !identity.user) throw new Refused('not_signed_in');
    if (who === 'user' && identity.user) await countRequest(identity.user.id, identity.now);
    return identity;
  };

interface Call {
  request: FastifyRequest;
  reply: FastifyReply;
  /** When it came, by the app's own clock for intervals. */
  since: number;
  now: Instant;
  user: Actor | undefined;
  work(db: Db): Promise<unknown>;
}

/** Does what a call asks for, in one transaction where it writes; a deed that has a key is done once. */
async function perform(
  { db, reads, config }: Server,
  endpoint: Endpoint | UploadEndpoint,
  { request, reply, since, now, user, work }: Call,
): Promise<Answer> {
  const { status } = endpoint;
  // Written before the commit: an answer that can't be given leaves nothing done.
  const answer = async (transaction: Db): Promise<Answer | Refused> => {
    const data = await work(transaction);
    if (data instanceof Refused) return data;
    return { status, body: write(reply, status, data) };
  };
  const deed = user && takesKey(endpoint) ? deedOf(request, user.id, config.secretKey) : undefined;
  const inOne = (transaction: Db) =>
    deed ? once(transaction, deed, now, () => answer(transaction)) : answer(transaction);
  const transacts = endpoint.writes && !('upload' in endpoint);
  const given = await (transacts ? inTransaction(db, inOne, since) : answer(endpoint.writes ? db : reads));
  if (given instanceof Refused) throw given;
  return given;
}

/** Writes what the contract names, and nothing else. */
function write(reply: FastifyReply, status: number, data: unknown): string {
  const envelope: Envelope = { data, status, error: null };
  return String(reply.status(status).serialize(envelope));
}

/** What broke because the user was deleted while the request ran is answered as if it had come later. */
async function blame(error: unknown, request: Asked, { findSession }: Server): Promise<never> {
  const isFault = !(error instanceof Refused) && !isUnavailable(error);
  if (isFault && request.actor && !(await findSession(bearer(request))).user)
    throw new Refused('not_signed_in');
  throw error;
}

function bearer(request: FastifyRequest): string | undefined {
  return /^Bearer ([\w.~+/-]{1,200}=*)$/i.exec(request.headers.authorization ?? '')?.[1];
}

/** Path, query and body as one input, checked against the contract. What the contract does not name is dropped. */
function readInput(endpoint: AnyEndpoint, request: FastifyRequest): unknown {
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
