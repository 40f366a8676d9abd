import type { z } from 'zod';
import type { Config } from '#platform/config.ts';
import type {
  Context,
  Identity,
  PublicContext,
  ReadContext,
  RenderedScreen,
  UploadContext,
  Actor,
} from '#platform/context.ts';
import {
  inTransaction,
  isRecoveryConflict,
  isUnavailable,
  type Database,
  type Db,
} from '#platform/db/client.ts';
import { preferredLanguage } from '#platform/http/accept-language.ts';
import { documentReply, type Document, type CachedDocument } from '#platform/http/document.ts';
import {
  envelopeOf,
  jsonReply,
  jsonSerializer,
  type Json,
  type Reply,
  type Request,
  versionFor,
} from '#platform/http/reply.ts';
import { keyedRequestOf, idempotent } from '#platform/http/idempotency.ts';
import { AuditLog, type Log } from '#platform/log.ts';
import { counter, type Count } from '#platform/http/rate-limit.ts';
import { networkOf } from '#platform/ip-address.ts';
import { readInput } from '#platform/http/input.ts';
import type { Rereadable } from '#platform/http/rereadable.ts';
import { countAfterwards, kilobytesBy, kilobytesOf, writtenCounter } from '#platform/http/written.ts';
import {
  takesKey,
  type AnyEndpoint,
  type Contract,
  type DocumentEndpoint,
  type Endpoint,
  type SharedEndpoint,
  type UploadEndpoint,
  type Who,
  type WithFile,
} from '#wire/endpoint.ts';
import { ApiError } from '#wire/errors.ts';

type ContextOf<W extends Who, Writes> = Writes extends true
  ? Context<W>
  : W extends 'user'
    ? ReadContext
    : PublicContext;

type Handler<E> =
  E extends UploadEndpoint<infer Input, infer Output>
    ? (context: UploadContext, input: WithFile<z.output<Input>, Buffer>) => Promise<z.input<Output>>
    : E extends SharedEndpoint<infer Input, infer Output, infer W>
      ? (context: ContextOf<W, false>, input: z.output<Input>) => Promise<Json<z.input<Output>>>
      : E extends Endpoint<infer Input, infer Output, infer W, infer Writes>
        ? (context: ContextOf<W, Writes>, input: z.output<Input>) => Promise<z.input<Output> | ApiError>
        : E extends DocumentEndpoint<infer Input, infer W>
          ? (context: ContextOf<W, false>, input: z.output<Input>) => Promise<Document | CachedDocument>
          : never;

/** One function per endpoint. A thrown `ApiError` rolls the transaction back; after a returned one, it commits. */
export type Handlers<C extends Contract> = { [Name in keyof C]: Handler<C[Name]> };

/** A contract and its handlers. */
export interface Feature {
  contract: Contract;
  handlers: Record<string, (context: never, input: never) => Promise<unknown>>;
}

/** Finds the session of an access token. */
export type FindSession = (accessToken?: string) => Promise<Identity>;

/** A request to an endpoint. */
export interface Call extends Request {
  /** Set after authentication, for the log. */
  actor?: Actor;
  identity?: Identity;
  /** Set by server-side rendering. */
  screen?: RenderedScreen;
}

export interface ServiceOptions extends Pick<Database, 'db' | 'lookups' | 'reads'> {
  config: Config;
  log: Log;
  findSession: FindSession;
  clockOffset: { seconds: number };
}

export type AnyHandler = ((context: AnyContext, input: unknown) => Promise<unknown>) &
  Partial<Rereadable<AnyContext, unknown, unknown, unknown>>;

type AnyContext = Context & ReadContext & PublicContext;

/** Responds to calls of one endpoint. Throws an `ApiError` for a rejected call. */
export interface Service {
  /** Authenticates a call before its body is read. */
  identify(call: Call): Promise<Identity>;
  respond(call: Call): Promise<Reply>;
}

/** Returns a function that combines an endpoint and its handler into a service. */
export function services(options: ServiceOptions) {
  const { config, log, clockOffset } = options;
  const count = counter(options.db, { what: 'requests', max: config.requestsPerMinute, seconds: 60 });
  const countWritten = writtenCounter(options.db, config.megabytesPerHour);

  return (endpoint: AnyEndpoint, handler: AnyHandler): Service => {
    const identify = async (call: Call) => {
      const identity = await options.findSession(bearer(call));
      const { now, user } = identity;
      if (user) call.actor = user;
      if (endpoint.who === 'user' && !user) throw new ApiError('not_signed_in');
      if (endpoint.who === 'user' && user) await count(user.id, now);
      return identity;
    };
    const { write = handler, read = isResponse, readsAfterCommit = false } = handler;
    const execute = responder({ ...options, countWritten }, endpoint);
    // Public endpoints look up no session: their handler checks a secret in the address, and reads the clock in the
    // same statement.
    const isPublic = endpoint.who === 'anyone' && !writes(endpoint);

    return {
      identify,
      async respond(call) {
        const since = performance.now();
        const identity = isPublic ? undefined : (call.identity ?? (await identify(call)));
        const input = readInput(endpoint, call);
        const context = {
          now: identity?.now,
          user: identity?.user,
          config,
          clockOffset: clockOffset.seconds,
          screen: call.screen,
          caller: {
            ip: networkOf(call.ip),
            device: String(call.headers['user-agent'] ?? '').slice(0, 200),
            get language() {
              return preferredLanguage(call.headers['accept-language']);
            },
          },
          ...('versioned' in endpoint ? { ifVersion: versionFor(call) } : {}),
        };
        const audit = new AuditLog();
        const work = (db: Db) =>
          audit.collect((record) => write({ ...context, db, record } as AnyContext, input));
        // The `read` step records no audit events.
        const readAgain = (db: Db, written: unknown) =>
          read({ ...context, db, record: () => {} } as AnyContext, input, written);
        return execute({ call, since, identity, work, readAgain, readsAfterCommit })
          .catch((error: unknown) => toRequestError(audit.discardUnlessApiError(error), call, options))
          .finally(() => audit.write(log, { request: call.id, user: identity?.user?.id }));
      },
    };
  };
}

const writes = (endpoint: AnyEndpoint) => 'writes' in endpoint && endpoint.writes;

interface Execution {
  call: Call;
  /** When the request arrived, by `performance.now()`. */
  since: number;
  identity: Identity | undefined;
  /** Resolves with the response, or with the value that the `write` step of a `rereadable` handler returns. */
  work(db: Db): Promise<unknown>;
  /** Reads the response from the result of the `write` step. */
  readAgain(db: Db, written: unknown): Promise<unknown>;
  readsAfterCommit: boolean;
}

type CountingOptions = ServiceOptions & { countWritten: Count };

/** Returns a function that executes calls and encodes their responses. */
function responder(
  options: CountingOptions,
  endpoint: AnyEndpoint,
): (execution: Execution) => Promise<Reply> {
  if ('document' in endpoint)
    return async ({ call, work }) => {
      const document = (await read(options, endpoint, work)) as Document | CachedDocument;
      return documentReply(call, endpoint, document);
    };
  if ('viewer' in endpoint)
    return async ({ call, work }) =>
      jsonReply(call, 200, envelopeOf((await read(options, endpoint, work)) as Json<unknown>, 200));
  const serialise = serialiser(endpoint);
  if (endpoint.method === 'GET' && !endpoint.writes)
    return async ({ call, work }) =>
      jsonReply(call, endpoint.status, serialise(orThrow(await read(options, endpoint, work))));
  return async (execution) => {
    const { status, body } = await runOnce(options, endpoint, execution, serialise);
    return jsonReply(execution.call, status, body);
  };
}

/** The `read` step of handlers that are not `rereadable`: they have already returned their response. */
const isResponse = async (_context: AnyContext, _input: unknown, written: unknown) => written;

/** Serialises the fields of the contract and no others. */
function serialiser({ output, status }: Endpoint) {
  const serialise = jsonSerializer(output);
  return (data: unknown): string => envelopeOf(serialise(data), status);
}

/**
 * Reads on the `reads` database for a user. Reads without a session run on the primary, because a secret in the address
 * grants access and must be checked there. Reads that a standby has cancelled or lost are repeated on the primary.
 */
async function read(
  { lookups, reads }: ServiceOptions,
  { who }: AnyEndpoint,
  work: (db: Db) => Promise<unknown>,
): Promise<unknown> {
  if (who === 'anyone' || reads === lookups) return work(lookups);
  return work(reads).catch((error: unknown) => {
    if (isRecoveryConflict(error) || isUnavailable(error)) return work(lookups);
    throw error;
  });
}

/** Executes a call: writes in one transaction, and at most once per idempotency key. */
async function runOnce(
  { db, lookups, config, countWritten }: CountingOptions,
  endpoint: Endpoint | UploadEndpoint,
  { call, since, identity, work: handle, readAgain, readsAfterCommit }: Execution,
  serialise: (data: unknown) => string,
) {
  const { status, writes, writesMany } = endpoint;
  const transacts = writes && !('upload' in endpoint) && !endpoint.ownTransactions;
  const { now, user } = identity as Identity;
  const isCounted = writes && endpoint.who === 'user' && user;
  if (isCounted) await countWritten(user.id, now, kilobytesOf(call));
  let kilobytes = 0;
  // Serialise before the commit: if that fails, the transaction rolls back.
  const read = async (transaction: Db, written: unknown) => ({
    status,
    body: serialise(await readAgain(transaction, written)),
  });
  const write = async (transaction: Db) => {
    const before = writesMany ? await kilobytesBy(transaction) : 0;
    const written = await handle(transaction);
    if (writesMany) kilobytes = (await kilobytesBy(transaction)) - before;
    return written;
  };
  const executeOnce = async (transaction: Db) => {
    const written = await write(transaction);
    return written instanceof ApiError ? written : { written, response: await read(transaction, written) };
  };
  const executeWithoutKey = async (transaction: Db) => {
    const executed = await executeOnce(transaction);
    return executed instanceof ApiError ? executed : executed.response;
  };
  const keyedRequest =
    user && takesKey(endpoint) ? keyedRequestOf(call, user.id, config.secretKey) : undefined;
  const execute = (transaction: Db) =>
    keyedRequest
      ? idempotent(transaction, keyedRequest, now, {
          execute: () => executeOnce(transaction),
          read: (written) => read(transaction, written),
        })
      : executeWithoutKey(transaction);
  const work = async () => {
    if (!transacts) return executeWithoutKey(writes ? db : lookups);
    if (keyedRequest || !readsAfterCommit) return inTransaction(db, execute, since);
    return read(lookups, orThrow(await inTransaction(db, write, since)));
  };
  const result = await work().catch((error: unknown) =>
    error instanceof ApiError ? error : Promise.reject(error),
  );
  if (isCounted && kilobytes > 0) await countAfterwards(countWritten, user.id, now, kilobytes);
  return orThrow(result);
}

function orThrow<T>(result: T | ApiError): T {
  if (result instanceof ApiError) throw result;
  return result;
}

/** An unexpected error becomes a 401 if the user was deleted while the request ran. */
async function toRequestError(error: unknown, call: Call, { findSession }: ServiceOptions): Promise<never> {
  const isUnexpected = !(error instanceof ApiError) && !isUnavailable(error);
  if (isUnexpected && call.actor && !(await findSession(bearer(call))).user)
    throw new ApiError('not_signed_in');
  throw error;
}

function bearer({ headers }: Call): string | undefined {
  return /^Bearer ([\w.~+/-]{1,200}=*)$/i.exec(headers.authorization ?? '')?.[1];
}
