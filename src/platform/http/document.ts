import type { Reply, Request } from '#platform/http/reply.ts';
import { compress, takesGzip } from '#platform/http/compression.ts';
import { responseCache } from '#platform/http/response-cache.ts';
import { hashForETag } from '#platform/token.ts';
import type { DocumentEndpoint } from '#wire/endpoint.ts';
import type { Instant } from '#wire/instant.ts';

/** What a document endpoint answers with. */
export interface Document {
  body: string | Buffer;
  filename: string;
  /** Under this address there will never be anything else, and whoever knows it may have it. */
  immutable?: boolean;
}

/** A document that stays as it is while the mark of what it shows does, and until then at most. */
export interface CachedDocument {
  filename: string;
  key: string;
  version: string;
  now: Instant;
  make(): Promise<{ body: string; until: Instant }>;
  /** Counts an answer in full and throws when there were too many; a 304 is none. */
  count(): Promise<void>;
}

/** The octets of a document, and what tells them from any others. */
interface EncodedDocument {
  bytes: Buffer;
  etag: string;
  /** Only text is worth it: a picture is compressed already. */
  zipped?(): Promise<Buffer>;
}

function encode(body: string | Buffer, addSize = (_bytes: number) => {}): EncodedDocument {
  const bytes = Buffer.from(body);
  const etag = hashForETag(bytes);
  if (typeof body !== 'string') return { bytes, etag };
  let zipped: Promise<Buffer> | undefined;
  const zip = async () => {
    const made = await compress(bytes);
    addSize(made.length);
    return made;
  };
  return { bytes, etag, zipped: () => (zipped ??= zip()) };
}

interface EncodedResponse
  extends EncodedDocument, Pick<Document, 'filename' | 'immutable'>, Partial<Pick<CachedDocument, 'count'>> {}

export type EncodeDocument = (document: Document | CachedDocument) => Promise<EncodedResponse>;

/** Octets of all documents that are kept, and of their compressed forms. */
const maxBytes = 32 * 1024 * 1024;

/** Makes documents ready to be sent, and keeps those that last. */
export function createDocuments(max = maxBytes): EncodeDocument {
  const keep = responseCache<EncodedDocument & { from: Instant; until: Instant }>(max);

  async function kept({ make, ...wanted }: CachedDocument): Promise<EncodedDocument> {
    return keep({
      ...wanted,
      async make(addSize) {
        const { body, until } = await make();
        return { ...encode(body, addSize), from: wanted.now, until };
      },
    });
  }

  return async (document) =>
    'body' in document
      ? { ...encode(document.body), ...document }
      : { ...(await kept(document)), filename: document.filename, count: document.count };
}

/** A document that may be asked for again and again: 304 while it is the same, compressed where that is understood. */
export async function documentReply(
  request: Pick<Request, 'headers'>,
  { document: type, who }: Pick<DocumentEndpoint, 'document' | 'who'>,
  { bytes, etag, zipped, filename, immutable = false, count }: EncodedResponse,
): Promise<Reply> {
  const zip = takesGzip(request) ? zipped : undefined;
  const headers = {
    'content-type': type,
    'content-disposition': `inline; filename="${filename}"`,
    'cache-control': immutable ? 'public, max-age=31536000, immutable' : 'private, max-age=300',
    // What depends on who asks is not for the next one at the same browser.
    vary: who === 'user' ? 'Authorization, Accept-Encoding' : 'Accept-Encoding',
    // A strong tag names the very octets, so each encoding has its own.
    etag: `"${etag}${zip ? '-gzip' : ''}"`,
  };
  if (matchesETag(etag, request.headers['if-none-match'])) return { status: 304, headers };
  await count?.();
  if (!zip) return { status: 200, headers, body: bytes };
  return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: await zip() };
}

/** Whichever encoding of the octets it was: who has one of them needs none again. */
export const matchesETag = (etag: string, noneMatch: string | undefined): boolean =>
  noneMatch?.trim() === '*' ||
  Array.from((noneMatch ?? '').matchAll(/"([^"]*)"/g), ([, tag]) => tag?.replace(/-gzip$/, '')).includes(
    etag,
  );
