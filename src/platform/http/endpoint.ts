import { isIPv6 } from 'node:net';
import fastJson, { type Schema } from 'fast-json-stringify';
import type { z } from 'zod';
import type { Config } from '#platform/config.ts';
import { inTransaction, isUnavailable, type Db } from '#platform/db/client.ts';
import {
  documentReply,
  createDocuments,
  type Document,
  type CachedDocument,
} from '#platform/http/document.ts';
import type { Reply, Request } from '#platform/http/reply.ts';
import { asText, jsonReply } from '#platform/http/compression.ts';
import { keyedRequestOf, idempotent, type Answer } from '#platform/http/idempotency.ts';
import { createSharedResponses, sharedReply, type Shared } from '#platform/http/shared-response.ts';
import { AuditLog, type Log, type RecordAudit } from '#platform/log.ts';
import { counter } from '#platform/http/rate-limit.ts';
import { envelopeSchema } from '#platform/http/errors.ts';
import { digest } from '#platform/token.ts';
import { fileOf } from '#platform/http/uploads.ts';
import { versionFor } from '#platform/http/edit-version.ts';
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
import { ApiError } from '#wire/errors.ts';

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
  record: RecordAudit;
}

/** Who asks, before anything is known of them. */
export interface Credentials {
  /** Of the access token, if one was sent. */
  access: Buffer | null;
  /** Seconds by which the clock runs before the database's. Only in tests it does. */
  clockOffset: number;
}

/** When somebody asked, by the clock that decides, and who it was, if they have a session. */
export interface Identity {
  now: Instant;
  user?: Actor | undefined;
}

/** Handles a call whose first look says all at once: what time it is, who asks, and what there is for them to see. */
export interface Preloaded<Input, Output, Found extends Identity = never> {
  preload(db: Db, credentials: Credentials, input: Input): Promise<Found>;
  respond(context: Context, found: Found, input: Input): Promise<Output>;
}

/** Hides what is found: only the handler itself cares. */
export const preloaded = <Input, Output, Found extends Identity>(
  handler: Preloaded<Input, Output, Found>,
): Preloaded<Input, Output> => handler as unknown as Preloaded<Input, Output>;

type Handler<E> =
  E extends UploadEndpoint<infer Input, infer Output, infer W>
    ? (context: Context<W>, input: WithFile<z.output<Input>, Buffer>) => Promise<z.input<Output>>
    : E extends SharedEndpoint<infer Input, infer Output>
      ? Preloaded<z.output<Input>, Shared<z.input<Output>>>
      : E extends Endpoint<infer Input, infer Output, infer W>
        ? (context: Context<W>, input: z.output<Input>) => Promise<z.input<Output> | ApiError>
        : E extends DocumentEndpoint<infer Input, infer W>
          ?
              | ((context: Context<W>, input: z.output<Input>) => Promise<Document>)
              | Preloaded<z.output<Input>, CachedDocument>
          : never;

/** One function per endpoint. A thrown refusal rolls its transaction back; a returned one commits it first. */
export type Handlers<C extends Contract> = { [Name in keyof C]: Handler<C[Name]> };

/** A contract with what serves it. */
export interface Feature {
  contract: Contract;
  handlers: Record<string, ((context: never, input: never) => Promise<unknown>) | Preloaded<never, unknown>>;
}

/** Finds the session of an access token, not before it is called. */
export type FindSession = (accessToken?: string) => Promise<Identity>;

/** A request to an endpoint. */
export interface Call extends Request {
  /** As soon as it is known who asks; the log tells it. */
  actor?: Actor;
  identity?: Identity;
}

export interface ServiceOptions {
  config: Config;
  log: Log;
  db: Db;
  reads: Db;
  findSession: FindSession;
  clockOffset: { seconds: number };
}

export type AnyEndpoint = Endpoint | DocumentEndpoint | UploadEndpoint;
export type AnyHandler =
  | ((context: Context, input: unknown) => Promise<unknown>)
  | Preloaded<unknown, unknown>;

/** Answers the calls of one endpoint. What is refused is thrown. */
export interface Service {
  /** Only says who asks, where that is to be known before the body is read. */
  identify(call: Call): Promise<Identity>;
  answer(call: Call): Promise<Reply>;
}

/** Makes a service of each endpoint with its handler. */
export function services(options: ServiceOptions) {
  const { config, log, reads } = options;
  const [keep, etag] = [createSharedResponses(), createDocuments()];
  const count = counter(options.db, { what: 'requests', max: config.requestsPerMinute, seconds: 60 });

  return (endpoint: AnyEndpoint, handler: AnyHandler): Service => {
    const admit = async (call: Call, { now, user }: Identity) => {
      if (user) call.actor = user;
      if (endpoint.who === 'user' && !user) throw new ApiError('not_signed_in');
      if (endpoint.who === 'user' && user) await count(user.id, now);
    };
    const identify = async (call: Call) => {
      const identity = await options.findSession(bearer(call));
      await admit(call, identity);
      return identity;
    };
    const begin = beginning(options, endpoint, { handler, identify, admit });
    const isDocument = 'document' in endpoint;
    const write = isDocument ? () => '' : writer(endpoint);

    return {
      identify,
      async answer(call) {
        const since = performance.now();
        const { identity, handle } = await begin(call);
        const { now, user } = identity;
        const context = {
          now,
          user: user as Actor,
          config,
          caller: {
            ip: network(call.ip),
            device: String(call.headers['user-agent'] ?? '').slice(0, 200),
          },
          ...('versioned' in endpoint ? { ifVersion: versionFor(call) } : {}),
        };
        const audit = new AuditLog();
        const work = (db: Db) => audit.during((record) => handle({ ...context, db, record }));
        const given =
          isDocument || 'shared' in endpoint
            ? work(reads)
            : runOnce(options, endpoint, { call, since, now, user, work, write });
        const answer = await given
          .catch((error: unknown) => toRequestError(audit.discardUnlessApiError(error), call, options))
          .finally(() => audit.tell(log, { request: call.id, user: user?.id }));
        if (isDocument) return documentReply(call, endpoint, await etag(answer as Document | CachedDocument));
        if ('shared' in endpoint)
          return sharedReply(call, await keep((answer as Shared<unknown>).page, write));
        const { status, body } = answer as Answer;
        return jsonReply(call, status, asText(body));
      },
    };
  };
}

interface Beginning {
  handler: AnyHandler;
  identify(call: Call): Promise<Identity>;
  admit(call: Call, identity: Identity): Promise<void>;
}

/** Finds out who asks for what, and what is to be done about it. */
function beginning(
  { reads, clockOffset }: ServiceOptions,
  endpoint: AnyEndpoint,
  { handler, identify, admit }: Beginning,
) {
  if (typeof handler === 'function')
    return async (call: Call) => {
      const identity = call.identity ?? (await identify(call));
      const input = readInput(endpoint, call);
      return { identity, handle: (context: Context) => handler(context, input) };
    };
  const { preload, respond } = handler as Preloaded<unknown, unknown, Identity>;
  return async (call: Call) => {
    const input = await Promise.try(readInput, endpoint, call).catch(async (refusal: unknown) => {
      // Whoever may not ask at all is not told what is wrong with it.
      await identify(call);
      throw refusal;
    });
    const token = bearer(call);
    const found = await preload(
      reads,
      { access: token ? digest(token) : null, clockOffset: clockOffset.seconds },
      input,
    );
    await admit(call, found);
    return { identity: found, handle: (context: Context) => respond(context, found, input) };
  };
}

/** Writes what the contract names, and nothing else. */
function writer(endpoint: Endpoint) {
  const stringify = fastJson(envelopeSchema(endpoint) as Schema);
  return (data: unknown): string => {
    const envelope: Envelope = { data, status: endpoint.status, error: null };
    return stringify(envelope);
  };
}

interface KeyedRequest {
  call: Call;
  /** When it came, by the app's own clock for intervals. */
  since: number;
  now: Instant;
  user: Actor | undefined;
  work(db: Db): Promise<unknown>;
  write(data: unknown): string;
}

/** Does what a call asks for, in one transaction where it writes; a deed that has a key is done once. */
async function runOnce(
  { db, reads, config }: ServiceOptions,
  endpoint: Endpoint | UploadEndpoint,
  { call, since, now, user, work, write }: KeyedRequest,
): Promise<Answer> {
  const { status } = endpoint;
  // Written before the commit: an answer that can't be given leaves nothing done.
  const answer = async (transaction: Db): Promise<Answer | ApiError> => {
    const data = await work(transaction);
    if (data instanceof ApiError) return data;
    return { status, body: write(data) };
  };
  const keyedRequest =
    user && takesKey(endpoint) ? keyedRequestOf(call, user.id, config.secretKey) : undefined;
  const inOne = (transaction: Db) =>
    keyedRequest
      ? idempotent(transaction, keyedRequest, now, () => answer(transaction))
      : answer(transaction);
  const transacts = endpoint.writes && !('upload' in endpoint);
  const given = await (transacts ? inTransaction(db, inOne, since) : answer(endpoint.writes ? db : reads));
  if (given instanceof ApiError) throw given;
  return given;
}

/** What broke because the user was deleted while the request ran is answered as if it had come later. */
async function toRequestError(error: unknown, call: Call, { findSession }: ServiceOptions): Promise<never> {
  const isFault = !(error instanceof ApiError) && !isUnavailable(error);
  if (isFault && call.actor && !(await findSession(bearer(call))).user) throw new ApiError('not_signed_in');
  throw error;
}

function bearer({ headers }: Call): string | undefined {
  return /^Bearer ([\w.~+/-]{1,200}=*)$/i.exec(headers.authorization ?? '')?.[1];
}

/** Levels of a JSON body. What walks through deeper ones, such as JSON.stringify, runs out of stack. */
const maxDepth = 32;

const isDeeperThan = (levels: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Buffer.isBuffer(value) &&
  (levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner)));

/** Path, query and body as one input, checked against the contract. What the contract does not name is dropped. */
function readInput(endpoint: AnyEndpoint, call: Call): unknown {
  const body = call.body ?? {};
  if (typeof body !== 'object' || Array.isArray(body))
    throw new ApiError('bad_input', { message: 'Send a JSON object.' });
  if (isDeeperThan(maxDepth, body))
    throw new ApiError('bad_input', { message: `Nest at most ${maxDepth} levels deep.` });
  const isUpload = 'upload' in endpoint;
  const carried = isUpload || endpoint.method === 'GET' ? call.query : body;
  const parsed = endpoint.input.safeParse({ ...(carried as object), ...(call.params as object) });
  if (parsed.success) return isUpload ? { ...parsed.data, file: fileOf(body) } : parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue?.path.join('.');
  throw new ApiError('bad_input', { message: `${at ? `${at}: ` : ''}${issue?.message}` });
}

/**
 * The network that limits count by: one customer holds 2^64 IPv6 addresses. Some proxies write a port behind the address,
 * and one IPv4 address has several spellings in IPv6.
 */
export function network(address: string): string {
  const ip = /^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(address)?.slice(1).find(Boolean) ?? address;
  if (!isIPv6(ip)) return ip;
  // A URL writes an IPv6 address in its one shortest form.
  const { hostname } = new URL(`http://[${ip.split('%', 1)[0]}]`);
  const [front = [], back = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => '0');
  const groups = [...front, ...zeros, ...back];
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : groups.slice(0, 4).join(':');
}
