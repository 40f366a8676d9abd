import type { Instant } from '#wire/instant.ts';

/** A cached response. */
export interface Cacheable {
  /** The version that was read together with the data. */
  version: string;
  /** Size in bytes. */
  size: number;
  /** Valid from this time (inclusive), by default always. */
  from?: Instant;
  /** Valid until this time (exclusive), by default for ever. */
  until?: Instant;
}

/** A cache look-up. */
interface Lookup<Value extends Cacheable> {
  key: string;
  /** The current version of the data. */
  version: string;
  now: Instant;
  make(): Promise<Value>;
}

interface Entry<Value> {
  version: string;
  response: Promise<Value>;
  /** Set when the response exists. */
  value?: Value;
}

/**
 * Caches responses by key and version, and evicts the least recently used. Requests for the same version share the
 * response that is being created. It is cached under the version that it contains, so a database that lags behind
 * cannot store old data under a newer version. `max` is in bytes.
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
    remove(key);
    const entry: Entry<Value> = { version, response: create() };
    entries.set(key, entry);
    try {
      const value = await entry.response;
      if (entries.get(key) === entry) {
        entry.version = value.version;
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
    const { from = '', until = '9999' } = response;
    return from <= lookup.now && lookup.now < until ? response : make(lookup);
  };
}
