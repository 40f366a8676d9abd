import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Reply, Request } from '#platform/http/reply.ts';

export const compress = promisify(gzip);

/** Whether the client accepts gzip. */
export const takesGzip = ({ headers }: Pick<Request, 'headers'>): boolean =>
  String(headers['accept-encoding'] ?? '')
    .split(',')
    .map((coding) => coding.replaceAll(/\s/g, '').toLowerCase())
    .some((coding) => /^(gzip|x-gzip|\*)(;|$)/.test(coding) && !/;q=0(\.0*)?$/.test(coding));

/** Bytes. A smaller response fits into one packet uncompressed. */
const minCompressedBytes = 1400;

export interface Json {
  length: number;
  body(): string | Buffer;
  zipped(): Promise<Buffer>;
}

const asJson = { 'content-type': 'application/json; charset=utf-8', vary: 'Accept-Encoding' };
const asZippedJson = { ...asJson, 'content-encoding': 'gzip' };

/** A JSON response, compressed if the client accepts it and the size justifies it. */
export async function jsonReply(
  request: Pick<Request, 'headers'>,
  status: number,
  { length, body, zipped }: Json,
): Promise<Reply> {
  return length >= minCompressedBytes && takesGzip(request)
    ? { status, headers: asZippedJson, body: await zipped() }
    : { status, headers: asJson, body: body() };
}

export const asText = (text: string): Json => ({
  length: text.length,
  body: () => text,
  zipped: () => compress(text),
});
