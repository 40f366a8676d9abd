import { compress, takesGzip, type Reply, type Request } from '#platform/http/reply.ts';
import { responseCache, type Cacheable } from '#platform/http/response-cache.ts';
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
  /** Its version is read together with its data. */
  make(): Promise<{ body: string; version: string; until: Instant }>;
  /** Rate limit, throws when exceeded. Not called for a 304. */
  count(): Promise<void>;
  /** Called when the document is served to a `GET`, also by a 304. */
  served?(headers: Request['headers']): void;
}

/** The bytes of a document and their ETag. */
interface EncodedDocument {
  bytes: Buffer;
  etag: string;
  /** Absent for pictures, which are compressed already. */
  zipped?: Buffer;
}

async function encode(body: string | Buffer): Promise<EncodedDocument> {
  const bytes = Buffer.from(body);
  const etag = hashForETag(bytes);
  return typeof body === 'string' ? { bytes, etag, zipped: await compress(bytes) } : { bytes, etag };
}

export interface EncodedResponse
  extends
    EncodedDocument,
    Pick<Document, 'filename' | 'immutable'>,
    Partial<Pick<CachedDocument, 'count' | 'served'>> {}

export type EncodeDocument = (document: Document | CachedDocument) => Promise<EncodedResponse>;

/** Maximum size of the cache in bytes, including compressed forms. */
const maxBytes = 32 * 1024 * 1024;

/** Encodes documents and caches the cacheable ones. */
export function createDocuments(max = maxBytes): EncodeDocument {
  const cache = responseCache<EncodedDocument & Cacheable>(max);

  const cached = ({ make, ...rest }: CachedDocument): Promise<EncodedDocument> =>
    cache({
      ...rest,
      async make() {
        const { body, version, until } = await make();
        const encoded = await encode(body);
        const size = encoded.bytes.length + (encoded.zipped?.length ?? 0);
        return { ...encoded, version, size, from: rest.now, until };
      },
    });

  return async (document) =>
    'body' in document
      ? { ...(await encode(document.body)), ...document }
      : {
          ...(await cached(document)),
          filename: document.filename,
          count: document.count,
          served: document.served,
        };
}

/** Answers 304 while the document is unchanged; otherwise sends it, compressed if the client accepts that. */
export async function documentReply(
  request: Pick<Request, 'headers' | 'method'>,
  { document: type, who }: Pick<DocumentEndpoint, 'document' | 'who'>,
  { bytes, etag, zipped, filename, immutable = false, count, served }: EncodedResponse,
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
  const isKnown = matchesETag(etag, request.headers['if-none-match']);
  if (!isKnown) await count?.();
  if (request.method === 'GET') served?.(request.headers);
  if (isKnown) return { status: 304, headers };
  if (!zip) return { status: 200, headers, body: bytes };
  return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: zip };
}

/** Compares with `If-None-Match`, regardless of the encoding. */
export const matchesETag = (etag: string, noneMatch: string | undefined): boolean =>
  noneMatch?.trim() === '*' ||
  Array.from((noneMatch ?? '').matchAll(/"([^"]*)"/g), ([, tag]) => tag?.replace(/-gzip$/, '')).includes(
    etag,
  );
