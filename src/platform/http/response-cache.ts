import type { Instant } from '#wire/instant.ts';

/** A cached response, valid from `from` (inclusive) until `until` (exclusive). */
interface Cacheable {
  bytes: Buffer;
  from: Instant;
  until: Instant;
}

/** A cache look-up. */
interface Lookup<Value extends Cacheable> {
  key: string;
  /** The current version of the data. An entry is valid while its version equals this one. */
  version: string;
  now: Instant;
  /** Creates the response. `addSize` adds bytes to the size of the entry later, such as a compressed form. */
  make(addSize: (bytes: number) => void): Promise<Value>;
}

interface Entry<Value> {
  version: string;
  response: Promise<Value>;
  /** 0 until the response exists. */
  size: number;
}

/**
 * Caches responses by key and version, evicts the least recently used. Requests that find the same version while a
 * response is being created share it: the data has not changed in between.
 */
export function responseCache<Value extends Cacheable>(
  max: number,
): (lookup: Lookup<Value>) => Promise<Value> {
  const entries = new Map<string, Entry<Value>>();
  let size = 0;

  function evict(key: string, entry: Entry<Value>): void {
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    size -= entry.size;
  }

  function addSize(key: string, entry: Entry<Value>, bytes: number): void {
    if (entries.get(key) !== entry) return;
    entry.size += bytes;
    size += bytes;
    for (const [other, oldest] of entries) {
      if (size <= max) return;
      evict(other, oldest);
    }
  }

  function make({ key, version, make }: Lookup<Value>): Promise<Value> {
    const previous = entries.get(key);
    if (previous) evict(key, previous);
    const response = make((bytes) => addSize(key, entry, bytes));
    const entry = { version, response, size: 0 };
    entries.set(key, entry);
    response.then(
      ({ bytes }) => addSize(key, entry, bytes.length),
      () => evict(key, entry),
    );
    return response;
  }

  return async (lookup) => {
    const entry = entries.get(lookup.key);
    if (entry?.version !== lookup.version) return make(lookup);
    // Re-insert as the most recently used.
    entries.delete(lookup.key);
    entries.set(lookup.key, entry);
    const response = await entry.response;
    return response.from <= lookup.now && lookup.now < response.until ? response : make(lookup);
  };
}
