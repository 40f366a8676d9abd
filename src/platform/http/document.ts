import type { Reply, Request } from '#platform/http/reply.ts';
import { compress, takesGzip } from '#platform/http/compression.ts';
import { responseCache } from '#platform/http/response-cache.ts';
import { hashForETag } from '#platform/token.ts';
import type { DocumentEndpoint } from '#wire/endpoint.ts';
import type { Instant } from '#wire/instant.ts';

/** The response of a document endpoint. */
export interface Document {
  body: string | Buffer;
  filename: string;
  /** The content of this URL never changes and is public. */
  immutable?: boolean;
}

/** A cacheable document: valid while `version` is unchanged, at most until the `until` of its content. */
export interface CachedDocument {
  filename: string;
  key: string;
  version: string;
  now: Instant;
  make(): Promise<{ body: string; until: Instant }>;
  /** Rate limit, throws when exceeded. Not called for a 304. */
  count(): Promise<void>;
}

/** The bytes of a document and their ETag. */
interface EncodedDocument {
  bytes: Buffer;
  etag: string;
  /** Absent for pictures, which are compressed already. */
  zipped?(): Promise<Buffer>;
}

function encode(body: string | Buffer, addSize = (_bytes: number) => {}): EncodedDocument {
  const bytes = Buffer.from(body);
  const etag = hashForETag(bytes);
  if (typeof body !== 'string') return { bytes, etag };
  let zipped: Promise<Buffer> | undefined;
  const zip = async () => {
    const compressed = await compress(bytes);
    addSize(compressed.length);
    return compressed;
  };
  return { bytes, etag, zipped: () => (zipped ??= zip()) };
}

interface EncodedResponse
  extends EncodedDocument, Pick<Document, 'filename' | 'immutable'>, Partial<Pick<CachedDocument, 'count'>> {}

export type EncodeDocument = (document: Document | CachedDocument) => Promise<EncodedResponse>;

/** Maximum size of the cache, including compressed forms. */
const maxBytes = 32 * 1024 * 1024;

/** Encodes documents and caches the cacheable ones. */
export function createDocuments(max = maxBytes): EncodeDocument {
  const cache = responseCache<EncodedDocument & { from: Instant; until: Instant }>(max);

  async function cached({ make, ...rest }: CachedDocument): Promise<EncodedDocument> {
    return cache({
      ...rest,
      async make(addSize) {
        const { body, until } = await make();
        return { ...encode(body, addSize), from: rest.now, until };
      },
    });
  }

  return async (document) =>
    'body' in document
      ? { ...encode(document.body), ...document }
      : { ...(await cached(document)), filename: document.filename, count: document.count };
}

/** Answers 304 while the document is unchanged; otherwise sends it, compressed if the client accepts that. */
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
    // A private document must not be reused for the next user of the same browser.
    vary: who === 'user' ? 'Authorization, Accept-Encoding' : 'Accept-Encoding',
    // A strong ETag identifies the exact bytes, so each encoding has its own.
    etag: `"${etag}${zip ? '-gzip' : ''}"`,
  };
  if (matchesETag(etag, request.headers['if-none-match'])) return { status: 304, headers };
  await count?.();
  if (!zip) return { status: 200, headers, body: bytes };
  return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: await zip() };
}

/** Compares with `If-None-Match`, regardless of the encoding. */
export const matchesETag = (etag: string, noneMatch: string | undefined): boolean =>
  noneMatch?.trim() === '*' ||
  Array.from((noneMatch ?? '').matchAll(/"([^"]*)"/g), ([, tag]) => tag?.replace(/-gzip$/, '')).includes(
    etag,
  );
