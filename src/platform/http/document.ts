import { compress, takesGzip, type Reply, type Request } from '#platform/http/reply.ts';
import { hashForETag } from '#platform/token.ts';
import type { DocumentEndpoint } from '#wire/endpoint.ts';

/** The response of a document endpoint. */
export interface Document {
  body: string | Buffer;
  filename: string;
  /** The content of this URL never changes and is public. */
  immutable?: boolean;
}

/** The bytes of a document and their ETag. */
export interface EncodedDocument {
  bytes: Buffer;
  etag: string;
  /** Absent for pictures, which are compressed already. */
  zipped?: Buffer;
  /** The size of `bytes` and `zipped` together, in bytes. */
  size: number;
}

/** A document that is encoded already. */
export interface CachedDocument extends EncodedDocument, Pick<Document, 'filename' | 'immutable'> {
  /** Counts a response for a rate limit, and throws if the limit is exceeded. Not called for a 304. */
  count(): Promise<void>;
  /** Called when a `GET` is served, even with a 304. */
  served?(headers: Request['headers']): void;
}

export async function encodeDocument(body: string | Buffer): Promise<EncodedDocument> {
  const bytes = Buffer.from(body);
  const etag = hashForETag(bytes);
  if (typeof body !== 'string') return { bytes, etag, size: bytes.length };
  const zipped = await compress(bytes);
  return { bytes, etag, zipped, size: bytes.length + zipped.length };
}

const encoded = async (
  document: Document | CachedDocument,
): Promise<EncodedDocument & Partial<CachedDocument>> =>
  'body' in document ? { ...(await encodeDocument(document.body)), ...document } : document;

/** Responds with 304 while the document is unchanged; otherwise sends it, compressed if the client accepts that. */
export async function documentReply(
  request: Pick<Request, 'headers' | 'method'>,
  { document: type, who }: Pick<DocumentEndpoint, 'document' | 'who'>,
  document: Document | CachedDocument,
): Promise<Reply> {
  const { bytes, etag, zipped, filename, immutable = false, count, served } = await encoded(document);
  const zip = takesGzip(request) ? zipped : undefined;
  const headers = {
    'content-type': type,
    'content-disposition': `inline; filename="${filename}"`,
    'cache-control': immutable ? 'public, max-age=31536000, immutable' : 'private, max-age=300',
    // Webmail shows the pictures of emails in pages of its own.
    ...(immutable && { 'cross-origin-resource-policy': 'cross-origin' }),
    // A private document must not be reused for the next user of the same browser.
    vary: who === 'user' ? 'Authorization, Accept-Encoding' : 'Accept-Encoding',
    // A strong ETag identifies the exact bytes, so each encoding has its own.
    etag: `"${etag}${zip ? '-gzip' : ''}"`,
  };
  const isUnmodified = matchesETag(etag, request.headers['if-none-match']);
  if (!isUnmodified) await count?.();
  if (request.method === 'GET') served?.(request.headers);
  if (isUnmodified) return { status: 304, headers };
  if (!zip) return { status: 200, headers, body: bytes };
  return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: zip };
}

/** Compares with `If-None-Match`, regardless of the encoding. */
export const matchesETag = (etag: string, noneMatch: string | undefined): boolean =>
  noneMatch?.trim() === '*' ||
  Array.from((noneMatch ?? '').matchAll(/"([^"]*)"/g), ([, tag]) => tag?.replace(/-gzip$/, '')).includes(
    etag,
  );
