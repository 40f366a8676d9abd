import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fingerprint } from '#platform/token.ts';
import type { DocumentEndpoint } from '#wire/endpoint.ts';

const compress = promisify(gzip);

/** What a document endpoint answers with. */
export interface Document {
  body: string | Buffer;
  filename: string;
  /** Under this address there will never be anything else, and whoever knows it may have it. */
  immutable?: boolean;
}

/** Sends a document that may be asked for again and again: 304 while it is the same, compressed where that is understood. */
export async function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { document: type, who }: Pick<DocumentEndpoint, 'document' | 'who'>,
  { body, filename, immutable = false }: Document,
) {
  const print = fingerprint(body);
  // Only text is worth it: a picture is compressed already.
  const zipped = typeof body === 'string' && takesGzip(String(request.headers['accept-encoding'] ?? ''));
  reply.headers({
    'content-type': type,
    'content-disposition': `inline; filename="${filename}"`,
    'cache-control': immutable ? 'public, max-age=31536000, immutable' : 'private, max-age=300',
    // What depends on who asks is not for the next one at the same browser.
    vary: who === 'user' ? 'Authorization, Accept-Encoding' : 'Accept-Encoding',
    // A strong tag names the very octets, so each encoding has its own.
    etag: `"${print}${zipped ? '-gzip' : ''}"`,
  });
  if (isKnown(print, request.headers['if-none-match'])) return reply.status(304).send();
  if (!zipped) return reply.send(body);
  return reply.header('content-encoding', 'gzip').send(await compress(body));
}

/** Whether an answer to whoever sends this `accept-encoding` may be compressed. */
export const takesGzip = (accepted: string): boolean =>
  accepted
    .split(',')
    .map((coding) => coding.replaceAll(/\s/g, '').toLowerCase())
    .some((coding) => /^(gzip|x-gzip|\*)(;|$)/.test(coding) && !/;q=0(\.0*)?$/.test(coding));

/** Whichever encoding of the octets it was: who has one of them needs none again. */
export const isKnown = (print: string, noneMatch: string | undefined): boolean =>
  noneMatch?.trim() === '*' ||
  Array.from((noneMatch ?? '').matchAll(/"([^"]*)"/g), ([, tag]) => tag?.replace(/-gzip$/, '')).includes(
    print,
  );
