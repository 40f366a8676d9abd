import { matchesETag } from '#platform/http/document.ts';
import type { Reply, Request } from '#platform/http/reply.ts';
import { compress, jsonReply, type Json } from '#platform/http/compression.ts';
import { responseCache } from '#platform/http/response-cache.ts';
import { hashForETag } from '#platform/token.ts';
import type { Instant } from '#wire/instant.ts';

/** The values of the viewer fields, in their order in the JSON; undefined keeps the shared value. */
export type FieldValues = readonly (string | undefined)[];

interface CreatedPage<Data, Outline> {
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
  make(): Promise<CreatedPage<Data, Outline>>;
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

interface Body extends Omit<CreatedPage<unknown, unknown>, 'data' | 'own'> {
  bytes: Buffer;
  viewerFields: readonly { start: number; end: number }[];
  etag: string;
  /** Bodies per viewer. They live as long as the cache entry. */
  perViewer: WeakMap<object, ViewerBody>;
  addSize(bytes: number): void;
}

/** Maximum size of the cache, including compressed bodies. */
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
  page: Body;
  values: FieldValues;
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
    const body = await cache({
      ...page,
      async make(addSize) {
        const { data, own, ...rest } = await page.make();
        const perViewer = new WeakMap<object, ViewerBody>();
        const created = { ...rest, ...splitBody(serialise(data), viewerFields), perViewer, addSize };
        perViewer.set(viewer, createViewerBody(created, own));
        return created;
      },
    });
    const viewerBody = body.perViewer.get(viewer) ?? createViewerBody(body, await page.own(body.outline));
    body.perViewer.set(viewer, viewerBody);
    return {
      tag: viewerBody.tag,
      length: body.bytes.length,
      body: () => bodyOf(viewerBody),
      zipped: () => (viewerBody.zipped ??= zippedOf(viewerBody)),
    };
  };
}

function createViewerBody(page: Body, values: FieldValues): ViewerBody {
  if (values.length !== page.viewerFields.length)
    throw new Error(`${page.viewerFields.length} gaps and ${values.length} parts of a viewer`);
  return { page, values, tag: hashForETag(`${page.etag}${JSON.stringify(values)}`) };
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

function bodyOf(viewerBody: ViewerBody): Buffer {
  const cached = viewerBody.body?.deref();
  if (cached) return cached;
  const body = fillFields(viewerBody);
  viewerBody.body = new WeakRef(body);
  return body;
}

async function zippedOf(viewerBody: ViewerBody): Promise<Buffer> {
  const zipped = await compress(bodyOf(viewerBody));
  viewerBody.page.addSize(zipped.length);
  return zipped;
}

function fillFields({ page: { bytes, viewerFields }, values }: ViewerBody): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const [index, text] of values.entries()) {
    if (text === undefined) continue;
    const { start, end } = viewerFields[index] as (typeof viewerFields)[number];
    parts.push(bytes.subarray(from, start), Buffer.from(text));
    from = end;
  }
  return Buffer.concat([...parts, bytes.subarray(from)]);
}
