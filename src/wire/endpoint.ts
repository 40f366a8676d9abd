import type { z } from 'zod';
import { errorCodes, type ErrorCode } from '#wire/errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Union of the parameter names in a path. */
type Placeholder<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | Placeholder<`/${More}`>
    : Rest
  : never;

/** Who may call an endpoint. `anyone` needs no session and ignores an access token. */
export type Who = 'anyone' | 'user';

export interface Endpoint<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  W extends Who = Who,
  Writes extends boolean = boolean,
  Versioned extends boolean = boolean,
> {
  method: Method;
  /** Below /api. Path parameters are keys of `input`; the other keys go into the query (GET) or the body. */
  path: string;
  input: Input;
  output: Output;
  who: W;
  /** Runs in one transaction. Defaults to true for every method except GET. */
  writes: Writes;
  status: 200 | 201;
  /** The only status that the client accepts as success. By default any 2xx. */
  only?: 200 | 201;
  /** The client treats a response without data as a failure. */
  needsData?: boolean;
  /** Accepts form bodies, which mail programs send, and ignores their content. */
  takesForms?: boolean;
  /** If a browser opens the address, it is redirected to this page, with the parameters of the path in its query. */
  page?: string;
  /** Maximum wait in seconds when the client is rate limited. By default, it waits as long as the server says. */
  maxWait?: number;
  /** Not idempotent: the client adds an `Idempotency-Key`, so that it can retry when no response arrives. */
  creates?: boolean;
  /** Takes no `Idempotency-Key`, because the server would store the response, which has data that it must not keep. */
  unstored?: boolean;
  /** The handler starts transactions of its own. A repetition has to be harmless, because it takes no `Idempotency-Key`. */
  ownTransactions?: boolean;
  /** Saves a form: rejected with 412 if `If-Match` names another version than the current one. */
  versioned?: Versioned;
  /** Writes many rows for a short request: all of them count towards the limit on what an account writes in an hour. */
  writesMany?: boolean;
  /** The errors of its own rules. `errorsOf` adds those that the kind of the endpoint implies. */
  errors?: readonly ErrorCode[];
  summary: string;
}

/** A read whose response is the same for all viewers, except for the viewer fields. */
export interface SharedEndpoint<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  W extends Who = Who,
> extends Endpoint<Input, Output, W, false> {
  /**
   * The viewer fields, keyed by the objects that have them: `''` stands for the response itself or, if the response is
   * a list, for each of its objects; the name of a list in the response stands for each object of that list.
   */
  viewer: Record<string, z.ZodObject>;
}

/** Responds with a document, such as a calendar, instead of an envelope. Its handler returns a `Document`. */
export interface DocumentEndpoint<Input extends z.ZodObject = z.ZodObject, W extends Who = Who> {
  method: 'GET';
  path: string;
  input: Input;
  /** Content type. */
  document: string;
  who: W;
  errors?: readonly ErrorCode[];
  summary: string;
}

/**
 * An endpoint whose request body is one file; other input goes into path and query. Processing the file is slow, so the
 * handler opens its own transaction afterwards.
 */
export interface UploadEndpoint<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  W extends Who = Who,
> extends Endpoint<Input, Output, W, true> {
  upload: Upload;
}

/** The input fields and the file. */
export type WithFile<Fields, File> = (string extends keyof Fields ? unknown : Fields) & { file: File };

/** Accepted content types and the maximum size in bytes. */
interface Upload {
  types: readonly string[];
  max: number;
}

type Covers<Path extends string, Input extends z.ZodObject> =
  Placeholder<Path> extends keyof z.input<Input> ? Input : never;

/** Defines an endpoint. A path parameter that is not a key of `input` does not compile. */
export function endpoint<
  Path extends string,
  Input extends z.ZodObject,
  Output extends z.ZodType,
  W extends Who = 'user',
  M extends Method = Method,
  Writes extends boolean = M extends 'GET' ? false : true,
  Versioned extends boolean = false,
>(options: {
  method: M;
  path: Path;
  input: Covers<Path, Input>;
  output: Output;
  who?: W;
  writes?: Writes;
  status?: 200 | 201;
  only?: 200 | 201;
  needsData?: boolean;
  takesForms?: boolean;
  page?: string;
  maxWait?: number;
  creates?: boolean;
  unstored?: boolean;
  ownTransactions?: boolean;
  versioned?: Versioned;
  writesMany?: boolean;
  errors?: readonly ErrorCode[];
  summary: string;
}): Endpoint<Input, Output, W, Writes, Versioned> {
  return { who: 'user' as W, writes: (options.method !== 'GET') as Writes, status: 200, ...options };
}

export function sharedEndpoint<
  Path extends string,
  Input extends z.ZodObject,
  Output extends z.ZodType,
  W extends Who = 'user',
>(options: {
  path: Path;
  input: Covers<Path, Input>;
  output: Output;
  viewer: Record<string, z.ZodObject>;
  who?: W;
  errors?: readonly ErrorCode[];
  summary: string;
}): SharedEndpoint<Input, Output, W> {
  const { viewer, ...rest } = options;
  return { ...endpoint<Path, Input, Output, W, 'GET'>({ method: 'GET', ...rest }), viewer };
}

export function documentEndpoint<
  Path extends string,
  Input extends z.ZodObject,
  W extends Who = 'user',
>(options: {
  path: Path;
  input: Covers<Path, Input>;
  document: string;
  who?: W;
  errors?: readonly ErrorCode[];
  summary: string;
}): DocumentEndpoint<Input, W> {
  return { method: 'GET', who: 'user' as W, ...options };
}

export function uploadEndpoint<
  Path extends string,
  Input extends z.ZodObject,
  Output extends z.ZodType,
  W extends Who = 'user',
>(options: {
  path: Path;
  input: Covers<Path, Input>;
  output: Output;
  upload: Upload;
  who?: W;
  errors?: readonly ErrorCode[];
  summary: string;
}): UploadEndpoint<Input, Output, W> {
  return { method: 'POST', who: 'user' as W, writes: true, status: 200, ...options };
}

export type AnyEndpoint = Endpoint | DocumentEndpoint | UploadEndpoint;
export type Contract = Record<string, AnyEndpoint>;

/**
 * Whether an endpoint supports `Idempotency-Key`. Keys are scoped to a user, so a session is required. Uploads need no
 * key: a repeated upload replaces the first one, or one of the two is deleted because nothing uses it.
 */
export const takesKey = (call: AnyEndpoint): boolean =>
  !('document' in call) &&
  !('upload' in call) &&
  call.writes &&
  !call.unstored &&
  !call.ownTransactions &&
  call.method !== 'GET' &&
  call.who === 'user';

/** All error codes with which an endpoint may respond, in the order of `errorCodes`. */
export function errorsOf(call: AnyEndpoint): ErrorCode[] {
  const hasBody = 'upload' in call || call.method !== 'GET';
  const codes = new Set<ErrorCode>([
    'bad_input',
    'unknown_host',
    'too_often',
    'broken',
    'unavailable',
    ...(call.who === 'user' ? (['not_signed_in'] as const) : []),
    ...(call.path.includes(':') ? (['not_found'] as const) : []),
    ...(hasBody ? (['too_large', 'wrong_media_type'] as const) : []),
    ...(takesKey(call) ? (['still_running', 'other_body'] as const) : []),
    ...('versioned' in call && call.versioned ? (['changed_meanwhile'] as const) : []),
    ...(call.errors ?? []),
  ]);
  return (Object.keys(errorCodes) as ErrorCode[]).filter((code) => codes.has(code));
}

/** Shape of every JSON response. `error` is a key of `errorCodes`. */
export interface Envelope {
  data: unknown;
  status: number;
  error: string | null;
  message?: string;
}
