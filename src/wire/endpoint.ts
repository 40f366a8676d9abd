import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The names behind the colons of a path. */
type Placeholder<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | Placeholder<`/${More}`>
    : Rest
  : never;

/** Who may knock at all. `anyone` needs no session, and ignores one that is sent along. */
export type Who = 'anyone' | 'user';

export interface Endpoint<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  W extends Who = Who,
> {
  method: Method;
  /** Below /api. Placeholders are keys of `input`; the other keys travel in the query (GET) or the body. */
  path: string;
  input: Input;
  output: Output;
  who: W;
  /** Writing endpoints run in one transaction. Every method but GET writes; a GET that does says so. */
  writes: boolean;
  status: 200 | 201;
  /** The one status that the client takes for success; elsewhere it is any 2xx. */
  only?: 200 | 201;
  /** Without data an answer is no success. */
  needsData?: boolean;
  /** Mail programs call it, which know only forms: what stands in those is ignored. */
  takesForms?: boolean;
  /** Twice makes two: the client gives each such call a key, so that it can send it again when no answer comes. */
  creates?: boolean;
  /** An edit that `If-Match` can bind to the version that was read. */
  versioned?: boolean;
  summary: string;
}

/** A reading call whose answer many get in the same words, but for what is each one's own. */
export interface SharedEndpoint<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  W extends Who = Who,
> extends Endpoint<Input, Output, W> {
  shared: true;
}

/** A bare document instead of an envelope: a calendar, say. Its handler answers with a `Document`. */
export interface DocumentEndpoint<Input extends z.ZodObject = z.ZodObject, W extends Who = Who> {
  method: 'GET';
  path: string;
  input: Input;
  /** Its content type. */
  document: string;
  who: W;
  summary: string;
}

/**
 * A call whose body is one file as it is; what else there is travels in path and query. It answers like any other call.
 * Its handler reads the file before anything is written, which takes its time, and opens the transaction itself.
 */
export interface UploadEndpoint<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  W extends Who = Who,
> extends Endpoint<Input, Output, W> {
  upload: Upload;
}

/** What goes along with a file, and the file itself. */
export type WithFile<Fields, File> = (string extends keyof Fields ? unknown : Fields) & { file: File };

/** The content types that are taken, and the most octets. */
interface Upload {
  types: readonly string[];
  max: number;
}

type Covers<Path extends string, Input extends z.ZodObject> =
  Placeholder<Path> extends keyof z.input<Input> ? Input : never;

/** A call of the API. A placeholder of `path` that is no key of `input` does not compile. */
export function endpoint<
  Path extends string,
  Input extends z.ZodObject,
  Output extends z.ZodType,
  W extends Who = 'user',
>(options: {
  method: Method;
  path: Path;
  input: Covers<Path, Input>;
  output: Output;
  who?: W;
  writes?: boolean;
  status?: 200 | 201;
  only?: 200 | 201;
  needsData?: boolean;
  takesForms?: boolean;
  creates?: boolean;
  versioned?: boolean;
  summary: string;
}): Endpoint<Input, Output, W> {
  return { who: 'user' as W, writes: options.method !== 'GET', status: 200, ...options };
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
  who?: W;
  summary: string;
}): SharedEndpoint<Input, Output, W> {
  return { ...endpoint<Path, Input, Output, W>({ method: 'GET', ...options }), shared: true };
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
  summary: string;
}): UploadEndpoint<Input, Output, W> {
  return { method: 'POST', who: 'user' as W, writes: true, status: 200, ...options };
}

export type Contract = Record<string, Endpoint | DocumentEndpoint | UploadEndpoint>;

/**
 * Whether a call heeds an `Idempotency-Key`. A key is its user's own; and a picture that is sent again only takes the
 * place of itself.
 */
export const takesKey = (call: Endpoint | DocumentEndpoint | UploadEndpoint): boolean =>
  !('document' in call) && !('upload' in call) && call.writes && call.method !== 'GET' && call.who === 'user';

/** What every JSON answer looks like. `error` is a code of the refusal table. */
export interface Envelope {
  data: unknown;
  status: number;
  error: string | null;
  message?: string;
}
