import type { Db } from '#platform/db/client.ts';
import type { Json } from '#platform/http/reply.ts';
import { responseCache, type Cacheable } from '#platform/http/response-cache.ts';
import type { Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';

/** Data that is the same for all viewers, and its version, both from one statement. */
export interface Versioned<Value> {
  version: string;
  value: Value;
}

/** A thing and its current version, which was read for this request. */
interface Wanted {
  id: string;
  version: string;
}

/** Maximum size of a cache in bytes. */
const maxCache = 32 * 1024 * 1024;

/**
 * Returns a function that gets the JSON of something that all viewers see alike, from a cache or by `load`. That takes no
 * viewer, so no viewer field can be in it. Fails with `not_found` if it is gone.
 */
export function shared<Value, Shown>(
  load: (db: Db, id: string) => Promise<Versioned<Value> | undefined>,
  json: (value: Value) => Json<Shown>,
): (db: Db, wanted: Wanted, now: Instant) => Promise<Json<Shown>> {
  const cache = responseCache<Cacheable & { json: Json<Shown> }>(maxCache);
  return async (db, { id, version }, now) => {
    const make = async () => {
      const found = (await load(db, id)) ?? fail('not_found');
      const text = json(found.value);
      return { version: found.version, json: text, size: text.length };
    };
    return (await cache({ key: id, version, now, make })).json;
  };
}
