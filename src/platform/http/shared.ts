import type { Db } from '#platform/db/client.ts';
import type { Versioned } from '#platform/db/versioned.ts';
import { responseCache, type Cacheable } from '#platform/http/response-cache.ts';
import type { Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';

/** The key of shared data, and its current version, which was read for this request. */
interface Wanted {
  id: string;
  version: string;
}

/** Encoded data with its size in bytes. The size of a text is its length. */
type Encoded = string | { size: number };

/** Maximum size of a cache in bytes. */
const maxCache = 32 * 1024 * 1024;

/**
 * Returns a function that gets data in encoded form, from a cache or by `load`. The data is the same for all of its
 * readers. The cache stores it under the version that `load` returned with it. Fails with `not_found` if there is no
 * such data.
 */
export function shared<W extends Wanted, Value, E extends Encoded>(
  load: (db: Db, wanted: W, now: Instant) => Promise<Versioned<Value> | undefined>,
  encode: (value: Value) => E | Promise<E>,
): (db: Db, wanted: W, now: Instant) => Promise<E> {
  const cache = responseCache<Cacheable & { encoded: E }>(maxCache);
  return async (db, wanted, now) => {
    const make = async () => {
      const { version, value, until } = (await load(db, wanted, now)) ?? fail('not_found');
      const encoded = await encode(value);
      const size = typeof encoded === 'string' ? encoded.length : encoded.size;
      return { version, encoded, size, ...(until && { from: now, until }) };
    };
    return (await cache({ key: wanted.id, version: wanted.version, now, make })).encoded;
  };
}
