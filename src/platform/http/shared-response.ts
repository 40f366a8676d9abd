import { matchesETag } from '#platform/http/document.ts';
import type { Reply, Request } from '#platform/http/reply.ts';
import { compress, jsonReply, type Json } from '#platform/http/compression.ts';
import { responseCache } from '#platform/http/response-cache.ts';
import { hashForETag } from '#platform/token.ts';
import type { Instant } from '#wire/instant.ts';

/** What stands in the places of a viewer, in their order; undefined leaves a place as it is. */
export type Parts = readonly (string | undefined)[];

interface Made<Data, Outline> {
  data: Data;
  /** What is the viewer's own of it, who had it made. */
  own: Parts;
  from: Instant;
  until: Instant;
  /** As much of it as it takes to say what is one viewer's. */
  outline: Outline;
}

export interface Page<Data, Outline> {
  key: string;
  version: string;
  now: Instant;
  /** Makes it anew, from what is found after the mark was; in the data is nothing that is one viewer's. */
  make(): Promise<Made<Data, Outline>>;
  /** The places in its JSON that are a viewer's, in ASCII. No text can pass for one: in a text, quotes are escaped. */
  viewerFields: RegExp;
  /** The same object sees the same. */
  viewer: object;
  /** Asked for where somebody else had the page made, or the viewer has seen something else of it. */
  own(outline: Outline): Promise<Parts>;
}

/** An answer that many get in the same octets, but for what is each one's own. */
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
  /** What is whose, as long as the page is kept. */
  owns: WeakMap<object, Own>;
  addSize(bytes: number): void;
}

/** Octets of all pages that are kept, and of what was compressed of them. */
const maxBytes = 32 * 1024 * 1024;

export type Keep = (page: Page<unknown, unknown>, write: (data: unknown) => string) => Promise<Kept>;

interface Kept extends Json {
  tag: string;
  body(): Buffer;
}

interface Own {
  made: Body;
  parts: Parts;
  tag: string;
  /** Filled in anew when the memory was needed: made for each answer, bodies pile up faster than they are collected. */
  body?: WeakRef<Buffer>;
  zipped?: Promise<Buffer>;
}

/** Keeps pages as octets, with what is each viewer's own of them. */
export function createSharedResponses(max = maxBytes): Keep {
  const keep = responseCache<Body>(max);
  return async (page, write) => {
    const { viewerFields, viewer } = page;
    const made = await keep({
      ...page,
      async make(addSize) {
        const { data, own, ...rest } = await page.make();
        const owns = new WeakMap<object, Own>();
        const made = { ...rest, ...bodyWithGaps(write(data), viewerFields), owns, addSize };
        owns.set(viewer, ownOf(made, own));
        return made;
      },
    });
    const own = made.owns.get(viewer) ?? ownOf(made, await page.own(made.outline));
    made.owns.set(viewer, own);
    return {
      tag: own.tag,
      length: made.bytes.length,
      body: () => bodyOf(own),
      zipped: () => (own.zipped ??= zippedOf(own)),
    };
  };
}

function ownOf(made: Body, parts: Parts): Own {
  if (parts.length !== made.viewerFields.length)
    throw new Error(`${made.viewerFields.length} gaps and ${parts.length} parts of a viewer`);
  return { made, parts, tag: hashForETag(`${made.etag}${JSON.stringify(parts)}`) };
}

/** The tag is a weak one: it says whether there is something new to see. An edit is bound to the version that stands in it. */
export async function sharedReply(request: Pick<Request, 'headers'>, kept: Kept): Promise<Reply> {
  const etag = `W/"${kept.tag}"`;
  if (matchesETag(kept.tag, request.headers['if-none-match'])) return { status: 304, headers: { etag } };
  const { headers, ...reply } = await jsonReply(request, 200, kept);
  return { ...reply, headers: { ...headers, etag } };
}

function bodyWithGaps(text: string, viewerFields: RegExp): Pick<Body, 'bytes' | 'viewerFields' | 'etag'> {
  const bytes = Buffer.from(text);
  // One character for each octet, so that places in it are places among the octets.
  const places = Array.from(bytes.toString('latin1').matchAll(viewerFields), ({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
  return { bytes, viewerFields: places, etag: hashForETag(bytes) };
}

function bodyOf(own: Own): Buffer {
  const known = own.body?.deref();
  if (known) return known;
  const body = filled(own);
  own.body = new WeakRef(body);
  return body;
}

async function zippedOf(own: Own): Promise<Buffer> {
  const zipped = await compress(bodyOf(own));
  own.made.addSize(zipped.length);
  return zipped;
}

function filled({ made: { bytes, viewerFields }, parts: own }: Own): Buffer {
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
