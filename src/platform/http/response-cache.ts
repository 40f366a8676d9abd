import type { Instant } from '#wire/instant.ts';

/** A cached response, valid from `from` (inclusive) until `until` (exclusive). */
export interface Cacheable {
  /** Size in bytes. */
  size: number;
  from: Instant;
  until: Instant;
}

/** For responses that do not depend on the time. */
export const always = { from: '0001', until: '9999' };

/** A cache look-up. */
interface Lookup<Value extends Cacheable> {
  key: string;
  /** The current version of the data. An entry is valid while its version equals this one. */
  version: string;
  now: Instant;
  /** Creates the response. `previous` is the outdated entry, from which unchanged parts may be reused. */
  make(previous: Value | undefined): Promise<Value>;
}

interface Entry<Value> {
  version: string;
  response: Promise<Value>;
  /** Set when the response exists. */
  value?: Value;
}

/**
 * Caches responses by key and version, evicts the least recently used. Requests that find the same version while a
 * response is being created share it: the data has not changed in between. `max` is in bytes.
 */
export function responseCache<Value extends Cacheable>(
  max: number,
): (lookup: Lookup<Value>) => Promise<Value> {
  const entries = new Map<string, Entry<Value>>();
  let size = 0;

  function remove(key: string): void {
    size -= entries.get(key)?.value?.size ?? 0;
    entries.delete(key);
  }

  async function make({ key, version, make: create }: Lookup<Value>): Promise<Value> {
    const previous = entries.get(key)?.value;
    remove(key);
    const entry: Entry<Value> = { version, response: create(previous) };
    entries.set(key, entry);
    try {
      const value = await entry.response;
      if (entries.get(key) === entry) {
        entry.value = value;
        size += value.size;
        for (const oldest of entries.keys()) {
          if (size <= max) break;
          remove(oldest);
        }
      }
      return value;
    } catch (error) {
      if (entries.get(key) === entry) remove(key);
      throw error;
    }
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
