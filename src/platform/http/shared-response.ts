import { matchesETag } from '#platform/http/document.ts';
import type { Reply, Request } from '#platform/http/reply.ts';
import { compress, jsonReply, type Json } from '#platform/http/compression.ts';
import { responseCache } from '#platform/http/response-cache.ts';
import { hashForETag } from '#platform/token.ts';
import type { Instant } from '#wire/instant.ts';

/** The values of the viewer fields, in their order in the JSON; undefined keeps the shared value. */
export type FieldValues = readonly (string | undefined)[];

interface Made<Data, Outline> {
  data: Data;
  /** The field values of the viewer whose request created the page. */
  own: FieldValues;
  from: Instant;
  until: Instant;
  /** The facts from which `own` computes the field values of other viewers. */
  outline: Outline;
}

export interface Page<Data, Outline> {
  key: string;
  version: string;
  now: Instant;
  /** Creates the page from data read after `version`. `data` contains nothing specific to a viewer. */
  make(): Promise<Made<Data, Outline>>;
  /** Matches the viewer fields in the JSON; ASCII only. It cannot match inside a string, where quotes are escaped. */
  viewerFields: RegExp;
  /** Identity for the cache of field values: the same object gets the same values. */
  viewer: object;
  /** Loads the field values of this viewer for a page that another viewer's request created. */
  own(outline: Outline): Promise<FieldValues>;
}

/** A response whose bytes all viewers share, except for the viewer fields. */
export class Shared<Data, Outline = unknown> {
  readonly page: Page<Data, Outline>;

  constructor(page: Page<Data, Outline>) {
    this.page = page;
  }
}

interface Body extends Omit<Made<unknown, unknown>, 'data' | 'own'> {
  bytes: Buffer;
  viewerFields: readonly { start: number; end: number }[];
  etag: string;
  /** Bodies per viewer. They live as long as the cache entry. */
  perViewer: WeakMap<object, ViewerBody>;
  addSize(bytes: number): void;
}

/** Size of the cache, compressed bodies included. */
const maxBytes = 32 * 1024 * 1024;

export type Personalise = (
  page: Page<unknown, unknown>,
  serialise: (data: unknown) => string,
) => Promise<PersonalResponse>;

interface PersonalResponse extends Json {
  tag: string;
  body(): Buffer;
}

interface ViewerBody {
  made: Body;
  parts: FieldValues;
  tag: string;
  /** Weak, so that memory pressure frees it. Without this cache, garbage grows faster than it is collected. */
  body?: WeakRef<Buffer>;
  zipped?: Promise<Buffer>;
}

/** Caches serialised pages and fills in the fields of each viewer. */
export function createSharedResponses(max = maxBytes): Personalise {
  const cache = responseCache<Body>(max);
  return async (page, serialise) => {
    const { viewerFields, viewer } = page;
    const made = await cache({
      ...page,
      async make(addSize) {
        const { data, own, ...rest } = await page.make();
        const perViewer = new WeakMap<object, ViewerBody>();
        const made = { ...rest, ...splitBody(serialise(data), viewerFields), perViewer, addSize };
        perViewer.set(viewer, viewerBody(made, own));
        return made;
      },
    });
    const own = made.perViewer.get(viewer) ?? viewerBody(made, await page.own(made.outline));
    made.perViewer.set(viewer, own);
    return {
      tag: own.tag,
      length: made.bytes.length,
      body: () => bodyOf(own),
      zipped: () => (own.zipped ??= zippedOf(own)),
    };
  };
}

function viewerBody(made: Body, parts: FieldValues): ViewerBody {
  if (parts.length !== made.viewerFields.length)
    throw new Error(`${made.viewerFields.length} gaps and ${parts.length} parts of a viewer`);
  return { made, parts, tag: hashForETag(`${made.etag}${JSON.stringify(parts)}`) };
}

/** The ETag is weak: it tells whether the content changed. Edits send the version in the body as `If-Match`. */
export async function sharedReply(
  request: Pick<Request, 'headers'>,
  response: PersonalResponse,
): Promise<Reply> {
  const etag = `W/"${response.tag}"`;
  if (matchesETag(response.tag, request.headers['if-none-match'])) return { status: 304, headers: { etag } };
  const { headers, ...reply } = await jsonReply(request, 200, response);
  return { ...reply, headers: { ...headers, etag } };
}

function splitBody(text: string, viewerFields: RegExp): Pick<Body, 'bytes' | 'viewerFields' | 'etag'> {
  const bytes = Buffer.from(text);
  // latin1 has one character per byte, so string offsets are byte offsets.
  const offsets = Array.from(bytes.toString('latin1').matchAll(viewerFields), ({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
  return { bytes, viewerFields: offsets, etag: hashForETag(bytes) };
}

function bodyOf(own: ViewerBody): Buffer {
  const known = own.body?.deref();
  if (known) return known;
  const body = fill(own);
  own.body = new WeakRef(body);
  return body;
}

async function zippedOf(own: ViewerBody): Promise<Buffer> {
  const zipped = await compress(bodyOf(own));
  own.made.addSize(zipped.length);
  return zipped;
}

function fill({ made: { bytes, viewerFields }, parts: own }: ViewerBody): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const [index, text] of own.entries()) {
    if (text === undefined) continue;
    const { start, end } = viewerFields[index] as (typeof viewerFields)[number];
    parts.push(bytes.subarray(from, start), Buffer.from(text));
    from = end;
  }
  return Buffer.concat([...parts, bytes.subarray(from)]);
}
