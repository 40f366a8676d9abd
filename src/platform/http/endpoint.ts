import type { z } from 'zod';
import type { Config } from '#platform/config.ts';
import type { Actor, Context, Credentials, Identity, ReadContext } from '#platform/context.ts';
import { inTransaction, isUnavailable, readFrom, type Db, type ReadDb } from '#platform/db/client.ts';
import {
  documentReply,
  createDocuments,
  type Document,
  type CachedDocument,
  type EncodeDocument,
} from '#platform/http/document.ts';
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
import { counter, network, type Count } from '#platform/http/rate-limit.ts';
import { digest } from '#platform/token.ts';
import { readInput } from '#platform/http/input.ts';
import type { Rereadable } from '#platform/http/rereadable.ts';
import { countAfterwards, kilobytesBy, kilobytesOf, writtenCounter } from '#platform/http/written.ts';
import {
  takesKey,
  type Contract,
  type DocumentEndpoint,
  type Endpoint,
  type SharedEndpoint,
  type UploadEndpoint,
  type Who,
  type WithFile,
} from '#wire/endpoint.ts';
import { ApiError } from '#wire/errors.ts';

/** A handler whose first statement reads the time, the session and the data together. */
export interface Preloaded<Input, Output, Found extends Identity = never> {
  preload(db: Db, credentials: Credentials, input: Input): Promise<Found>;
  respond(context: ReadContext, found: Found, input: Input): Promise<Output>;
}

/** Hides the type of the preloaded data, which only the handler uses. */
export const preloaded = <Input, Output, Found extends Identity>(
  handler: Preloaded<Input, Output, Found>,
): Preloaded<Input, Output> => handler as unknown as Preloaded<Input, Output>;

type ContextOf<W extends Who, Writes> = Writes extends true ? Context<W> : ReadContext<W>;

type Handler<E> =
  E extends UploadEndpoint<infer Input, infer Output, infer W>
    ? (context: Context<W>, input: WithFile<z.output<Input>, Buffer>) => Promise<z.input<Output>>
    : E extends SharedEndpoint<infer Input, infer Output, infer W>
      ?
          | ((context: ReadContext<W>, input: z.output<Input>) => Promise<Json<z.input<Output>>>)
          | Preloaded<z.output<Input>, Json<z.input<Output>>>
      : E extends Endpoint<infer Input, infer Output, infer W, infer Writes>
        ?
            | ((context: ContextOf<W, Writes>, input: z.output<Input>) => Promise<z.input<Output> | ApiError>)
            | (Writes extends true ? never : Preloaded<z.output<Input>, z.input<Output>>)
        : E extends DocumentEndpoint<infer Input, infer W>
          ?
              | ((context: ReadContext<W>, input: z.output<Input>) => Promise<Document>)
              | Preloaded<z.output<Input>, CachedDocument>
          : never;

/** One function per endpoint. A thrown `ApiError` rolls the transaction back; a returned one commits it first. */
export type Handlers<C extends Contract> = { [Name in keyof C]: Handler<C[Name]> };

/** A contract and its handlers. */
export interface Feature {
  contract: Contract;
  handlers: Record<string, ((context: never, input: never) => Promise<unknown>) | Preloaded<never, unknown>>;
}

/** Finds the session of an access token. */
export type FindSession = (accessToken?: string) => Promise<Identity>;

/** A request to an endpoint. */
export interface Call extends Request {
  /** Set after authentication, for the log. */
  actor?: Actor;
  identity?: Identity;
}

/** The replicas, for endpoints that do not write. */
export interface ReadReplicas {
  choose(position?: string | null, session?: string): ReadDb | undefined;
  /** The rights of a user as this server knows them. */
  rightsOf(db: ReadDb, user: string): Promise<string | null>;
  /** Records that the session has written. */
  markWritten(session: string): Promise<unknown>;
}

export interface ServiceOptions {
  config: Config;
  log: Log;
  db: Db;
  reads: Db;
  replicas?: ReadReplicas | undefined;
  findSession: FindSession;
  clockOffset: { seconds: number };
}

export type AnyEndpoint = Endpoint | DocumentEndpoint | UploadEndpoint;
export type AnyHandler =
  | (((context: AnyContext, input: unknown) => Promise<unknown>) &
      Partial<Rereadable<AnyContext, unknown, unknown, unknown>>)
  | Preloaded<unknown, unknown>;

type AnyContext = Context & Pick<ReadContext, 'primary'>;

/** Answers calls to one endpoint. Throws an `ApiError` for a rejected call. */
export interface Service {
  /** Authenticates a call before its body is read. */
  identify(call: Call): Promise<Identity>;
  answer(call: Call): Promise<Reply>;
}

/** Returns a function that combines an endpoint and its handler into a service. */
export function services(options: ServiceOptions) {
  const { config, log, reads } = options;
  const encodeDocument = createDocuments();
  const count = counter(options.db, { what: 'requests', max: config.requestsPerMinute, seconds: 60 });
  const countWritten = writtenCounter(options.db, config.megabytesPerHour);

  return (endpoint: AnyEndpoint, handler: AnyHandler): Service => {
    const authorise = async (call: Call, { now, user }: Identity) => {
      if (user) call.actor = user;
      if (endpoint.who === 'user' && !user) throw new ApiError('not_signed_in');
      if (endpoint.who === 'user' && user) await count(user.id, now);
    };
    const identify = async (call: Call) => {
      const identity = await options.findSession(bearer(call));
      await authorise(call, identity);
      return identity;
    };
    const prepare = preparer(options, endpoint, { handler, identify, authorise });
    const isPreloaded = typeof handler !== 'function';
    const respond = responder({ ...options, countWritten }, endpoint, encodeDocument);

    return {
      identify,
      async answer(call) {
        const since = performance.now();
        const { identity, handle, read } = await prepare(call);
        const { now, user } = identity;
        const context = {
          now,
          user: user as Actor,
          config,
          primary: reads,
          caller: {
            ip: network(call.ip),
            device: String(call.headers['user-agent'] ?? '').slice(0, 200),
          },
          ...('versioned' in endpoint ? { ifVersion: versionFor(call) } : {}),
        };
        const audit = new AuditLog();
        // The type of the handler tells whether its `db` may be a replica.
        const work = (db: ReadDb) => audit.during((record) => handle({ ...context, db: db as Db, record }));
        // A read records nothing.
        const readAgain = (db: ReadDb, written: unknown) =>
          read({ ...context, db: db as Db, record: () => {} }, written);
        return respond({ call, since, identity, isPreloaded, work, readAgain })
          .catch((error: unknown) => toRequestError(audit.discardUnlessApiError(error), call, options))
          .finally(() => audit.write(log, { request: call.id, user: user?.id }));
      },
    };
  };
}

interface Execution {
  call: Call;
  /** When the request arrived, by `performance.now()`. */
  since: number;
  identity: Identity;
  isPreloaded: boolean;
  /** Resolves with the response, or with what a `rereadable` handler has written. */
  work(db: ReadDb): Promise<unknown>;
  /** The response to what was written. */
  readAgain(db: ReadDb, written: unknown): Promise<unknown>;
}

type CountingOptions = ServiceOptions & { countWritten: Count };

/** Returns a function that executes calls and encodes their responses. */
function responder(
  options: CountingOptions,
  endpoint: AnyEndpoint,
  encodeDocument: EncodeDocument,
): (execution: Execution) => Promise<Reply> {
  const encodeAny = (document: unknown) => encodeDocument(document as Document | CachedDocument);
  /** What cannot be encoded counts as a failure of the replica, too. */
  const read = <T>(execution: Execution, encode: (data: unknown) => T | Promise<T>) =>
    readData(options, endpoint, execution, async (db) => encode(await execution.work(db)));

  if ('document' in endpoint)
    return async (execution) => documentReply(execution.call, endpoint, await read(execution, encodeAny));
  if ('viewer' in endpoint)
    return async (execution) => {
      const page = await read(execution, (data) => data as Json<unknown>);
      return jsonReply(execution.call, 200, envelopeOf(page, 200));
    };
  const serialise = serialiser(endpoint);
  if (endpoint.method === 'GET' && !endpoint.writes)
    return async (execution) => {
      const body = await read(execution, (data) => serialise(orThrow(data)));
      return jsonReply(execution.call, endpoint.status, body);
    };
  return async (execution) => {
    const { status, body } = await runOnce(options, endpoint, execution, serialise);
    return jsonReply(execution.call, status, body);
  };
}

interface Steps {
  handler: AnyHandler;
  identify(call: Call): Promise<Identity>;
  authorise(call: Call, identity: Identity): Promise<void>;
}

/** Authenticates a call, validates its input and binds both to the handler. */
function preparer(
  { reads, replicas, clockOffset }: ServiceOptions,
  endpoint: AnyEndpoint,
  { handler, identify, authorise }: Steps,
) {
  if (typeof handler === 'function')
    return async (call: Call) => {
      const identity = call.identity ?? (await identify(call));
      const input = readInput(endpoint, call);
      const { write = handler, read = isResponse } = handler;
      return {
        identity,
        handle: (context: AnyContext) => write(context, input),
        read: (context: AnyContext, written: unknown) => read(context, input, written),
      };
    };
  const { preload, respond } = handler as Preloaded<unknown, unknown, Identity>;
  return async (call: Call) => {
    const input = await Promise.try(readInput, endpoint, call).catch(async (error: unknown) => {
      // 401 takes precedence over the validation error.
      await identify(call);
      throw error;
    });
    const token = bearer(call);
    const access = token ? digest(token) : null;
    const credentials = { access, clockOffset: clockOffset.seconds, hasReplicas: replicas !== undefined };
    const found = await preload(reads, credentials, input);
    await authorise(call, found);
    return {
      identity: found,
      handle: (context: AnyContext) => respond(context, found, input),
      read: (context: AnyContext, written: unknown) => isResponse(context, input, written),
    };
  };
}

/** What other handlers return is their response. */
const isResponse = async (_context: AnyContext, _input: unknown, written: unknown) => written;

/** Serialises the fields of the contract and no others. */
function serialiser({ output, status }: Endpoint) {
  const serialise = jsonSerializer(output);
  return (data: unknown): string => envelopeOf(serialise(data), status);
}

/** Executes a call: writes in one transaction, and at most once per idempotency key. */
async function runOnce(
  { db, reads, replicas, config, countWritten }: CountingOptions,
  endpoint: Endpoint | UploadEndpoint,
  { call, since, identity: { now, user }, work: handle, readAgain }: Execution,
  serialise: (data: unknown) => string,
) {
  const { status, writes, writesMany } = endpoint;
  const isCounted = writes && endpoint.who === 'user' && user;
  if (isCounted) await countWritten(user.id, now, kilobytesOf(call));
  let kilobytes = 0;
  // Serialise before the commit: if that fails, the transaction rolls back.
  const read = async (transaction: Db, written: unknown) => ({
    status,
    body: serialise(await readAgain(transaction, written)),
  });
  const executeOnce = async (transaction: Db) => {
    const before = writesMany ? await kilobytesBy(transaction) : 0;
    const written = await handle(transaction);
    if (writesMany) kilobytes = (await kilobytesBy(transaction)) - before;
    return written instanceof ApiError ? written : { written, answer: await read(transaction, written) };
  };
  const answer = async (transaction: Db) => {
    const executed = await executeOnce(transaction);
    return executed instanceof ApiError ? executed : executed.answer;
  };
  const keyedRequest =
    user && takesKey(endpoint) ? keyedRequestOf(call, user.id, config.secretKey) : undefined;
  const execute = (transaction: Db) =>
    keyedRequest
      ? idempotent(transaction, keyedRequest, now, {
          execute: () => executeOnce(transaction),
          read: (written) => read(transaction, written),
        })
      : answer(transaction);
  const transacts = writes && !('upload' in endpoint);
  const work = transacts ? inTransaction(db, execute, since) : answer(writes ? db : reads);
  const result = await work.catch((error: unknown) =>
    error instanceof ApiError ? error : Promise.reject(error),
  );
  if (isCounted && kilobytes > 0) await countAfterwards(countWritten, user.id, now, kilobytes);
  // Before the answer, also one that tells of a conflict: the session may read at once what it was about.
  if (user) await replicas?.markWritten(user.session_id);
  return orThrow(result);
}

function orThrow<T>(result: T | ApiError): T {
  if (result instanceof ApiError) throw result;
  return result;
}

type Caller = Pick<Execution, 'identity' | 'isPreloaded'>;

/** Reads from a replica, or from the primary. */
async function readData<T>(
  options: ServiceOptions,
  endpoint: AnyEndpoint,
  caller: Caller,
  read: (db: ReadDb) => Promise<T>,
): Promise<T> {
  const primary = options.reads;
  return readFrom({ db: (await replicaFor(options, endpoint, caller)) ?? primary, primary }, read);
}

/**
 * A replica that knows what the session has written, and no other rights of its user than the primary. Where the primary
 * was not asked for both, a preloaded response has a version from the primary, which its handler compares instead.
 */
async function replicaFor(
  { replicas }: ServiceOptions,
  endpoint: AnyEndpoint,
  { identity: { user, known }, isPreloaded }: Caller,
): Promise<ReadDb | undefined> {
  const isVersioned = 'document' in endpoint || 'viewer' in endpoint;
  if (isPreloaded && isVersioned && !known) return replicas?.choose();
  if (!user || !known || endpoint.who !== 'user') return undefined;
  const replica = replicas?.choose(known.position, user.session_id);
  const rights = replica && (await replicas?.rightsOf(replica, user.id).catch(() => undefined));
  return rights === known.rights ? replica : undefined;
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
