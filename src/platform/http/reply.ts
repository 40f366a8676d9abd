import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import fastJson, { type Schema } from 'fast-json-stringify';
import { z } from 'zod';
import { fail, ApiError } from '#wire/errors.ts';

/** An HTTP request: a `FastifyRequest`, or an object that server-side rendering creates. */
export interface Request {
  id: string;
  method: string;
  url: string;
  ip: string;
  headers: IncomingHttpHeaders;
  params: unknown;
  query: unknown;
  body: unknown;
  /** The path pattern of the endpoint, such as `/api/clubs/:ref`. */
  routeOptions: { url?: string | undefined };
}

/** An HTTP response that has not been sent yet. */
export interface Reply {
  status: number;
  headers: Record<string, string | number>;
  body?: string | Buffer | undefined;
}

export const send = (to: FastifyReply, { status, headers, body }: Reply): FastifyReply =>
  to.status(status).headers(headers).send(body);

declare const content: unique symbol;
/** The JSON of a value of this type. */
export type Json<Value> = string & { readonly [content]: Value };

/**
 * A serialiser for the fields of a schema. It omits all other fields. It is compiled on first use, so that the process
 * starts faster.
 */
export function jsonSerializer<Shape extends z.ZodType>(
  shape: Shape,
): (value: z.input<Shape>) => Json<z.input<Shape>> {
  let compiled: ReturnType<typeof fastJson> | undefined;
  const compile = () => {
    const { $schema: _, ...schema } = z.toJSONSchema(shape, { io: 'output', target: 'draft-7' });
    return fastJson(schema as Schema);
  };
  return (value) => (compiled ??= compile())(value) as Json<z.input<Shape>>;
}

/**
 * Returns a function that keeps the `allowed` fields of a value. All other fields of the schema are empty, so that a new
 * field stays private until it is allowed.
 */
export function onlyFields<Shape extends z.ZodObject, Key extends keyof z.input<Shape>>(
  { shape }: Shape,
  allowed: readonly Key[],
): (value: Pick<z.input<Shape>, Key>) => z.input<Shape> {
  const empty = Object.fromEntries(
    Object.entries(shape).map(([key, field]) => [key, emptyValueOf(field._zod)]),
  );
  return (value) =>
    ({ ...empty, ...Object.fromEntries(allowed.map((key) => [key, value[key]])) }) as z.input<Shape>;
}

const emptyValues: Record<string, unknown> = {
  nullable: null,
  array: [],
  record: {},
  string: '',
  number: 0,
  boolean: false,
};

function emptyValueOf({ def: { type } }: z.core.$ZodType['_zod']): unknown {
  if (type in emptyValues) return emptyValues[type];
  throw new Error(`A field of the type ${type} has no empty value.`);
}

/** An object with the fields of both objects, which must not be empty. */
export const mergeJson = <One, Other>(one: Json<One>, other: Json<Other>): Json<One & Other> =>
  `${one.slice(0, -1)},${other.slice(1)}` as Json<One & Other>;

export const jsonArray = <Item>(items: readonly Json<Item>[]): Json<Item[]> =>
  `[${items.join(',')}]` as Json<Item[]>;

/** An object with one field. */
export const jsonField = <Name extends string, Value>(
  name: Name,
  value: Json<Value>,
): Json<Record<Name, Value>> => `{"${name}":${value}}` as Json<Record<Name, Value>>;

/** The envelope of a successful response. */
export const envelopeOf = (data: Json<unknown>, status: number): string =>
  `{"data":${data},"status":${status},"error":null}`;

const zip = promisify(gzip);

/** Characters. Up to this length, handing a text to another thread takes as long as compressing it. */
const maxSync = 200_000;

/** For a club page, level 3 takes half the time of the default; its result is an eighth larger. */
export const compress = async (body: string | Buffer): Promise<Buffer> =>
  body.length <= maxSync ? gzipSync(body, { level: 3 }) : zip(body, { level: 3 });

/** Whether the client accepts gzip. */
export const takesGzip = ({ headers }: Pick<Request, 'headers'>): boolean =>
  String(headers['accept-encoding'] ?? '')
    .split(',')
    .map((coding) => coding.replaceAll(/\s/g, '').toLowerCase())
    .some((coding) => /^(gzip|x-gzip|\*)(;|$)/.test(coding) && !/;q=0(\.0*)?$/.test(coding));

/** Characters. A shorter response fits into one packet uncompressed. */
const minCompressedLength = 1400;

/** A JSON response, compressed if the client accepts it and the size justifies it. */
export async function jsonReply(
  request: Pick<Request, 'headers'>,
  status: number,
  text: string,
): Promise<Reply> {
  const headers = { 'content-type': 'application/json; charset=utf-8', vary: 'Accept-Encoding' };
  return text.length >= minCompressedLength && takesGzip(request)
    ? { status, headers: { ...headers, 'content-encoding': 'gzip' }, body: await compress(text) }
    : { status, headers, body: text };
}

/** The version in `If-Match`, such as "7". Undefined for "*" or a missing header, which match any version. */
export function versionFor({ headers }: Pick<Request, 'headers'>): number | undefined {
  const expected = headers['if-match'];
  if (expected === undefined || expected === '*') return undefined;
  const [, version] = /^"?(\d{1,9})"?$/.exec(expected) ?? [];
  if (version === undefined)
    throw new ApiError('bad_input', { message: 'If-Match: must be a version, such as "7"' });
  return Number(version);
}

export function requireVersion(expected: number | undefined, actual: number): void {
  if (expected !== undefined && expected !== actual) fail('changed_meanwhile');
}
